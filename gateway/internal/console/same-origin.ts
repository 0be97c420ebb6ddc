import type { AnyRequest } from '../response.js'

/** A page of another origin needs a preflight to send this header, and this listener refuses preflights. */
const consoleHeader = 'x-loyalty-console'

/**
 * True when a request with a session cookie comes from a page of this origin: it has the console's header, and the browser's Origin fits
 * the host of the request. Schemes are not compared: TLS may end before us.
 */
export function isFromConsole(request: AnyRequest): boolean {
  const { headers, method } = request
  if (headers[consoleHeader] === undefined) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  // Browsers send Origin with everything but plain reads; with a plain read over plain HTTP they may send nothing.
  if (origin === undefined) return method === 'GET'
  return URL.canParse(origin) && new URL(origin).host === hostOf(request)
}

/** A cookie set by TLS is sent only by TLS. */
export function isByTls({ headers }: AnyRequest): boolean {
  return headers.origin?.startsWith('https:') ?? false
}

function hostOf({ headers }: AnyRequest): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : headers.host
}
