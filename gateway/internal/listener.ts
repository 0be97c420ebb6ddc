import { setMaxListeners } from 'node:events'
import type http from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter, createContextValues, type MethodImpl } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { StoreFault } from '../../store/fault.js'
import type { Readiness } from '../background/upkeep.js'
import type { Certificate } from '../config/certificate.js'
import type { Address, Token } from '../config/config.js'
import { livePage, readinessPage } from '../listeners/health.js'
import { pageTurns } from '../listeners/limits.js'
import { listen, stopListening, takeInTurn } from '../listeners/listen.js'
import { type Place, takePlace } from '../listeners/pipeline.js'
import { createTlsServer } from '../listeners/tls.js'
import { createTurns } from '../listeners/turns.js'
import { atMostEvery } from '../telemetry/at-most-every.js'
import type { Log } from '../telemetry/log.js'
import { type Metrics, pageEveryMs } from '../telemetry/metrics.js'
import type { Tracing } from '../telemetry/tracing.js'
import { type Access, accessOf, callerKey, deadlineKey, mayCall } from './access.js'
import { type Caller, createTokenCheck } from './authentication.js'
import { byProtocol } from './by-protocol.js'
import { createGuard, endpointOf, resultOf, storeAway } from './call.js'
import { type BytesMaxOf, countBytes, createCallBounds, messageKey } from './call-limits.js'
import type { Console } from './console/console.js'
import type { Session } from './console/sessions.js'
import { createCors } from './cors.js'
import { type Documents, sendDocument } from './documents.js'
import { refusal } from './errors.js'
import { type InternalLimits, internalLimits } from './limits.js'
import { mendMalformed, type OnEarly } from './malformed.js'
import { type AnyRequest, type AnyResponse, refuseCall, sendPage } from './response.js'
import { createHttp1, createHttp2 } from './servers.js'
import { healthRoutes } from './services/health.js'
import { reflectionRoutes } from './services/reflection.js'
import { createStreamBounds } from './stream-bounds.js'
import { boundTimeout } from './timeouts.js'

export interface InternalOptions {
  readonly address: Address
  /** Other processes of this start do not share the address; default: they do. */
  readonly exclusive?: boolean
  readonly certificate: Certificate | null
  readonly tokens: readonly Token[]
  /** The console at `/console`; null or absent: not served. */
  readonly console?: Console | null
  readonly corsOrigins?: readonly string[]
  readonly readiness: () => Readiness
  /** Documents that need no token; none by default. */
  readonly documents?: Documents
  readonly routes: (router: ConnectRouter) => void
  readonly bytesMaxOf: BytesMaxOf
  readonly metrics: Metrics
  readonly tracing: Tracing | null
  readonly log: Log
  readonly limits?: Partial<InternalLimits>
}

export interface InternalListener {
  /** Resolves to the address it listens on, with its port; rejects with StartFault. */
  listen(): Promise<Address>
  /** Accepts no calls, lets running ones finish for a moment, then ends them. */
  drain(): Promise<void>
  close(): Promise<void>
}

/**
 * HTTP/1.1 and HTTP/2 on one port, with TLS or without: health and metrics without a token, everything else with one (wire decisions 7).
 */
export function createInternalListener(options: InternalOptions): InternalListener {
  const limits = { ...internalLimits, ...options.limits }
  const shutdown = new AbortController()
  // Every call in flight listens to this signal: more than ten are no leak.
  setMaxListeners(0, shutdown.signal)
  const answer = createAnswer(options, limits, shutdown.signal)
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<Duplex>()
  const http1 = createHttp1(answer, limits)
  const streamBounds = createStreamBounds(limits)
  const http2Server = createHttp2(answer, limits, { sessions, streamBounds })
  const hand = byProtocol(
    {
      http1: (socket) => http1.emit('connection', socket),
      http2: (socket) => http2Server.emit('connection', socket),
    },
    limits.headersMs,
  )
  const server = createServer(options, limits, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    hand(socket)
  })
  const cutWaiting = takeInTurn(server, () => (streamBounds.isStrained ? strainedMs : 0))

  function cut(): void {
    cutWaiting()
    for (const session of sessions) session.destroy()
    for (const socket of sockets) socket.destroy()
  }

  return {
    listen: () => listen(server, options.address, { setting: 'LOYALTY_GRPC', exclusive: options.exclusive ?? false }),
    async drain() {
      const closed = stopListening(server)
      shutdown.abort(new ConnectError('shutting down', Code.Unavailable))
      for (const session of sessions) session.close()
      http1.closeIdleConnections()
      const timer = setTimeout(cut, limits.drainMs)
      await closed
      clearTimeout(timer)
      http1.close()
    },
    async close() {
      const closed = stopListening(server)
      cut()
      await closed
      http1.close()
    },
  }
}

