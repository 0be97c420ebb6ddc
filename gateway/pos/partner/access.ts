import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds until a POS developer signs in again: as at the console. */
export const partnerSessionS = 12 * 3_600

/**
 * The key of a venue for the partner page: `<venueId>.<43 characters>`. It is made of LOYALTY_PARTNER_KEY and never of a signing secret,
 * which the POSs of all venues share.
 */
export function partnerKey(rootKey: string, venueId: string): string {
  return `${venueId}.${mac(rootKey, ['key', venueId])}`
}

/** The venue of a key; null: it is none. */
export function venueOfKey(rootKey: string, key: string): string | null {
  const venueId = key.slice(0, key.lastIndexOf('.'))
  return isEqual(key, partnerKey(rootKey, venueId)) ? venueId : null
}

/** A session that every gateway with the same key knows, also after a restart. @param nowMs  milliseconds since the epoch */
export function beginSession(rootKey: string, venueId: string, nowMs: number): string {
  return sessionOf(rootKey, venueId, Math.floor(nowMs / 1_000) + partnerSessionS)
}

/** The venue of a session; null: it is none, or has ended. */
export function venueOfSession(rootKey: string, session: string, nowMs: number): string | null {
  const [name = '', endsAt = ''] = session.split('.')
  const venueId = Buffer.from(name, 'base64url').toString()
  const endsAtS = Number(endsAt)
  return isEqual(session, sessionOf(rootKey, venueId, endsAtS)) && endsAtS > nowMs / 1_000 ? venueId : null
}

function sessionOf(rootKey: string, venueId: string, endsAtS: number): string {
  return `${Buffer.from(venueId).toString('base64url')}.${endsAtS}.${mac(rootKey, ['session', venueId, endsAtS])}`
}

function mac(rootKey: string, parts: readonly unknown[]): string {
  return createHmac('sha256', rootKey).update(JSON.stringify(parts)).digest('base64url')
}

/** In a time that does not depend on where they differ. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
