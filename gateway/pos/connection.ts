import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { type ParserFault, rawAnswer } from '../listeners/parser-faults.js'
import { errorBody, httpFault, type Refused, refusalHeaders, statusOf, unavailable } from './errors.js'

/** An exchange as its connection sees it. */
export interface OpenExchange {
  /** The connection is gone, or the answer is sent: no further answer is possible. */
  over(): void
}

/** One client connection: the exchanges open on it, and how it ends. */
export class Connection {
  readonly #open = new Set<OpenExchange>()
  #newest: OpenExchange | null = null
  #lastWords: string | null = null
  /** Set while a body is being read: takes the fault that ends it; false where the body is complete. */
  breakBody: ((refused: Refused) => boolean) | null = null
  /** No further request is taken: an answer that ends the connection is on its way. */
  closing = false

  constructor(
    readonly socket: Duplex,
    readonly lingerMs: number,
  ) {
    socket.once('close', () => {
      for (const exchange of this.#open) exchange.over()
    })
  }

  begin(exchange: OpenExchange): void {
    this.#open.add(exchange)
    this.#newest = exchange
  }

  end(exchange: OpenExchange): void {
    this.#open.delete(exchange)
    if (this.#open.size === 0 && this.#lastWords !== null) this.#hangUp()
  }

  isNewest(exchange: OpenExchange): boolean {
    return this.#newest === exchange
  }

  /**
   * Answers bytes that Node could not parse as a request, in order after the answers that are still due, and closes. Further bytes are
   * read and dropped for a moment: a reset would destroy the answer.
   */
  refuse(refused: Refused, requestId: string): void {
    this.closing = true
    this.#lastWords = bytesOf(refused, requestId)
    if (this.#open.size === 0) this.#hangUp()
  }

  #hangUp(): void {
    const { socket } = this
    const words = this.#lastWords
    this.#lastWords = null
    if (words === null || !socket.writable) return
    socket.end(words)
    socket.resume()
    setTimeout(() => socket.destroy(), this.lingerMs).unref()
  }
}

export function refusedByParser({ status, message }: ParserFault): Refused {
  return status === 503
    ? { ...unavailable('stalled'), message, close: true }
    : httpFault(status, message, { close: true })
}

export function newRequestId(): string {
  return randomUUID()
}

function bytesOf(refused: Refused, requestId: string): string {
  return rawAnswer(statusOf(refused), errorBody(refused, requestId), {
    'X-Request-Id': requestId,
    ...refusalHeaders(refused),
  })
}
