import { givenFor } from '../../../engine/value/earning.js'
import type { AccountModel } from './account-model.js'
import type { BasketModel } from './basket-model.js'
import { expiryOf } from './calendar-model.js'
import { currencyOf, type RuleModel } from './rules.js'

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
