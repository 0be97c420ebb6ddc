import type { MemberFacts } from '../base/basket.js'
import type { Audience, DaysAround } from '../base/programme.js'
import { dateOf, dateText, dayNumber, dayNumberOf, type NamedPeriod, type Periods, type WallClock } from './calendar.js'

const wholeYear: DaysAround = { daysBefore: 0, daysAfter: 366 }

type Dates = Pick<MemberFacts, 'birthday' | 'joinedOn'>

/** The date that a window around a birthday is about, as a day number, the nearest of several; null: `today` is outside. */
export function birthdayNear(around: DaysAround, { birthday }: Dates, today: WallClock): number | null {
  return birthday === undefined ? null : dateNear(around, birthday, today)
}

export function anniversaryNear(around: DaysAround, { joinedOn }: Dates, today: WallClock): number | null {
  if (joinedOn === undefined) return null
  return dateNear(around, joinedOn.slice(5), today, Number(joinedOn.slice(0, 4)) + 1)
}

export function dateOfWindow(audience: Audience | null, dates: Dates, today: WallClock): number | null {
  if (audience?.birthday !== undefined) return birthdayNear(audience.birthday, dates, today)
  return audience?.anniversary === undefined ? null : anniversaryNear(audience.anniversary, dates, today)
}

export function lastBirthday(dates: Dates, today: WallClock): number | null {
  return birthdayNear(wholeYear, dates, today)
}

const birthdayPrefix = 'birthday-'

/**
 * The period of a limit by birthday (benefits 5), such as `birthday-2026-06-15`, of a member that the audience matches today.
 *
 * @param last  the one in which the member used the limit last
 */
export function birthdayPeriod(
  audience: Audience | null,
  member: Dates,
  { last, periods }: { readonly last: string | undefined; readonly periods: Periods },
): NamedPeriod {
  const today = periods.today()
  const date = dateOfWindow(audience, member, today)!
  const lastDate = last === undefined ? Number.NaN : dayNumberFrom(last.slice(birthdayPrefix.length))
  // Else a changed birthday would give it twice.
  const isSame = Math.abs(date - lastDate) <= 180
  return {
    name: isSame ? last! : birthdayName(date),
    end: () => periods.startOf(Math.max(nextWindow(audience, member, date), dayNumberOf(today) + 1)),
  }
}

export function birthdayName(date: number): string {
  return `${birthdayPrefix}${dateText(dateOf(date))}`
}

function nextWindow(audience: Audience | null, { birthday, joinedOn }: Dates, date: number): number {
  const isBirthday = audience?.birthday !== undefined
  const dayOfYear = isBirthday ? birthday! : joinedOn!.slice(5)
  const { daysBefore } = (isBirthday ? audience.birthday : audience!.anniversary)!
  return dateIn(dateOf(date).year + 1, dayOfYear) - daysBefore
}

function dayNumberFrom(date: string): number {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  return dayNumber(year, month, day)
}

function dateNear(
  { daysBefore, daysAfter }: DaysAround,
  dayOfYear: string,
  today: WallClock,
  yearMin = Number.NEGATIVE_INFINITY,
): number | null {
  const now = dayNumberOf(today)
  let nearest: number | null = null
  for (let year = Math.max(yearMin, today.year - 1); year <= today.year + 1; year++) {
    const date = dateIn(year, dayOfYear)
    const away = date - now
    if (away > daysBefore || -away > daysAfter) continue
    if (nearest === null || Math.abs(away) < Math.abs(nearest - now)) nearest = date
  }
  return nearest
}

/** 29 February is 28 February in other years. */
function dateIn(year: number, dayOfYear: string): number {
  const month = Number(dayOfYear.slice(0, 2))
  const day = Number(dayOfYear.slice(3))
  return day === 29 && month === 2 ? dayNumber(year, 3, 1) - 1 : dayNumber(year, month, day)
}
