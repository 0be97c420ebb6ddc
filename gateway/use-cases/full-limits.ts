import type { VenueTime } from '../../engine/core/base/basket.js'
import { dayOfMoment, periodName } from '../../engine/core/match/calendar.js'
import { birthdayName } from '../../engine/core/match/yearly-date.js'
import type { LimitOfBenefit } from '../../engine/index.js'
import type { PeriodsOfLimit, TakenCounter } from '../../store/ledger/counters.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import { createLasting, type Lasting } from './limit-pace.js'

/** Percent of a limit from which it is nearly full, and from which it is looked whether it will be soon. */
const fullFrom = 80
const lookedAtFrom = 5
const lookedAtMax = 1_000
/** A limit that runs out within this time is shown, however full it is. */
const dayMs = 86_400_000
const soonMs = dayMs

export interface FullLimitParts {
  readonly adminLedger: Pick<AdminLedger, 'counters' | 'clock' | 'venues'>
  readonly facts: Pick<LookupCache, 'limits' | 'findVenue'>
}

export interface FullLimit extends TakenCounter, Lasting {
  readonly limit: LimitOfBenefit
}

/** At every moment each venue has the day of one of these. */
const everyDay: readonly VenueTime[] = [
  { timeZone: 'Pacific/Kiritimati' },
  { timeZone: 'UTC' },
  { timeZone: 'Etc/GMT+12' },
  { timeZone: 'Etc/GMT+12', dayStartsAt: 1_439 },
]

/** The birthday of a window is less than this away, or they are another period. */
const birthdayDaysMax = 180

/** Names of the period of a limit at a moment, one for each day that it is at some venue. */
export function periodsNow({ period }: Pick<LimitOfBenefit, 'period'>, now: number): readonly string[] {
  if (period === 'birthday') {
    const today = Math.floor(now / dayMs)
    return Array.from({ length: 2 * birthdayDaysMax + 1 }, (_, at) => birthdayName(today - birthdayDaysMax + at))
  }
  return [...new Set(everyDay.map((time) => periodName(period, dayOfMoment(now, time))))]
}

/** Limits for everyone or a venue, with their present periods. */
export function sharedLimits(limits: Iterable<LimitOfBenefit>, now: number): readonly PeriodsOfLimit[] {
  return [...limits]
    .filter(({ scope }) => scope !== 'member')
    .map((limit) => ({
      limitId: limit.limitId,
      isOfVenue: limit.scope === 'venue',
      periods: periodsNow(limit, now),
    }))
}

/**
 * Limits for everyone or a venue with 80 % or more used or held in their present period, or that will run out within a day at their
 * present pace; the fullest first.
 *
 * @param venueId  only limits of this venue, and those for everyone; empty: of all venues
 */
export async function findFullLimits(
  parts: FullLimitParts,
  venueId: string,
  max: number,
): Promise<readonly FullLimit[]> {
  const { adminLedger, facts } = parts
  const now = adminLedger.clock()
  const shared = sharedLimits(facts.limits.values(), now)
  if (shared.length === 0) return []
  const asked = shared.map((limit) => {
    const maximum = facts.limits.get(limit.limitId)?.maximum ?? 0
    return { ...limit, from: (maximum * lookedAtFrom) / 100, maximum }
  })
  const lastingOf = createLasting(parts, now)
  const full: FullLimit[] = []
  for (const counter of await adminLedger.counters.findTaken(asked, lookedAtMax)) {
    const limit = facts.limits.get(counter.limitId)
    if (limit === undefined || (venueId !== '' && limit.scope === 'venue' && counter.subject !== venueId)) continue
    const lasting = await lastingOf(limit, counter)
    if (lasting === null) continue
    const isNear = lasting.runsOut !== null && lasting.runsOut - now <= soonMs
    if (isNear || counter.taken * 100 >= limit.maximum * fullFrom) full.push({ ...counter, ...lasting, limit })
  }
  return full.sort((left, right) => share(right) - share(left)).slice(0, max)
}

function share({ taken, limit: { maximum } }: FullLimit): number {
  return maximum === 0 ? 1 : taken / maximum
}
