import { createHmac, timingSafeEqual } from 'node:crypto'

/** A parsed POS-Signature header: `t` as its digits arrived, because they are part of the signed text (contract 5). */
export interface Signature {
  readonly t: string
  readonly digests: readonly Uint8Array[]
}

const headerCharactersMax = 4_096
const digestsMax = 8

/**
 * Reads `t=<unix seconds>,v1=<hex>` (contract 5; wire decisions 3): comma-separated `key=value` without spaces, exactly one
 * `t` of 1 to 12 digits, one to eight `v1` of 64 hex digits in either case, unknown keys skipped. Anything else is null.
 */
export function readSignature(header: string): Signature | null {
  if (header.length > headerCharactersMax || !visible.test(header)) return null
  let t: string | null = null
  const digests: Uint8Array[] = []
  for (const part of header.split(',')) {
    const at = part.indexOf('=')
    if (at < 1) return null
    const key = part.slice(0, at)
    const value = part.slice(at + 1)
    if (key === 't') {
      if (t !== null || !digits.test(value)) return null
      t = value
    } else if (key === 'v1') {
      if (digests.length === digestsMax || !sha256Hex.test(value)) return null
      digests.push(Buffer.from(value, 'hex'))
    }
  }
  return t !== null && digests.length > 0 ? { t, digests } : null
}

const visible = /^[\x21-\x7e]+$/
const digits = /^[0-9]{1,12}$/
const sha256Hex = /^[0-9a-fA-F]{64}$/

/**
 * True when any digest is HMAC-SHA256 of `<t>.<body>` under any secret (contract 5). Every secret is tried against every digest in
 * constant time, so that the time reveals neither a near miss nor the matching secret.
 */
export function verifySignature(signature: Signature, body: Uint8Array, secrets: readonly Uint8Array[]): boolean {
  let matches = 0
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${signature.t}.`).update(body).digest()
    for (const digest of signature.digests) matches |= timingSafeEqual(expected, digest) ? 1 : 0
  }
  return matches === 1
}

/** The window either way of the server's clock, in seconds (contract 8). */
export const signatureWindowS = 300

/** Check 6: true when `t` is outside the window around `nowMs`, milliseconds since the epoch; the second counts as a whole. */
export function isStale(signature: Signature, nowMs: number): boolean {
  return Math.abs(Math.floor(nowMs / 1000) - Number(signature.t)) > signatureWindowS
}
