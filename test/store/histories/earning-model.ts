import { givenFor } from '../../../engine/value/earning.js'
import type { AccountModel } from './account-model.js'
import type { BasketModel } from './basket-model.js'
import { type CurrencyModel, currencyOf, type RuleModel } from './rules.js'

export interface CountedSale {
  readonly slot: number
  readonly atMs: number
  readonly day: string
  /** Counted times factor, without returns. */
  weighted: bigint
  /** The same after returns. */
  readonly given: number
  /** Part of `given` that returns took or forgave. */
  undone: number
}

/** A rule for one member: T, and the sales that it counted. */
export interface RuleTotal {
  total: bigint
  readonly sales: CountedSale[]
}

/** One sale as a rule sees it. */
export interface Counting {
  readonly slot: number
  readonly rule: RuleModel
  /** Base, units or 1; not 0. */
  readonly count: number
  readonly factor: number
  readonly basket: Pick<BasketModel, 'requestedAt' | 'day' | 'timeZone'>
  /** When the sale was recorded. */
  readonly recordedAt: number
}

const hourMs = 3_600_000

/** Gives the value that a sale earns by one rule (4-member-value, section 2). */
export function earn(
  account: AccountModel,
  known: RuleTotal,
  { slot, rule, count, factor, basket, recordedAt }: Counting,
) {
  const atMs = Date.parse(basket.requestedAt)
  const cooldownMs = (rule.cooldownMinutes ?? 0) * 60_000
  if (known.sales.some((sale) => Math.abs(sale.atMs - atMs) < cooldownMs)) return
  const weighted = BigInt(count) * BigInt(factor)
  const given = mostOf(rule, known, { day: basket.day, wanted: Number(givenFor(rule, known.total, weighted)) })
  known.total += weighted
  known.sales.push({ slot, atMs, day: basket.day, weighted, given, undone: 0 })
  if (given === 0) return
  const { opensAfterDays, expires } = currencyOf(rule)
  const opensAt = recordedAt + opensAfterDays * 24 * hourMs
  const expiresAt = expiryOf(expires, recordedAt, basket.timeZone)
  account.credit(`sale ${slot}`, 'earned', { amount: given, from: `sale ${slot}`, opensAt, expiresAt })
}

function mostOf(
  { maximum }: RuleModel,
  { sales }: RuleTotal,
  { day, wanted }: { readonly day: string; readonly wanted: number },
): number {
  if (maximum === null) return wanted
  const { amount, period } = maximum
  const before = sales.filter((sale) => period !== 'basket' && periodOf(period, sale.day) === periodOf(period, day))
  const left = amount - before.reduce((sum, { given }) => sum + given, 0)
  return Math.max(0, Math.min(wanted, left))
}

/** A name that the days of one period share. */
function periodOf(period: 'day' | 'week' | 'month' | 'ever', day: string): string {
  if (period === 'day') return day
  if (period === 'month') return day.slice(0, 7)
  if (period === 'ever') return ''
  const date = new Date(`${day}T00:00:00Z`)
  // Back to Monday.
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}

const dayMs = 86_400_000

/**
 * The expiry of value that a rule gave (4-member-value, section 2): `after` days or months later by the wall clock of the venue, or
 * the first moment of the local day after the day, week, month or year in which that falls.
 *
 * @param recordedAt  milliseconds since the epoch
 */
function expiryOf(expires: CurrencyModel['expires'], recordedAt: number, timeZone: string): number {
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
