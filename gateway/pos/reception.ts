import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Readiness } from '../background/upkeep.js'
import type { StagingVenue } from '../listeners/entry-page.js'
import { pageTurns } from '../listeners/limits.js'
import { parserFault } from '../listeners/parser-faults.js'
import { type Place, takePlace } from '../listeners/pipeline.js'
import { watchStalls } from '../listeners/stalls.js'
import { createTurns } from '../listeners/turns.js'
import type { Log } from '../telemetry/log.js'
import type { Metrics } from '../telemetry/metrics.js'
import type { RequestFeed } from '../telemetry/request-feed.js'
import type { Tracing } from '../telemetry/tracing.js'
import { internalError, type PartnerService, takePartnerCall } from './call.js'
import { Connection, newRequestId, refusedByParser } from './connection.js'
import { httpFault, type Refused, statusOf, unavailable } from './errors.js'
import type { RestLimits } from './limits.js'
import { createOverloadRecords, isOverload } from './overload-records.js'
import { createPages } from './pages/pages.js'
import { createPartnerPage, type PartnerParts } from './partner/partner-page.js'
import { checkFraming } from './request.js'
import { Exchange, type ExchangeFrame, type ExchangeRecord } from './response.js'
import { type Endpoint, findRoute, type Page } from './routes.js'

export interface ReceptionOptions extends Omit<PartnerService, 'deadlineGraceMs' | 'turn' | 'keepsBodies' | 'onBug'> {
  /** True when the service can do its work; not asked while draining. */
  readonly readiness: () => Readiness
  readonly linesMax: number
  readonly posReturns: boolean
  readonly limits: RestLimits
  readonly log: Log
  readonly metrics: Metrics
  readonly requests: RequestFeed
  readonly tracing: Tracing | null
  readonly environment: 'staging' | 'production'
  readonly stagingVenues: (() => Promise<readonly StagingVenue[]>) | null
  /** null: there is no partner page. */
  readonly partner: PartnerParts | null
}

/** Takes requests from the server, and bytes that could not become one. Everything that arrives here is answered. */
export class Reception {
  readonly #connections = new WeakMap<Duplex, Connection>()
  readonly #open = new Set<Exchange>()
  readonly #service: PartnerService
  readonly #frame: ExchangeFrame
  readonly #pages: ReturnType<typeof createPages>
  /** Runs while there are requests. */
  #sweep: NodeJS.Timeout | null = null
  readonly #overloadRecord = createOverloadRecords(() => performance.now())
  readonly #turn = createTurns(pageTurns)
  readonly #stalls
  readonly #partner: ReturnType<typeof createPartnerPage> | null
  readonly #isServed = (part: Endpoint | 'partner') =>
    part === 'partner' ? this.options.partner !== null : part !== 'return' || this.options.posReturns

