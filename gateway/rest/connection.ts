import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody, httpFault, type Refused, statusOf } from './errors.js'

/** An exchange as its connection sees it. */
export interface OpenExchange {
  /** The connection is gone, or the answer is out: nothing more can be said. */
  over(): void
}

/** One client connection: the exchanges open on it, and how it ends. */
export class Connection {
  readonly #open = new Set<OpenExchange>()
  #newest: OpenExchange | null = null
  #lastWords: string | null = null
  /** Set while a body is being read: takes the fault that ends it; false where the body is whole already. */
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
   * Answers what Node could not make a request of, in its place after the answers that are still due, and closes. What
   * still arrives is read and thrown away for a moment: a reset would take the answer with it.
   */
  refuse(refused: Refused, requestId: string): void {
    this.closing = true
    this.#lastWords = rawAnswer(refused, requestId)
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

/** What a fault of Node's parser or timers means to the client; null: nobody is there to answer, or it is not HTTP. */
export function refusedByParser(error: NodeJS.ErrnoException): Refused | null {
  const { code = '' } = error
  if (code === 'HPE_HEADER_OVERFLOW') return httpFault(431, 'The request head is too large.', { close: true })
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return httpFault(413, 'The chunk extensions are too large.', { close: true })
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return httpFault(408, 'The request took too long to arrive.', { close: true })
  if (code.startsWith('HPE_')) return httpFault(400, 'This is not HTTP/1.1 as RFC 9112 has it.', { close: true })
  return null
}

/** An id for an answer to something that carried none. */
export function newRequestId(): string {
  return randomUUID()
}

function rawAnswer(refused: Refused, requestId: string): string {
  const status = statusOf(refused)
  const body = errorBody(refused, requestId)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    ...(refused.allow === undefined ? [] : [`Allow: ${refused.allow}`]),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
