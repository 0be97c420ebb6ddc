import type { IncomingHttpHeaders } from 'node:http'

/** A request of HTTP/1.1 or HTTP/2. */
interface Headed {
  readonly headers: IncomingHttpHeaders
  readonly method?: string | undefined
  readonly socket: object
}

export function readCookie({ headers }: Headed, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([one]) => one === name)?.[1] ?? null
}

interface CookieTerms {
  /** 0: the browser drops it. */
  readonly maxAgeS: number
  /** Strict: sent with no request that another site's page or link starts. Lax: sent with its links. */
  readonly sameSite: 'Strict' | 'Lax'
  readonly secure: boolean
}

/** A Set-Cookie header that scripts cannot read. */
export function cookieHeader(name: string, value: string, { maxAgeS, sameSite, secure }: CookieTerms): string {
  const end = secure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${end}`
}

/** Sessions of one kind of page. */
export type SessionName = 'loyalty_console' | 'loyalty_partner'

/** Sets a session, or with an empty value ends it; never sent with requests from other sites. */
export function sessionHeader(request: Headed, name: SessionName, value: string, lifetimeS: number): string {
  const secure = isByTls(request)
  const maxAgeS = value === '' ? 0 : lifetimeS
  return cookieHeader(sessionCookie(name, secure), value, { maxAgeS, sameSite: 'Strict', secure })
}

/** Browsers accept the prefix only by TLS and from this host, so other hosts of the domain cannot set a session. */
export function sessionCookie(name: SessionName, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}

/** The session that a request names; null: none. By TLS a cookie without the prefix is ignored. */
export function readSession(request: Headed, name: SessionName): string | null {
  const plain = isByTls(request) ? null : readCookie(request, sessionCookie(name, false))
  return readCookie(request, sessionCookie(name, true)) ?? plain
}

/** True when a browser sent a request for a page of this origin. Schemes are not compared: TLS may end before us. */
export function isSameOrigin({ headers, method }: Headed): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  // Browsers send Origin with everything but plain reads; with a plain read over plain HTTP they may send nothing.
  if (origin === undefined) return method === 'GET'
  return URL.canParse(origin) && new URL(origin).host === hostOf(headers)
}

/** A cookie set by TLS is sent only by TLS. */
function isByTls({ headers, socket }: Headed): boolean {
  return 'encrypted' in socket || headers.origin?.startsWith('https:') === true
}

function hostOf(headers: IncomingHttpHeaders): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : headers.host
}
