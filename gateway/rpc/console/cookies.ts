import type { AnyRequest } from '../response.js'
import { isByTls } from './same-origin.js'

export function readCookie({ headers }: AnyRequest, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([one]) => one === name)?.[1] ?? null
}

interface CookieTerms {
  /** 0: the browser drops it. */
  readonly maxAgeS: number
  /** Strict: no other site's link or page ever sends it. Lax: links do. */
  readonly sameSite: 'Strict' | 'Lax'
  readonly secure: boolean
}

/** A Set-Cookie header: out of reach of scripts. */
export function cookieHeader(name: string, value: string, { maxAgeS, sameSite, secure }: CookieTerms): string {
  const end = secure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${end}`
}

/** Of the session. The prefix keeps other hosts of the domain from planting a session of their own: browsers take it by TLS alone. */
export function sessionCookie(secure: boolean): string {
  return secure ? '__Host-loyalty_console' : 'loyalty_console'
}

/** The session that a request names; null: none. Where the browser reached us by TLS one without the prefix counts for nothing. */
export function readSessionCookie(request: AnyRequest): string | null {
  const plain = isByTls(request) ? null : readCookie(request, sessionCookie(false))
  return readCookie(request, sessionCookie(true)) ?? plain
}
