import type { VenueTime } from '../base/basket.js'
import type { Period, ScheduleWindow, Weekday } from '../base/programme.js'

export interface WallClock {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly minute: number
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

/** The day to which a time belongs: before `dayStartsAt`, in minutes, the day before. The time of day stays. */
export function dayAt(clock: WallClock, dayStartsAt = 0): WallClock {
  if (clock.minute >= dayStartsAt) return clock
  const { year, month, day } = dateOf(dayNumberOf(clock) - 1)
  return { year, month, day, minute: clock.minute, weekday: (clock.weekday + 6) % 7 }
}

export function dayOfMoment(moment: number, { timeZone, dayStartsAt }: VenueTime): WallClock {
  return dayAt(readClock(moment, timeZone), dayStartsAt)
}

/** `until` is exclusive, and on the next day if at or before `from` (3-benefits 1). */
export function isScheduled(windows: readonly ScheduleWindow[], clock: WallClock): boolean {
  const today = weekdays[clock.weekday]!
  const yesterday = weekdays[(clock.weekday + 6) % 7]!
  return windows.some(({ days, from, until }) => {
    if (until > from) return days.includes(today) && clock.minute >= from && clock.minute < until
    return (days.includes(today) && clock.minute >= from) || (days.includes(yesterday) && clock.minute < until)
  })
}

export type CalendarPeriod = Exclude<Period, 'birthday'>

export function periodName(period: CalendarPeriod, day: WallClock): string {
  switch (period) {
    case 'ever':
      return ''
    case 'day':
      return dateText(day)
    case 'week':
      return weekName(day)
    case 'month':
      return `${padded(day.year, 4)}-${padded(day.month, 2)}`
    case 'year':
      return padded(day.year, 4)
  }
}

export function dayOf(clock: WallClock): string {
  if (lastDay?.clock !== clock) lastDay = { clock, day: dateText(clock) }
  return lastDay.day
}

let lastDay: { readonly clock: WallClock; readonly day: string } | null = null

export interface NamedPeriod {
  readonly name: string
  readonly end: () => number | null
}

export interface Periods {
  readonly named: (period: CalendarPeriod) => NamedPeriod
  readonly today: () => WallClock
  readonly startOf: (dayNumber: number) => number
}

export function periodsAt(moment: number, venue: VenueTime, clock: () => WallClock): Periods {
  const known = new Map<CalendarPeriod, NamedPeriod>()
  const today = () => dayAt(clock(), venue.dayStartsAt)
  return {
    named(period) {
      let found = known.get(period)
      if (found === undefined) {
        let end: number | null | undefined
        const endOf = () => {
          if (end === undefined) end = periodEnd(period, moment, venue)
          return end
        }
        found = { name: period === 'ever' ? '' : periodName(period, today()), end: endOf }
        known.set(period, found)
      }
      return found
    },
    today,
    startOf: (day) => startOfDay(day, moment, venue),
  }
}

/**
 * End of a limit's period (3-benefits 5): where the venue's next day starts, or the end of a daylight-saving gap there.
 *
 * @param moment  within the period, milliseconds since the epoch
 * @returns       milliseconds since the epoch; null for `ever`
 */
export function periodEnd(period: CalendarPeriod, moment: number, venue: VenueTime): number | null {
  const { year, month, day, weekday } = dayAt(wallClock(moment, venue.timeZone), venue.dayStartsAt)
  switch (period) {
    case 'ever':
      return null
    case 'day':
      return startOfDay(dayNumber(year, month, day + 1), moment, venue)
    case 'week':
      return startOfDay(dayNumber(year, month, day + 7 - weekday), moment, venue)
    case 'month':
      return startOfDay(dayNumber(year, month + 1, 1), moment, venue)
    case 'year':
      return startOfDay(dayNumber(year + 1, 1, 1), moment, venue)
  }
}

/** @param after  a moment before: where clocks go back over the start of the day, it comes twice */
function startOfDay(day: number, after: number, { timeZone, dayStartsAt = 0 }: VenueTime): number {
  const next = day * dayMs + dayStartsAt * minuteMs
  // The offset changes at most once around it.
  const offsets = [-dayMs / 2, dayMs / 2].map((distance) => offsetAt(next + distance, timeZone))
  const starts = offsets.map((offset) => next - offset).sort((a, b) => a - b)
  const isReached = (moment: number) => moment + offsetAt(moment, timeZone) >= next
  let start = starts.find((moment) => moment > after && isReached(moment))!
  // Within a gap: from the minute at which the clock goes on.
  while (start - minuteMs > after && start > starts[0]! && isReached(start - minuteMs)) start -= minuteMs
  return start
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

export function dateText({ year, month, day }: Pick<WallClock, 'year' | 'month' | 'day'>): string {
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`
}

export function dateOf(dayNumber: number): Pick<WallClock, 'year' | 'month' | 'day'> {
  const at = new Date(dayNumber * dayMs)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() }
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
