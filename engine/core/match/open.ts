import type { Basket, MemberFacts, VenueFacts } from '../base/basket.js'
import type { Benefit, ScheduleWindow } from '../base/programme.js'
import { type AudienceSets, isAudience } from './audience.js'
import { isScheduled, type WallClock } from './calendar.js'
import type { CompiledBenefit } from './compile.js'

export interface Occasion {
  readonly basket: Pick<Basket, 'requestedAt' | 'channel'>
  readonly member: MemberFacts
  readonly venue: VenueFacts
  /** The venue's wall clock at `requestedAt`; computed only if needed. */
  readonly clock: () => WallClock
}

export type OpeningTerms = Pick<Benefit, 'validFrom' | 'validUntil' | 'channels' | 'schedule'>

export function isOpen(compiled: CompiledBenefit, occasion: Occasion): boolean {
  return isOpenBy(compiled.benefit, compiled, occasion)
}

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
