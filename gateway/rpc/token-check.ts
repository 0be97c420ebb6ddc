import { createHash, timingSafeEqual } from 'node:crypto'
import type { Token } from '../config.js'

/** Whose token an Authorization header carries; null: nobody's. */
export type TokenCheck = (authorization: readonly string[]) => Token['role'] | null

/**
 * Compares bearer tokens in constant time: digests of equal length stand for the tokens, and every one is looked at, so that
 * neither length, prefix nor place shows in how long it took. More than one header is nobody's.
 */
export function createTokenCheck(tokens: readonly Token[]): TokenCheck {
  const known = tokens.map(({ role, token }) => ({ role, digest: digestOf(token) }))
  return (authorization) => {
    const sent = authorization.length === 1 ? bearer.exec(authorization[0]!)?.[1] : undefined
    if (sent === undefined) return null
    const digest = digestOf(sent)
    let found: Token['role'] | null = null
    for (const one of known) {
      if (timingSafeEqual(one.digest, digest)) found = one.role
    }
    return found
  }
}

const bearer = /^bearer ([\x21-\x7e]+)$/i

function digestOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
