import type { VenueTime } from '../../engine/core/base/basket.js'
import { dayOfMoment, periodEnd, periodName } from '../../engine/core/match/calendar.js'
import type { LimitOfBenefit } from '../../engine/index.js'
import type { Pace, Paces } from '../../store/ledger/counters.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LookupCache } from '../cache/lookup-cache.js'

/** Forecasts up to this far use the pace of the last hour, and of the last day, nights included; farther ones that of the last week. */
const hourTellsMs = 6 * 3_600_000
const dayTellsMs = 3 * 86_400_000
/** A shorter pace is no forecast: the first baskets of a period come at random. */
const paceMsMin = 5 * 60_000

/** How long a counter of a limit lasts; times in milliseconds since the epoch. */
export interface Lasting {
  /** When its period ends; where venues have several dates the last of them. null: never. */
  readonly periodEnd: number | null
  /** The moment at which it runs out at its pace; null: not before its period ends, or unknown. An estimate. */
  readonly runsOut: number | null
}

export interface LastingParts {
  readonly adminLedger: { readonly venues: Pick<AdminLedger['venues'], 'times'> }
  readonly facts: Pick<LookupCache, 'findVenue'>
}

interface Counted extends Paces {
  readonly subject: string
  readonly period: string
  readonly taken: number
}

/**
 * Forecasts when counters of limits run out: by the pace of the last hour if that is within six hours, of the last day if within three
 * days, else of the last week. null: it is another period by now, or one by birthday, whose end only the member's benefits give.
 */
export function createLasting({ adminLedger, facts }: LastingParts, now: number) {
  let everywhere: Promise<readonly VenueTime[]> | null = null

  async function timesOf({ scope, venueIds }: LimitOfBenefit, subject: string): Promise<readonly VenueTime[]> {
    const named = scope === 'venue' ? [subject] : venueIds
    if (named !== null) {
      const venues = await Promise.all(named.map((venueId) => facts.findVenue(venueId)))
      return venues.filter((venue) => venue !== null)
    }
    everywhere ??= adminLedger.venues.times()
    return await everywhere
  }

  return async (limit: LimitOfBenefit, counter: Counted): Promise<Lasting | null> => {
    const { period } = limit
    if (period === 'birthday') return null
    const times = await timesOf(limit, counter.subject)
    const here = times.filter((time) => periodName(period, dayOfMoment(now, time)) === counter.period)
    if (here.length === 0) return null
    const ends = here.map((time) => periodEnd(period, now, time) ?? Number.POSITIVE_INFINITY)
    const end = Math.max(...ends)
    const left = Math.max(0, limit.maximum - counter.taken)
    // No forecast for a member's own counter.
    const at = limit.scope === 'member' || left === 0 ? null : emptyAt(counter, left, now)
    return {
      periodEnd: end === Number.POSITIVE_INFINITY ? null : end,
      runsOut: at === null || at >= end ? null : Math.round(at),
    }
  }
}

function emptyAt({ hour, day, week }: Paces, left: number, now: number): number | null {
  const [byHour, byDay, byWeek] = [hour, day, week].map((pace) => paceEnd(pace, left, now)) as [End, End, End]
  if (byHour !== null && byHour - now <= hourTellsMs) return byHour
  if (byDay !== null && byDay - now <= dayTellsMs) return byDay
  return byWeek ?? byDay ?? byHour
}

type End = number | null

function paceEnd(pace: Pace | null, left: number, now: number): number | null {
  if (pace === null || pace.taken === 0 || now - pace.since < paceMsMin) return null
  const at = now + (left / pace.taken) * (now - pace.since)
  return Number.isSafeInteger(Math.round(at)) ? at : null
}
