import { createHash, timingSafeEqual } from 'node:crypto'
import type { Token } from '../config/config.js'

/** A caller: the role of the token, or of the person's groups, and a name for audit records that reveals nothing of the token. */
export interface Caller {
  readonly role: Token['role']
  /** The role and the first 8 hex digits of the token's SHA-256, such as `admin-3f2a91c0`; for a person as in `Person`. */
  readonly name: string
}

/** The caller of an Authorization header; null: no valid token. */
export type TokenCheck = (authorization: readonly string[]) => Caller | null

/**
 * Compares bearer tokens in constant time: it compares digests of equal length, and all of them, so that the time reveals neither length,
 * prefix nor place. More than one header is refused.
 */
export function createTokenCheck(tokens: readonly Token[]): TokenCheck {
  const known = tokens.map(({ role, token }) => {
    const digest = digestOf(token)
    return { digest, caller: { role, name: `${role}-${Buffer.from(digest).toString('hex', 0, nameBytes)}` } }
  })
  return (authorization) => {
    const sent = authorization.length === 1 ? bearer.exec(authorization[0]!)?.[1] : undefined
    if (sent === undefined) return null
    const digest = digestOf(sent)
    let found: Caller | null = null
    for (const one of known) {
      if (timingSafeEqual(one.digest, digest)) found = one.caller
    }
    return found
  }
}

const bearer = /^bearer ([\x21-\x7e]+)$/i
const nameBytes = 4

function digestOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
