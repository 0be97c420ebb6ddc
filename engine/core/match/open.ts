import type { Basket, MemberFacts, VenueFacts } from '../base/basket.js'
import type { Benefit, ScheduleWindow } from '../base/programme.js'
import { type AudienceSets, isAudience } from './audience.js'
import { isScheduled, type WallClock } from './calendar.js'
import type { CompiledBenefit } from './compile.js'

export interface Occasion {
  readonly basket: Pick<Basket, 'requestedAt' | 'channel' | 'supersedes'>
  readonly member: MemberFacts
  readonly venue: VenueFacts
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

export function isAtTime(schedule: readonly ScheduleWindow[] | null, clock: () => WallClock): boolean {
  return schedule === null || isScheduled(schedule, clock())
}

/** A term by which a benefit is open or not (3-benefits 1; 4-member-value 2). One that is not enabled is not compiled. */
export type OpeningTerm =
  | 'valid_from'
  | 'valid_until'
  | 'venue_ids'
  | 'channels'
  | 'schedule'
  | 'member_ids'
  | 'tiers'
  | 'segments'
  | 'visits'
  | 'birthday'
  | 'anniversary'
  | 'joined_within_days'
  | 'last_visit'
  | 'balances'

type Terms = OpeningTerms & AudienceSets & Pick<CompiledBenefit, 'venueIds'>

const always: Terms = {
  validFrom: null,
  validUntil: null,
  channels: null,
  schedule: null,
  venueIds: null,
  memberIds: null,
  tiers: null,
  segments: null,
  others: null,
}

/** The terms that keep a benefit closed, each judged without the others as `isOpenBy` judges it; none: it is open. */
export function closedBy(compiled: CompiledBenefit, occasion: Occasion): readonly OpeningTerm[] {
  return Object.entries(termsOf(compiled)).flatMap(([term, alone]) => {
    const terms = { ...always, ...alone }
    return isOpenBy(terms, terms, occasion) ? [] : [term as OpeningTerm]
  })
}

function termsOf(compiled: CompiledBenefit): Readonly<Record<OpeningTerm, Partial<Terms>>> {
  const { venueIds, memberIds, tiers, segments, others } = compiled
  const { validFrom, validUntil, channels, schedule } = compiled.benefit
  const { visits, birthday, anniversary, joinedWithinDays, lastVisit, balances } = others ?? {}
  return {
    valid_from: { validFrom },
    valid_until: { validUntil },
    venue_ids: { venueIds },
    channels: { channels },
    schedule: { schedule },
    member_ids: { memberIds },
    tiers: { tiers },
    segments: { segments },
    visits: visits === undefined ? {} : { others: { visits } },
    birthday: birthday === undefined ? {} : { others: { birthday } },
    anniversary: anniversary === undefined ? {} : { others: { anniversary } },
    joined_within_days: joinedWithinDays === undefined ? {} : { others: { joinedWithinDays } },
    last_visit: lastVisit === undefined ? {} : { others: { lastVisit } },
    balances: balances === undefined ? {} : { others: { balances } },
  }
}
