import type { CurrencyModel } from './rules.js'

const dayMs = 86_400_000

/**
 * The expiry of value that a rule gave (4-member-value, section 2): `after` days or months later by the wall clock of the venue, or
 * the first moment of the local day after the day, week, month or year in which that falls.
 *
 * @param recordedAt  milliseconds since the epoch
 */
export function expiryOf(expires: CurrencyModel['expires'], recordedAt: number, timeZone: string): number {
  if (expires === null) return Number.POSITIVE_INFINITY
  // The wall clock as if it were UTC.
  const wall = recordedAt + offsetAt(recordedAt, timeZone)
  const after = expires.unit === 'days' ? wall + expires.after * dayMs : monthsLater(wall, expires.after)
  return instantOf(expires.atEndOf === null ? after : endOf(expires.atEndOf, after), timeZone)
}

function monthsLater(wall: number, months: number): number {
  const date = new Date(wall)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), lastDay)
  return Date.UTC(year, month, day) + (wall - startOfDay(wall))
}

function endOf(period: 'day' | 'week' | 'month' | 'year', wall: number): number {
  const date = new Date(wall)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (period) {
    case 'day':
      return startOfDay(wall) + dayMs
    case 'week':
      // Sunday is 0: the week ends with it.
      return startOfDay(wall) + (((7 - date.getUTCDay()) % 7) + 1) * dayMs
    case 'month':
      return Date.UTC(year, month + 1, 1)
    case 'year':
      return Date.UTC(year + 1, 0, 1)
  }
}

function startOfDay(wall: number): number {
  return Math.floor(wall / dayMs) * dayMs
}

function instantOf(wall: number, timeZone: string): number {
  const guess = wall - offsetAt(wall, timeZone)
  return wall - offsetAt(guess, timeZone)
}

/** By how many milliseconds the wall clock of a time zone is ahead of UTC then. */
function offsetAt(at: number, timeZone: string): number {
  const parts = clockOf(timeZone).formatToParts(at)
  const part = (type: string) => Number(parts.find((each) => each.type === type)!.value)
  const [year, month, day] = [part('year'), part('month'), part('day')]
  const wall = Date.UTC(year, month - 1, day, part('hour'), part('minute'), part('second'))
  return wall - Math.floor(at / 1_000) * 1_000
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const numeric = 'numeric'
  const fresh = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', year: numeric, month: numeric, day: numeric },
    ...{ hour: numeric, minute: numeric, second: numeric },
  })
  clocks.set(timeZone, fresh)
  return fresh
}
