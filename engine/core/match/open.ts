import type { Basket, MemberFacts, VenueFacts } from '../base/basket.js'
import type { Benefit, ScheduleWindow } from '../base/programme.js'
import { type AudienceSets, isAudience } from './audience.js'
import { isScheduled, type WallClock } from './calendar.js'
import type { CompiledBenefit } from './compile.js'

/** Who asks, where and when (3-benefits 1). */
export interface Occasion {
  readonly basket: Pick<Basket, 'requestedAt' | 'channel'>
  readonly member: MemberFacts
  readonly venue: VenueFacts
  /** The venue's wall clock at `requestedAt`; computed only if needed. */
  readonly clock: () => WallClock
}

/** When and where a benefit or rule is open. */
export type OpeningTerms = Pick<Benefit, 'validFrom' | 'validUntil' | 'channels' | 'schedule'>

/** Whether a benefit is open to this member here and now, for any basket. */
export function isOpen(compiled: CompiledBenefit, occasion: Occasion): boolean {
  return isOpenBy(compiled.benefit, compiled, occasion)
}

/** The same for any opening terms. */
export function isOpenBy(
  { validFrom, validUntil, channels, schedule }: OpeningTerms,
  sets: AudienceSets & Pick<CompiledBenefit, 'venueIds'>,
  occasion: Occasion,
): boolean {
  const { basket, venue } = occasion
  if (validFrom !== null && basket.requestedAt < validFrom) return false
  if (validUntil !== null && basket.requestedAt >= validUntil) return false
  if (sets.venueIds !== null && !sets.venueIds.has(venue.venueId)) return false
  if (channels !== null && !channels.includes(basket.channel)) return false
  return isAudience(sets, occasion) && isAtTime(schedule, occasion.clock)
}

/** Whether a schedule is open; absent: always. */
export function isAtTime(schedule: readonly ScheduleWindow[] | null, clock: () => WallClock): boolean {
  return schedule === null || isScheduled(schedule, clock())
}
