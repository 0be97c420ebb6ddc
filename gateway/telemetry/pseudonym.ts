import { createHmac } from 'node:crypto'

export type MemberMark = (loyaltyId: string) => string

/**
 * Marks members for the log: the first 16 hex digits of HMAC-SHA256 over the day (UTC) and the loyalty id. All records of a member on one
 * day have one mark, found with the key and the id (`lps log-member`); without the key a mark reveals no member, and records of two days
 * cannot be connected.
 *
 * @param key    bytes that only this service's gateways and their operators have
 * @param nowMs  wall clock, milliseconds since the epoch
 */
export function createMemberMark(key: string | Uint8Array, nowMs: () => number): MemberMark {
  return (loyaltyId) =>
    createHmac('sha256', key)
      .update(`${new Date(nowMs()).toISOString().slice(0, dayCharacters)}\n`)
      .update(loyaltyId)
      .digest('hex')
      .slice(0, markDigits)
}

const dayCharacters = 10
const markDigits = 16
