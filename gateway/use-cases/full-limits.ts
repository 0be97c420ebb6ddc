import { periodName, wallClock } from '../../engine/core/match/calendar.js'
import type { LimitOfBenefit } from '../../engine/index.js'
import type { TakenCounter } from '../../store/ledger/counters.js'
import type { Ledger } from '../../store/ledger.js'
import type { Facts } from '../cache/facts.js'

/** Percent of a limit from which it is nearly full. */
const fullFrom = 80

export interface FullLimitParts {
  readonly ledger: Pick<Ledger, 'counters' | 'clock'>
  readonly facts: Pick<Facts, 'limits' | 'findVenue'>
}

export interface FullLimit extends TakenCounter {
  readonly limit: LimitOfBenefit
}

/** At every moment the local date is that of one of these. */
const everyDate = ['Pacific/Kiritimati', 'UTC', 'Etc/GMT+12']

/**
 * Limits for everyone or a venue of which 80 % or more is used or held in the period that it is there now, the fullest first.
 *
 * @param venueId  only those of this venue, and those for everyone; empty: of all venues
 */
export async function findFullLimits(
  { ledger, facts }: FullLimitParts,
  venueId: string,
  max: number,
): Promise<readonly FullLimit[]> {
  const now = ledger.clock()
  const shared = [...facts.limits.values()].filter(({ scope }) => scope !== 'member')
  if (shared.length === 0) return []
  const asked = shared.map(({ limitId, scope, period, maximum }) => ({
    limitId,
    isOfVenue: scope === 'venue',
    periods: [...new Set(everyDate.map((zone) => periodName(period, wallClock(now, zone))))],
    from: (maximum * fullFrom) / 100,
  }))
  const full: FullLimit[] = []
  for (const counter of await ledger.counters.findTaken(asked)) {
    const limit = facts.limits.get(counter.limitId)
    if (limit === undefined || (venueId !== '' && limit.scope === 'venue' && counter.subject !== venueId)) continue
    const zone = await zoneOf(facts, limit, counter.subject)
    if (zone === null || periodName(limit.period, wallClock(now, zone)) === counter.period)
      full.push({ ...counter, limit })
  }
  return full.sort((left, right) => share(right) - share(left)).slice(0, max)
}

/** null: a limit for everyone of venues that are not named, each of which has its own date. */
async function zoneOf(
  facts: Pick<Facts, 'findVenue'>,
  { scope, venueIds }: LimitOfBenefit,
  subject: string,
): Promise<string | null> {
  const venueId = scope === 'venue' ? subject : venueIds?.[0]
  return venueId === undefined ? null : ((await facts.findVenue(venueId))?.timeZone ?? null)
}

function share({ taken, limit: { maximum } }: FullLimit): number {
  return maximum === 0 ? 1 : taken / maximum
}
