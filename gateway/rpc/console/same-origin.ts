import type { AnyRequest } from '../response.js'

/** A header that no page of another origin can send without a preflight, which this listener refuses. */
const consoleHeader = 'x-loyalty-console'

/**
 * Whether a request that a cookie vouches for comes from a page of this very origin: it bears the console's header, and what the browser
 * says of its origin fits the host that was asked. Schemes are not compared: TLS may end before us.
 */
export function isFromConsole(request: AnyRequest): boolean {
  const { headers, method } = request
  if (headers[consoleHeader] === undefined) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  // Browsers name the origin of whatever is no plain read; of a plain read over plain HTTP they may say nothing.
  if (origin === undefined) return method === 'GET'
  return URL.canParse(origin) && new URL(origin).host === hostOf(request)
}

/** Where the browser reached us by TLS, its cookie is for TLS alone. */
export function isByTls({ headers }: AnyRequest): boolean {
  return headers.origin?.startsWith('https:') ?? false
}

function hostOf({ headers }: AnyRequest): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : headers.host
}