  constructor(private readonly options: ReceptionOptions) {
    const { admission, bodyBytesMax, limits, log, partner } = options
    const draining = () => admission.draining
    this.#service = {
      ...options,
      deadlineGraceMs: limits.deadlineGraceMs,
      turn: this.#turn,
      keepsBodies: partner !== null,
      onBug: (err, requestId) => log.error({ err, requestId }, 'broken invariant'),
    }
    this.#frame = {
      bodyBytesMax,
      lingerMs: limits.lingerMs,
      keepAlive: `timeout=${Math.floor(limits.keepAliveMs / 1_000)}`,
      draining,
      record: (entry) => this.#record(entry),
      keep: (exchange, sent, answer) => this.#partner?.keep(exchange, sent, answer),
    }
    this.#pages = createPages({ ...options, draining })
    this.#partner = partner && createPartnerPage({ ...options, ...partner })
    this.#stalls = watchStalls(limits.checkMs, limits.stallMs)
  }

  /** @param awaitsContinue  the client waits for `100 Continue` before it sends its body */
  take(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const exchange = this.#begin(request, response)
    if (exchange === null) return
    exchange.awaitsContinue = awaitsContinue
    const place = takePlace(request.socket, response)
    if (place.ahead >= this.options.limits.aheadMax) exchange.refuse(tooManyAhead)
    else
      this.#answer(exchange, place).catch((error: unknown) => {
        this.#service.onBug(error, exchange.requestId)
        exchange.refuse(internalError)
      })
  }

  /** An Expect header with another value than 100-continue. */
  refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#begin(request, response)
    exchange?.refuse(httpFault(417, 'The only expectation met is 100-continue.', { close: true }))
  }

  /** Answers requests that Node's parser or timers reject, in order after the answers that are still due. */
  refuseFault(error: NodeJS.ErrnoException, socket: Duplex): void {
    const { requestMs, checkMs } = this.options.limits
    const fault = parserFault(error, () => this.#stalls.within(requestMs + checkMs))
    if (fault === null) {
      socket.destroy()
      return
    }
    const refused = refusedByParser(fault)
    const connection = this.#connectionOf(socket)
    if (connection.breakBody?.(refused) || connection.closing) return
    this.#refuseSocket(connection, refused)
  }

  refuseTunnel(socket: Duplex): void {
    const refused = httpFault(405, 'This server is no proxy.', { allow: 'POST', close: true })
    this.#refuseSocket(this.#connectionOf(socket), refused)
  }

  stop(): void {
    clearTimeout(this.#sweep ?? undefined)
    this.#stalls.stop()
  }

  /** Check 1 and its route. */
  async #answer(exchange: Exchange, place: Place): Promise<void> {
    const { request } = exchange
    const framing = checkFraming(request, this.options.limits.headerBytesMax)
    if (framing !== null) return exchange.refuse(framing)
    const route = findRoute(request.method ?? '', request.url ?? '', this.#isServed)
    if (route.kind === 'page') exchange.endpoint = route.page
    if (route.kind !== 'partner') {
      if (place.ahead >= this.options.limits.pagesAheadMax) return exchange.cut('pipelined')
      // Requests without a signature wait for POS calls, and for the connection's answer before: the client may not be reading.
      await place.due
      await this.#turn()
      if (request.socket.destroyed) return
    }
    switch (route.kind) {
      case 'refused':
        return exchange.refuse(route.refused)
      case 'page':
        if (route.page === 'partner') return this.#partner!.show(exchange, route.path)
        return this.#pages.show(exchange, route.page, route.path)
      case 'partner':
        exchange.endpoint = route.endpoint
        exchange.trace = this.options.tracing?.receive(route.endpoint, request.headers) ?? null
        return takePartnerCall(exchange, route.endpoint, this.#service)
    }
  }

  /** A new exchange; null where its connection is already ending, so that no answer is possible. */
  #begin(request: IncomingMessage, response: ServerResponse): Exchange | null {
    const connection = this.#connectionOf(request.socket)
    if (connection.closing) {
      request.resume()
      return null
    }
    const exchange = new Exchange(request, response, connection, this.#frame)
    this.#open.add(exchange)
    this.#sweepLater()
    exchange.whenOver(() => this.#open.delete(exchange))
    return exchange
  }

  #connectionOf(socket: Duplex): Connection {
    let connection = this.#connections.get(socket)
    if (connection === undefined) {
      connection = new Connection(socket, this.options.limits.lingerMs)
      this.#connections.set(socket, connection)
    }
    return connection
  }

  #refuseSocket(connection: Connection, refused: Refused): void {
    const requestId = newRequestId()
    connection.refuse(refused, requestId)
    this.#record({
      requestId,
      endpoint: 'none',
      status: statusOf(refused),
      outcome: 'refused',
      code: refused.code,
      durationMs: 0,
      bytesIn: 0,
      bytesOut: 0,
      calculationId: null,
      cause: null,
    })
  }

  #sweepLater(): void {
    this.#sweep ??= setTimeout(() => {
      this.#sweep = null
      this.#cutSlowReaders()
      if (this.#open.size > 0) this.#sweepLater()
    }, this.options.limits.checkMs).unref()
  }

  /** Ends connections whose client has not taken its answer in time. */
  #cutSlowReaders(): void {
    const before = performance.now() - this.options.limits.answerMs
    for (const exchange of this.#open) {
      if (exchange.answeredAtMs !== null && exchange.answeredAtMs < before) exchange.connection.socket.destroy()
    }
  }

  #record(entry: ExchangeRecord): void {
    const { log, metrics, requests, nowMs } = this.options
    metrics.answered(entry)
    if (requests.isWatched && !pages.has(entry.endpoint)) requests.publish({ ...entry, atMs: nowMs() })
    const record = isOverload(entry) ? this.#overloadRecord(entry) : entry
    if (record !== null) log[levelOf(entry)](record, 'request')
  }
}

/** For a client that keeps sending and reads nothing. */
const tooManyAhead: Refused = { ...unavailable('pipelined'), close: true }

/** Probes ask for pages every few seconds: logged only at level debug. */
function levelOf({ endpoint, status, code }: ExchangeRecord): 'debug' | 'info' | 'warn' | 'error' {
  if (pages.has(endpoint)) return 'debug'
  if (status < 500) return 'info'
  return code === 'unavailable' ? 'warn' : 'error'
}

const pages: ReadonlySet<string> = new Set<Page>([
  'entry',
  'live',
  'ready',
  'openapi',
  'openapi-3.0',
  'signature-vectors',
  'docs',
  'programme-schema',
  'partner',
])
