import type { Basket, MemberFacts, VenueFacts } from '../base/basket.js'
import { isScheduled, type WallClock } from './calendar.js'
import type { CompiledBenefit } from './compile.js'

/** Who asks, where and when: what decides whether a benefit is open (3-benefits 1). */
export interface Occasion {
  readonly basket: Pick<Basket, 'requestedAt' | 'channel'>
  readonly member: MemberFacts
  readonly venue: VenueFacts
  /** The venue's wall clock at `requestedAt`; read only where a benefit asks. */
  readonly clock: () => WallClock
}

/** Whether a benefit is open to this member here and now; what the basket holds does not matter yet. */
export function isOpen(compiled: CompiledBenefit, { basket, member, venue, clock }: Occasion): boolean {
  const { benefit, venueIds, tiers, segments, memberIds } = compiled
  const { validFrom, validUntil, channels, schedule } = benefit
  if (validFrom !== null && basket.requestedAt < validFrom) return false
  if (validUntil !== null && basket.requestedAt >= validUntil) return false
  if (venueIds !== null && !venueIds.has(venue.venueId)) return false
  if (channels !== null && !channels.includes(basket.channel)) return false
  if (memberIds !== null && !memberIds.has(member.memberId)) return false
  if (tiers !== null && (member.tier === null || !tiers.has(member.tier))) return false
  if (segments !== null && !member.segments.some((segment) => segments.has(segment))) return false
  return schedule === null || isScheduled(schedule, clock())
}