function createAnswer(options: InternalOptions, limits: InternalLimits, shutdownSignal: AbortSignal) {
  const { tokens, readiness, metrics, log, documents = null, console: served = null } = options
  const roleOf = createTokenCheck(tokens)
  const allowOrigin = createCors(options.corsOrigins ?? [])
  // As bytes, which all answers share: each answer waiting to be read would hold a copy of a text.
  const page = atMostEvery(pageEveryMs, async () => Buffer.from(await metrics.text()))
  const turn = createTurns(pageTurns)
  const bounds = createCallBounds(limits)
  const { access, calls, serve } = createServe(options, shutdownSignal)

  /** Requests without a token wait for POS calls, and over HTTP/1.1 for the connection's answer before: the client may not be reading. */
  async function comeInTurn(request: AnyRequest, place: Place | null): Promise<boolean> {
    await place?.due
    await turn()
    return !('stream' in request ? request.stream : request.socket).destroyed
  }

  async function answer(request: AnyRequest, response: AnyResponse): Promise<void> {
    const place = 'stream' in request ? null : takePlace(request.socket, response as http.ServerResponse)
    const authorization = authorizationOf(request)
    const byToken = roleOf(authorization)
    if (place !== null && byToken === null && place.ahead >= limits.pagesAheadMax) return void request.socket.destroy()
    if (place !== null && place.ahead >= limits.aheadMax) return refuseAhead(request, response, place, limits)
    if (byToken === null && !(await comeInTurn(request, place))) return
    const path = (request.url ?? '').split('?', 1)[0]!
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (reads && path === '/health/live') return sendPage(response, 200, 'application/json', livePage)
    if (reads && path === '/health/ready') {
      const state = readiness()
      return sendJson(response, state.ready ? 200 : 503, readinessPage(state))
    }
    if (reads && path === '/metrics') return sendPage(response, 200, metrics.contentType, await page())
    if (reads && documents !== null && (await sendDocument(request, response, { path, documents }))) return
    if (served !== null && (path === '/console' || path.startsWith('/console/'))) {
      return served.answer(request, response, path)
    }
    if (allowOrigin(request, response)) return
    const needed = access.get(path)
    const isByCookie = authorization.length === 0 && request.headers.cookie !== undefined
    const session = isByCookie ? await served?.sessionOf(request) : null
    const caller = isByCookie ? (session?.caller ?? null) : byToken
    const refused = mayCall(needed, caller) ?? bounds.enter(needed, caller, { request, response })
    if (refused !== null || needed === undefined) {
      const error = refused ?? refusal('UNIMPLEMENTED', 'no such path')
      const entry = { endpoint: needed === undefined ? 'none' : endpointOf(path), ...resultOf(error), durationMs: 0 }
      metrics.answered(entry)
      log.info({ ...entry, caller: caller?.name ?? 'nobody' }, 'call')
      return refuseCall(request, response, error)
    }
    const timeoutMs = boundTimeout(request, timesOf(needed, session, limits))
    const untilMs = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs
    calls.set(request, { caller, untilMs, message: bounds.receive(response) })
    serve(request, response)
  }

  return (request: AnyRequest, response: AnyResponse): void => {
    if ('stream' in request && request.stream.destroyed) return
    answer(request, response).catch((error: unknown) => {
      // Sessions of the console are in the ledger.
      if (error instanceof StoreFault && !response.headersSent) return refuseCall(request, response, storeAway(error))
      log.error({ err: error }, 'internal call failed')
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { code: 'internal', message: 'unexpected error' })
    })
  }
}

