import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestTrace } from '../telemetry/tracing.js'
import type { Connection, OpenExchange } from './connection.js'
import { errorBody, type Refused, refusalHeaders, statusOf } from './errors.js'
import { type LoggedOrigin, loggedField } from './logged.js'
import { declaredLength, requestIdOf } from './request.js'

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  /** For the log and the metrics: one of a small fixed set of words. */
  readonly outcome: string
  /** The error code; empty on success. */
  readonly code: string
  readonly close?: boolean
  readonly cause?: string
  /** For the log only: the field of a 4xx, with names of the contract only. */
  readonly field?: string
}

/** The facts of an exchange when its answer is sent, for the log and the metrics. */
export interface ExchangeRecord extends LoggedOrigin {
  readonly requestId: string
  readonly endpoint: string
  readonly status: number
  readonly outcome: string
  readonly code: string
  readonly durationMs: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly calculationId: string | null
  readonly cause: string | null
  readonly field?: string
  readonly traceId?: string
}

export interface ExchangeFrame {
  readonly bodyBytesMax: number
  readonly lingerMs: number
  /** The value of `Keep-Alive`: the time for which an idle connection stays open. */
  readonly keepAlive: string
  /** True when connections end after the answers that are due on them. */
  draining(): boolean
  record(record: ExchangeRecord): void
  /** Receives each answer to a call whose body is kept. */
  keep(exchange: Exchange, sent: SentBody, answer: Answer): void
}

/** The body of a call for the partner page, its beginning if `isCut`. */
export interface SentBody {
  readonly bytes: Buffer
  readonly isCut: boolean
  /** null: the body was not read. */
  venueId: string | null
  /** The signature was good. */
  isSigned: boolean
}

/** One request and its one answer: in every case exactly one answer is written and exactly one record is logged. */
export class Exchange implements OpenExchange {
  readonly requestId: string
  /** `performance.now()` when the head had arrived, and later when the body had. */
  arrivedAtMs = performance.now()
  endpoint = 'none'
  calculationId: string | null = null
  bytesIn = 0
  /** Reads member and place of the call: it costs time, and only the log needs it. */
  origin: (() => LoggedOrigin) | null = null
  trace: RequestTrace | null = null
  /** null: no partner page shows it. */
  sent: SentBody | null = null
  /** The client waits for `100 Continue` before it sends its body. */
  awaitsContinue = false
  /** Set when the answer is sent or no longer possible. */
  #answeredAtMs: number | null = null
  #isOver = false
  #onOver: (() => void)[] = []

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly connection: Connection,
    private readonly frame: ExchangeFrame,
  ) {
    this.requestId = requestIdOf(request)
    connection.begin(this)
    response.once('close', () => this.over())
    request.on('error', ignore)
    response.on('error', ignore)
  }

  /** The time at which the answer was handed over, or null before. */
  get answeredAtMs(): number | null {
    return this.#answeredAtMs
  }

  /** Runs a step once the exchange is over, with any end. */
  whenOver(step: () => void): void {
    if (this.#isOver) step()
    else this.#onOver.push(step)
  }

  sayContinue(): void {
    this.awaitsContinue = false
    this.response.writeContinue()
  }

  refuse(refused: Refused): void {
    const field = loggedField(refused.details?.['field'])
    this.send({
      status: statusOf(refused),
      contentType: 'application/json',
      body: errorBody(refused, this.requestId),
      headers: refusalHeaders(refused),
      outcome: outcomeOf(refused),
      code: refused.code,
      ...(refused.close === undefined ? {} : { close: refused.close }),
      ...(refused.cause === undefined ? {} : { cause: refused.cause }),
      ...(field === null ? {} : { field }),
    })
  }

  /** Writes the answer, and then its record, for which no POS waits; a second answer is dropped. */
  send(answer: Answer): void {
    if (this.#answeredAtMs !== null) return
    this.#answeredAtMs = performance.now()
    try {
      this.#write(answer)
    } finally {
      this.#keepRecord(answer, this.#answeredAtMs)
      if (this.sent !== null) this.frame.keep(this, this.sent, answer)
    }
  }

  /** Ends the connection at once, without an answer: bytes that have arrived are dropped. @param cause  for the log */
  cut(cause: string): void {
    this.#answeredAtMs = performance.now()
    this.connection.closing = true
    this.connection.socket.destroy()
    this.#keepRecord({ status: 0, outcome: 'refused', code: 'unavailable', body: '', cause }, this.#answeredAtMs)
  }

  #write(answer: Answer): void {
    const { request, response } = this
    const close = this.#closesWith(answer)
    response.writeHead(answer.status, {
      'Content-Type': answer.contentType,
      ...lengthOf(answer),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': this.requestId,
      ...answer.headers,
      ...(this.trace === null ? {} : { traceresponse: this.trace.context }),
      ...(close
        ? { Connection: 'close' }
        : response.shouldKeepAlive
          ? { Connection: 'keep-alive', 'Keep-Alive': this.frame.keepAlive }
          : {}),
    })
    if (close) this.connection.closing = true
    if (close && !request.complete) this.#endAfterBody(answer.body)
    else response.end(answer.body)
  }

  over(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#answeredAtMs === null && !this.request.complete) {
      this.#answeredAtMs = performance.now()
      this.#keepRecord({ status: 0, outcome: 'aborted', code: '', body: '' }, this.#answeredAtMs)
    }
    for (const step of this.#onOver) step()
    this.#onOver = []
    this.trace?.end()
    this.connection.end(this)
  }

  /**
   * True when the connection ends with this answer: on request, while draining, or because the rest of the request is too much to skip.
   * Answers still due to requests after this one on the same connection are waited for.
   */
  #closesWith(answer: Answer): boolean {
    if (answer.close || (this.frame.draining() && this.connection.isNewest(this))) return true
    if (this.request.complete) return false
    const declared = declaredLength(this.request)
    return this.awaitsContinue || declared === null || declared > this.frame.bodyBytesMax
  }

  /** Writes the whole answer, but closes only when the rest of the body has come, or after a moment. */
  #endAfterBody(body: Uint8Array | string): void {
    const { request, response } = this
    response.write(body)
    const end = () => {
      clearTimeout(timer)
      response.end()
    }
    const timer = setTimeout(end, this.frame.lingerMs)
    request.once('end', end)
    this.whenOver(() => clearTimeout(timer))
    request.resume()
  }

  #keepRecord(
    answer: Pick<Answer, 'status' | 'outcome' | 'code' | 'body' | 'cause' | 'field'>,
    answeredAtMs: number,
  ): void {
    this.frame.record({
      requestId: this.requestId,
      endpoint: this.endpoint,
      status: answer.status,
      outcome: answer.outcome,
      code: answer.code,
      durationMs: Math.round((answeredAtMs - this.arrivedAtMs) * 100) / 100,
      bytesIn: this.bytesIn,
      bytesOut: Buffer.byteLength(answer.body),
      calculationId: this.calculationId,
      cause: answer.cause ?? null,
      ...this.origin?.(),
      ...(answer.field === undefined ? {} : { field: answer.field }),
      ...(this.trace === null ? {} : { traceId: this.trace.traceId }),
    })
    this.trace?.answered({ ...answer, requestId: this.requestId, calculationId: this.calculationId })
  }
}

function lengthOf({ status, body }: Answer): Readonly<Record<string, number>> {
  return status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) }
}

function outcomeOf(refused: Refused): string {
  if (refused.code === 'unavailable') return 'unavailable'
  return refused.code === 'internal_error' ? 'failed' : 'refused'
}

function ignore(): void {}
