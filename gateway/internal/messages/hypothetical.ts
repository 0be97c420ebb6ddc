import type { MemberFacts } from '../../../engine/core/base/basket.js'
import { createMemberIdentities, readMember } from '../../../engine/programme/read-member.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'
import type { Member } from '../../gen/loyalty/v1/member_service_pb.js'
import type { Venue } from '../../gen/loyalty/v1/venue_service_pb.js'
import { venueFromMessage } from '../services/venue-service.js'
import { FieldChecks } from './fields.js'
import { partFromMember } from './member-part.js'
import { readPart } from './programme-fields.js'

/** A venue that need not exist, by the rules of the programme; null: not given. */
export function venueSupposed(venue: Venue | undefined): StoredVenue | null {
  return venue === undefined ? null : venueFromMessage(venue)
}

/**
 * A member that need not exist: undefined where none is given, null where it is blocked. Its loyalty ids do not matter; it has no visits.
 */
export function memberSupposed(member: Member | undefined): MemberFacts | null | undefined {
  if (member === undefined) return undefined
  const part = { ...partFromMember(member), loyaltyIds: ['supposed'] }
  const { loyaltyIds, blocked, ...facts } = readPart('member', part, (place) =>
    readMember(place, createMemberIdentities()),
  )
  return blocked ? null : { ...facts, visits: 0, lastVisitAt: null }
}

/** Amounts by currencyId, 0 to 2^53 - 1; null: not given. */
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
