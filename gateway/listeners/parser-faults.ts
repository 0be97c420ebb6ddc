import { STATUS_CODES } from 'node:http'

export interface ParserFault {
  readonly status: 400 | 408 | 413 | 431 | 503
  readonly message: string
}

/**
 * The answer to a fault of Node's parser or timers; null: no client is there to answer, or it is not HTTP.
 *
 * @param stoodStill  true after a pause of this process: then the client is not at fault for a late request
 */
export function parserFault({ code = '' }: NodeJS.ErrnoException, stoodStill: () => boolean): ParserFault | null {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'The request head is too large.' }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return { status: 413, message: 'The chunk extensions are too large.' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return stoodStill()
      ? { status: 503, message: 'The service was interrupted; try again.' }
      : { status: 408, message: 'The request took too long to arrive.' }
  }
  if (code.startsWith('HPE_')) return { status: 400, message: 'This is not HTTP/1.1 as RFC 9112 has it.' }
  return null
}

/** An answer in JSON as bytes for a socket without a response of Node's; the connection ends with it. */
export function rawAnswer(status: number, body: string, headers: Readonly<Record<string, string>>): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
