import { type CounterName, counterKey } from '../../engine/core/base/outcome.js'
import type { Benefit, Limit, ScheduleWindow, Weekday } from '../../engine/core/base/programme.js'
import type { CalculationInput } from '../../engine/core/index.js'

const weekdays: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const clocks = new Map<string, Intl.DateTimeFormat>()

interface LocalTime {
  readonly year: number
  readonly month: number
  readonly day: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** Minutes since midnight, local time. */
  readonly minutes: number
}

/** The benefits open to this member, here and now (benefits 1). */
export function openBenefits(benefits: readonly Benefit[], input: CalculationInput): Benefit[] {
  const now = localTime(input.basket.requestedAt, input.venue.timeZone)
  return benefits.filter(
    (benefit) => isValid(benefit, input) && isScheduled(benefit.schedule, now) && isFor(benefit, input),
  )
}

/** Units that a benefit may still take: the least of its limits; 0 where one of baskets or money is exhausted; else Infinity. */
export function unitsLeft(benefit: Benefit, input: CalculationInput): number {
  let left = Number.POSITIVE_INFINITY
  for (const limit of benefit.limits) {
    const counter = input.available[counterKey(counterOf(limit, input))] ?? limit.maximum
    if (limit.counts === 'units') left = Math.min(left, Math.max(0, counter))
    else if (counter <= 0) left = 0
  }
  return left
}

/** Money that a benefit may still take off, in minor units; Infinity without a limit of money. */
export function moneyLeft(benefit: Benefit, input: CalculationInput): number {
  const limits = benefit.limits.filter((limit) => limit.counts === 'amount')
  const left = limits.map((limit) => input.available[counterKey(counterOf(limit, input))] ?? limit.maximum)
  return Math.max(0, Math.min(...left, Number.POSITIVE_INFINITY))
}

/** Names the counter of a limit for this basket (benefits 5). */
export function counterOf(limit: Limit, input: CalculationInput): CounterName {
  const subjects = { everyone: '', member: input.member.memberId, venue: input.venue.venueId }
  const period = periodOf(limit.period, localTime(input.basket.requestedAt, input.venue.timeZone))
  return { limitId: limit.limitId, subject: subjects[limit.scope], period }
}

function isValid(benefit: Benefit, { basket }: CalculationInput): boolean {
  if (benefit.validFrom !== null && basket.requestedAt < benefit.validFrom) return false
  if (benefit.validUntil !== null && basket.requestedAt >= benefit.validUntil) return false
  if (benefit.venueIds !== null && !benefit.venueIds.includes(basket.venueId)) return false
  return benefit.channels === null || benefit.channels.includes(basket.channel)
}

function isFor(benefit: Benefit, { member }: CalculationInput): boolean {
  const { tiers, segments, memberIds, visits, birthday, joinedWithinDays } = benefit.audience ?? {}
  // Members of the oracle have neither visits nor dates.
  if (visits !== undefined || birthday !== undefined || joinedWithinDays !== undefined) return false
  if (tiers !== undefined && (member.tier === null || !tiers.includes(member.tier))) return false
  if (segments !== undefined && !member.segments.some((segment) => segments.includes(segment))) return false
  return memberIds === undefined || memberIds.includes(member.memberId)
}

/** Uses local time: a repeated hour counts twice, a skipped one never. */
function isScheduled(schedule: readonly ScheduleWindow[] | null, now: LocalTime): boolean {
  if (schedule === null) return true
  const today = weekdays[now.weekday]!
  const yesterday = weekdays[(now.weekday + 6) % 7]!
  return schedule.some(({ days, from, until }) => {
    if (from < until) return days.includes(today) && now.minutes >= from && now.minutes < until
    return (days.includes(today) && now.minutes >= from) || (days.includes(yesterday) && now.minutes < until)
  })
}

function periodOf(period: Limit['period'], now: LocalTime): string {
  const two = (figure: number) => String(figure).padStart(2, '0')
  const year = String(now.year).padStart(4, '0')
  if (period === 'ever') return ''
  if (period === 'month') return `${year}-${two(now.month)}`
  if (period === 'day') return `${year}-${two(now.month)}-${two(now.day)}`
  // A week belongs to the year of its Thursday.
  const thursday = new Date(Date.UTC(now.year, now.month - 1, now.day + 4 - (now.weekday === 0 ? 7 : now.weekday)))
  const dayOfYear = (thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 86_400_000
  return `${thursday.getUTCFullYear()}-W${two(Math.floor(dayOfYear / 7) + 1)}`
}

function localTime(moment: number, timeZone: string): LocalTime {
  let clock = clocks.get(timeZone)
  if (clock === undefined) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
    clock = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric })
    clocks.set(timeZone, clock)
  }
  const parts = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  const [year, month, day] = [parts.get('year')!, parts.get('month')!, parts.get('day')!]
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay()
  return { year, month, day, weekday, minutes: parts.get('hour')! * 60 + parts.get('minute')! }
}
