import { createHmac } from 'node:crypto'

export type MemberMark = (loyaltyId: string) => string

/**
 * Marks members for the log: HMAC-SHA256 over the day (UTC) and the loyalty id, 16 hex digits of it. All records of a member on one day carry one mark, so that whoever has
 * the key and the id finds them (`lps log-member`); without the key nobody learns who it is, and records of two days cannot be put together.
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
