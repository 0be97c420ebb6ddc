import type { LimitCounter } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { momentAt } from '../../parts/offsets.js'

const dayMs = 86_400_000
/** A rate of less than an hour says nothing. */
const elapsedMsMin = 3_600_000

/** How fast a counter goes, and how far that gets. */
export interface Burn {
  /** What is taken in a day, as the limit counts. */
  readonly perDay: number
  /** When nothing will be left; null: not before the period ends, or never. */
  readonly endsAt: Date | null
}

/** What is left; never below 0. */
export function leftOf({ maximum, used, open, late }: LimitCounter): bigint {
  const left = maximum - used - open - late
  return left < 0n ? 0n : left
}

/** What sales used and open baskets hold. */
export function takenOf({ used, open, late }: LimitCounter): bigint {
  return used + open + late
}

/**
 * The rate since the period of a counter began, by the clocks of a zone. null: its period is not the present one, has no
 * beginning (`ever`), or began less than an hour ago.
 */
export function burnOf(counter: LimitCounter, now: Date, zone: string): Burn | null {
  const period = readPeriod(counter.period, zone)
  if (period === null || now >= period.until) return null
  const elapsedMs = now.getTime() - period.from.getTime()
  return burnOver(takenOf(counter), { elapsedMs, left: leftOf(counter), until: period.until, now })
}

interface Stretch {
  readonly elapsedMs: number
  readonly left: bigint
  /** null: it goes on for ever. */
  readonly until: Date | null
  readonly now: Date
}

/** The rate at which so much was taken within a stretch. null: the stretch is too short. */
export function burnOver(taken: bigint, { elapsedMs, left, until, now }: Stretch): Burn | null {
  if (elapsedMs < elapsedMsMin) return null
  const perDay = (Number(taken) * dayMs) / elapsedMs
  if (perDay === 0) return { perDay, endsAt: null }
  const endsAt = new Date(now.getTime() + (Number(left) / perDay) * dayMs)
  const isBeyond = until !== null && endsAt >= until
  return { perDay, endsAt: isBeyond || Number.isNaN(endsAt.getTime()) ? null : endsAt }
}

interface Period {
  readonly from: Date
  readonly until: Date
}

/** When a period begins and ends, such as `2026-11-21`, `2026-W47` or `2026-11`. null: it has no ends. */
function readPeriod(name: string, zone: string): Period | null {
  const week = /^(\d{4})-W(\d{2})$/.exec(name)
  if (week !== null) return weekOf(Number(week[1]), Number(week[2]), zone)
  const [year, month, day] = name.split('-').map(Number)
  if (year === undefined || month === undefined || Number.isNaN(month)) return null
  if (day === undefined) return { from: midnight([year, month - 1, 1], zone), until: midnight([year, month, 1], zone) }
  return { from: midnight([year, month - 1, day], zone), until: midnight([year, month - 1, day + 1], zone) }
}

/** A week by ISO 8601: the first one of a year holds the fourth of January. */
function weekOf(year: number, week: number, zone: string): Period {
  const fourth = new Date(Date.UTC(year, 0, 4))
  const monday = 4 - ((fourth.getUTCDay() + 6) % 7) + (week - 1) * 7
  return { from: midnight([year, 0, monday], zone), until: midnight([year, 0, monday + 7], zone) }
}

/** The beginning of a day in a zone; months from 0, and both may be beyond their ends. */
function midnight([year, month, day]: readonly [number, number, number], zone: string): Date {
  return momentAt(`${new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)}T00:00`, zone)
}
