import type { Limit, ScheduleWindow, Weekday } from '../base/programme.js'

export interface WallClock {
  readonly year: number
  readonly month: number
  readonly day: number
  /** Minutes since midnight, 0 to 1439. */
  readonly minute: number
  /** 0 is Monday. */
  readonly weekday: number
}

const weekdays: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const dayMs = 86_400_000
const minuteMs = 60_000
const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * The wall clock of a time zone, daylight-saving time included.
 *
 * @param moment    milliseconds since the epoch
 * @param timeZone  IANA name, checked on publishing
 */
export function wallClock(moment: number, timeZone: string): WallClock {
  const minute = Math.floor(moment / minuteMs)
  const known = clocks.get(timeZone)
  if (known?.minute === minute && moment >= wholeMinutesFrom) return known.clock
  const clock = readClock(moment, timeZone)
  clocks.set(timeZone, { minute, clock })
  return clock
}

/** The last clock of each zone: most baskets of a minute share it. */
const clocks = new Map<string, { readonly minute: number; readonly clock: WallClock }>()

/** Since 1973 every zone is a whole number of minutes away from UTC. */
const wholeMinutesFrom = Date.UTC(1973, 0, 1)

function readClock(moment: number, timeZone: string): WallClock {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatterOf(timeZone).formatToParts(moment)) parts[type] = Number.parseInt(value, 10)
  const { year, month, day, hour, minute } = parts as Record<'year' | 'month' | 'day' | 'hour' | 'minute', number>
  return { year, month, day, minute: hour * 60 + minute, weekday: weekdayOf(dateMs(year, month, day)) }
}

/**
 * Whether a window is open (3-benefits 1, schedule). `until` is exclusive, and on the next day if at or before `from`.
 */
export function isScheduled(windows: readonly ScheduleWindow[], clock: WallClock): boolean {
  const today = weekdays[clock.weekday]!
  const yesterday = weekdays[(clock.weekday + 6) % 7]!
  return windows.some(({ days, from, until }) => {
    if (until > from) return days.includes(today) && clock.minute >= from && clock.minute < until
    return (days.includes(today) && clock.minute >= from) || (days.includes(yesterday) && clock.minute < until)
  })
}

/** A limit's period by the venue's local date (3-benefits 5): '', `2026-11-21`, `2026-W47` or `2026-11`. */
export function periodName(period: Limit['period'], clock: WallClock): string {
  switch (period) {
    case 'ever':
      return ''
    case 'day':
      return `${padded(clock.year, 4)}-${padded(clock.month, 2)}-${padded(clock.day, 2)}`
    case 'week':
      return weekName(clock)
    case 'month':
      return `${padded(clock.year, 4)}-${padded(clock.month, 2)}`
  }
}

/** The date of a wall clock, such as `2026-11-21`; the last one is cached. */
export function dayOf(clock: WallClock): string {
  if (lastDay?.clock !== clock) lastDay = { clock, day: periodName('day', clock) }
  return lastDay.day
}

let lastDay: { readonly clock: WallClock; readonly day: string } | null = null

export interface Period {
  readonly name: string
  /** Its end, milliseconds since the epoch; null for `ever`. */
  readonly end: () => number | null
}

/** Periods at a moment, each computed once. */
export function periodsAt(
  moment: number,
  timeZone: string,
  clock: () => WallClock,
): (period: Limit['period']) => Period {
  const known = new Map<Limit['period'], Period>()
  return (period) => {
    let found = known.get(period)
    if (found === undefined) {
      let end: number | null | undefined
      const endOf = () => {
        if (end === undefined) end = periodEnd(period, moment, timeZone)
        return end
      }
      found = { name: period === 'ever' ? '' : periodName(period, clock()), end: endOf }
      known.set(period, found)
    }
    return found
  }
}

/**
 * End of a limit's period (3-benefits 5): local midnight, or the end of a daylight-saving gap there.
 *
 * @param moment  within the period, milliseconds since the epoch
 * @returns       milliseconds since the epoch; null for `ever`
 */
export function periodEnd(period: Limit['period'], moment: number, timeZone: string): number | null {
  if (period === 'ever') return null
  const { year, month, day, weekday } = wallClock(moment, timeZone)
  const days = period === 'day' ? 1 : 7 - weekday
  const next = period === 'month' ? dateMs(year, month + 1, 1) : dateMs(year, month, day + days)
  // The offset changes at most once around midnight.
  const offsets = [-dayMs / 2, dayMs / 2].map((distance) => offsetAt(next + distance, timeZone))
  const ends = offsets.map((offset) => next - offset).sort((a, b) => a - b)
  return ends.find((end) => end + offsetAt(end, timeZone) >= next)!
}

function offsetAt(moment: number, timeZone: string): number {
  const minute = Math.floor(moment / minuteMs) * minuteMs
  const clock = wallClock(minute, timeZone)
  return dateMs(clock.year, clock.month, clock.day) + clock.minute * minuteMs - minute
}

// A week belongs to the year of its Thursday (ISO 8601).
function weekName(clock: WallClock): string {
  const thursday = dateMs(clock.year, clock.month, clock.day) + (3 - clock.weekday) * dayMs
  const year = new Date(thursday).getUTCFullYear()
  const week = 1 + Math.floor((thursday - dateMs(year, 1, 1)) / (7 * dayMs))
  return `${padded(year, 4)}-W${padded(week, 2)}`
}

export function dayNumber(year: number, month: number, day: number): number {
  return dateMs(year, month, day) / dayMs
}

export function dayNumberOf({ year, month, day }: WallClock): number {
  return dayNumber(year, month, day)
}

function dateMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

function weekdayOf(ms: number): number {
  return (new Date(ms).getUTCDay() + 6) % 7
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  formatters.set(timeZone, made)
  return made
}
