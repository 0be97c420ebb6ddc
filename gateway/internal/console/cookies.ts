import type { AnyRequest } from '../response.js'
import { isByTls } from './same-origin.js'

export function readCookie({ headers }: AnyRequest, name: string): string | null {
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

/**
 * Name of the session's cookie. Browsers accept the prefix only by TLS and from this host, so other hosts of the domain cannot set a
 * session.
 */
export function sessionCookie(secure: boolean): string {
  return secure ? '__Host-loyalty_console' : 'loyalty_console'
}

/** The session that a request names; null: none. By TLS a cookie without the prefix is ignored. */
export function readSessionCookie(request: AnyRequest): string | null {
  const plain = isByTls(request) ? null : readCookie(request, sessionCookie(false))
  return readCookie(request, sessionCookie(true)) ?? plain
}