/** The services behind the listener: the access that each path needs, and caller and deadline of each request. */
function createServe(options: InternalOptions, shutdownSignal: AbortSignal) {
  const { readiness, routes, bytesMaxOf, log, metrics, tracing } = options
  const early = earlyRecord(options)
  const calls = new WeakMap<object, Call>()
  let access: ReadonlyMap<string, Access> = new Map()
  const serve = connectNodeAdapter({
    routes(router) {
      const bounded = boundedRouter(router, bytesMaxOf)
      healthRoutes(() => readiness().ready)(bounded)
      routes(bounded)
      reflectionRoutes(router)
      access = accessOf(router)
      for (const [path, { streams }] of access) if (!streams) metrics.serves(endpointOf(path))
      for (const [at, handler] of router.handlers.entries())
        router.handlers[at] = mendMalformed(countBytes(handler), early)
    },
    contextValues(request) {
      const { caller, untilMs, message } = calls.get(request)!
      const values = createContextValues().set(deadlineKey, untilMs).set(messageKey, message)
      return caller === null ? values : values.set(callerKey, caller)
    },
    interceptors: [createGuard({ log, metrics, tracing })],
    readMaxBytes: bytesMaxOf(''),
    // A misspelt name would be ignored without an error: a filter without effect, a flag that is not set.
    jsonOptions: { ignoreUnknownFields: false },
    // Unknown fields are used nowhere.
    binaryOptions: { readUnknownFields: false },
    shutdownSignal,
  })
  return { access, calls, serve }
}

interface Call {
  readonly caller: Caller | null
  readonly untilMs: number
  readonly message: ReturnType<ReturnType<typeof createCallBounds>['receive']>
}

function boundedRouter(router: ConnectRouter, bytesMaxOf: BytesMaxOf): ConnectRouter {
  const bounded: ConnectRouter = {
    handlers: router.handlers,
    rpc(method, implementation, options) {
      const readMaxBytes = bytesMaxOf(endpointOf(`/${method.parent.typeName}/${method.name}`))
      router.rpc(method, implementation, { ...options, readMaxBytes })
      return bounded
    },
    service(service, implementation) {
      const calls = implementation as Readonly<Record<string, MethodImpl<DescMethod>>>
      for (const method of service.methods) bounded.rpc(method, calls[method.localName]!)
      return bounded
    },
  }
  return bounded
}

/** Counts a call that ended before the guard had it, and writes its record. */
function earlyRecord({ log, metrics }: Pick<InternalOptions, 'log' | 'metrics'>): OnEarly {
  return ({ url, contextValues }, ended, durationMs) => {
    const result =
      typeof ended === 'number' ? { status: ended, outcome: 'refused', code: 'invalid_request' } : resultOf(ended)
    const entry = { endpoint: endpointOf(new URL(url).pathname), ...result, durationMs }
    metrics.answered(entry)
    const caller = contextValues?.get(callerKey).name
    log[result.outcome === 'aborted' ? 'debug' : 'info'](
      { ...entry, durationMs: Math.round(durationMs), caller },
      'call',
    )
  }
}

/** The first request too many ends the connection; later ones get no answer. */
function refuseAhead(request: AnyRequest, response: AnyResponse, { ahead }: Place, { aheadMax }: InternalLimits): void {
  request.resume()
  if (ahead === aheadMax)
    refuseCall(request, response, refusal('TOO_MANY_CALLS', 'too many requests wait on this connection'))
}

/** Bounds of a call's timeout: a stream ends with the session that began it. */
function timesOf({ streams }: Access, session: Session | null | undefined, { callMs, streamMs }: InternalLimits) {
  if (!streams) return { maxMs: callMs, defaultMs: callMs }
  if (session == null) return { maxMs: streamMs, defaultMs: null }
  const maxMs = Math.min(streamMs, Math.max(1, Math.ceil(session.endsAtMs - session.nowMs)))
  return { maxMs, defaultMs: maxMs }
}

/** Delay of each new connection after the one before while sessions are being reset, in milliseconds. */
const strainedMs = 200

function sendJson(response: AnyResponse, status: number, value: object): void {
  sendPage(response, status, 'application/json', JSON.stringify(value))
}

/** The Authorization headers as they arrived: Node keeps only the first of several. */
function authorizationOf(request: AnyRequest): readonly string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    if (request.rawHeaders[at]!.toLowerCase() === 'authorization') values.push(request.rawHeaders[at + 1]!)
  }
  return values
}

function createServer(options: InternalOptions, limits: InternalLimits, take: (socket: Duplex) => void): net.Server {
  const { certificate } = options
  const protocols = ['h2', 'http/1.1']
  const server =
    certificate === null
      ? net.createServer({ noDelay: true }, take)
      : createTlsServer(
          certificate,
          { protocols, handshakeMs: limits.headersMs, clientCa: certificate.clientCa },
          (options) => tls.createServer(options, take),
        )
  server.maxConnections = limits.connectionsMax
  return server
}
