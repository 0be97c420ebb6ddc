import type { MemberFacts } from '../../../engine/core/base/basket.js'
import { createMemberIdentities, readMember } from '../../../engine/programme/read-member.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'
import type { Member } from '../../gen/loyalty/v1/member_service_pb.js'
import type { Venue } from '../../gen/loyalty/v1/venue_service_pb.js'
import { venueFromMessage } from '../services/venue-service.js'
import { FieldChecks } from './fields.js'
import { readPart } from './programme-fields.js'

/** A venue that need not exist, by the rules of the programme; null: none is supposed. */
export function venueSupposed(venue: Venue | undefined): StoredVenue | null {
  return venue === undefined ? null : venueFromMessage(venue)
}

/** A member that need not exist: undefined where none is supposed, null where it is blocked. Its loyalty ids do not matter. */
export function memberSupposed(member: Member | undefined): MemberFacts | null | undefined {
  if (member === undefined) return undefined
  const { memberId, tier, segments, blocked } = member
  const part = {
    memberId,
    loyaltyIds: ['supposed'],
    tier,
    segments: segments.length === 0 ? undefined : segments,
    blocked,
  }
  const read = readPart('member', part, (place) => readMember(place, createMemberIdentities()))
  return read.blocked ? null : { memberId: read.memberId, tier: read.tier, segments: read.segments }
}

/** Amounts by currencyId, 0 to 2^53 - 1; null: none are supposed. */
export function balancesSupposed(balances: Readonly<Record<string, bigint>>): Readonly<Record<string, number>> | null {
  const entries = Object.entries(balances)
  const checks = new FieldChecks()
  for (const [currencyId, amount] of entries) {
    const isAmount = amount >= 0n && amount <= Number.MAX_SAFE_INTEGER
    checks.id('balances', currencyId).expect(`balances[${currencyId}]`, isAmount, '0 to 2^53 - 1', String(amount))
  }
  checks.done()
  return entries.length === 0 ? null : Object.fromEntries(entries.map(([id, amount]) => [id, Number(amount)]))
}
