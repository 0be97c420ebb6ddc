import type { LadderRule, OnReturn } from '../core/base/earning.js'
import { type Money, sumOf } from '../core/base/money.js'
import { spread } from '../core/base/spread.js'
import { type Giving, givenFor } from './earning.js'
import {
  addedBy,
  countKept,
  isAnythingKept,
  paidIn,
  partOf,
  type Returned,
  refundOf,
  restoredOf,
  type StoredLadder,
} from './ladder.js'

/** By position in the ladder, ascending, each once; thousandths. */
export type ReturnedLines = readonly (readonly [position: number, quantity: number])[]

export interface ReturnBasis {
  readonly ladder: StoredLadder
  readonly returns: readonly {
    readonly lines: ReturnedLines
    readonly refund: Money
    readonly givenBack: readonly { readonly currencyId: string; readonly amount: number; readonly forgiven: number }[]
  }[]
  readonly earned: readonly EarnedRow[]
  readonly used: readonly { readonly currencyId: string; readonly amount: number }[]
}

export interface EarnedRow extends Giving {
  readonly ruleId: string
  readonly accountId: number
  readonly currencyId: string
  readonly factor: number
  readonly counted: number
  readonly returned: number
  readonly given: number
  readonly taken: number
  readonly isLimited: boolean
  readonly before: string
  readonly total: string
  readonly totalGiven: number
  readonly totalTaken: number
}

export interface KeptBasket {
  readonly price: Money
  readonly counts: ReadonlyMap<string, number>
  readonly spent: readonly { readonly benefitId: string; readonly currencyId: string; readonly amount: number }[]
}

export interface ReturnPlan {
  readonly kind: 'planned'
  readonly refund: Money
  readonly lineRefunds: readonly Money[]
  /** The refund by each policy; null: the kept basket can no longer be priced. */
  readonly asPaidRefund: Money
  readonly keptRefund: Money | null
  readonly back: readonly { readonly currencyId: string; readonly amount: number; readonly before: number }[]
  readonly rules: readonly RuleTaken[]
  readonly takes: readonly { readonly accountId: number; readonly onReturn: OnReturn; readonly amount: number }[]
}

interface RuleTaken {
  readonly ruleId: string
  readonly out: number
  readonly taken: number
}

export interface TooMuch {
  readonly kind: 'too_much'
  readonly place: number
  readonly left: number
}

export function returnedWith(
  { ladder, returns }: Pick<ReturnBasis, 'ladder' | 'returns'>,
  lines: ReturnedLines,
): Returned {
  const sums = ladder.lines.map(() => 0)
  for (const made of [...returns.map((each) => each.lines), lines])
    for (const [at, quantity] of made) sums[at]! += quantity
  return sums
}

export function refundedBefore({ returns }: Pick<ReturnBasis, 'returns'>): Money {
  return returns.reduce((sum, { refund }) => sum + refund, 0)
}

export function tooMuchOf(basis: ReturnBasis, lines: ReturnedLines): TooMuch | null {
  const before = returnedWith(basis, [])
  const left = lines.map(([at]) => basis.ladder.lines[at]!.quantity - before[at]!)
  const place = lines.findIndex(([, quantity], index) => quantity > left[index]!)
  return place === -1 ? null : { kind: 'too_much', place, left: left[place]! }
}

/**
 * Plans refunds, value restored and value taken back (4-member-value 5 and 9). The sum of refunds is the greatest on the
 * way, and earned and spent value the least: so all splits of a return have the same result, and no order of them costs the guest anything.
 *
 * @param kept  the kept basket, priced anew; null: it cannot be, so each unit comes back for its price paid
 */
export function planReturn(basis: ReturnBasis, lines: ReturnedLines, kept: KeptBasket | null): ReturnPlan {
  const { ladder } = basis
  const [before, after] = [returnedWith(basis, []), returnedWith(basis, lines)]
  const repriced = ladder.policy === 'reprice' && ladder.anew ? kept : null
  const refunded = refundedBefore(basis)
  const asPaid = refundOf(ladder, after)
  const anew = kept === null ? null : paidIn(ladder) - kept.price
  const asPaidRefund = asPaid - refundOf(ladder, before)
  const moreThan = (sum: Money) => Math.max(0, sum - refunded)
  const refund = moreThan(repriced === null ? asPaid : anew!)
  const paid = lines.map(([at]) => {
    const line = ladder.lines[at]!
    return partOf(line, line.paid, after[at]!) - partOf(line, line.paid, before[at]!)
  })
  return {
    kind: 'planned',
    refund,
    lineRefunds: shared(refund, paid),
    asPaidRefund,
    keptRefund: anew === null ? (ladder.anew ? null : asPaidRefund) : moreThan(anew),
    back: spentBack(basis, after, repriced),
    ...takeBack(basis, (row, rule) => ({
      kept: keptOf(row, { ladder, returned: after, repriced }),
      isAnew: repriced !== null && rule?.capped === true,
    })),
  }
}

/** A refund in proportion to what was paid for the units; all on the first line where that was nothing. */
function shared(refund: Money, paid: readonly Money[]): Money[] {
  const whole = sumOf(paid)
  if (whole === 0) return paid.map((_, at) => (at === 0 ? refund : 0))
  const times = Math.floor(refund / whole)
  const rest = spread(refund - times * whole, paid)
  return paid.map((each, at) => times * each + rest[at]!)
}

function spentBack(
  { ladder, returns, used }: ReturnBasis,
  after: Returned,
  repriced: KeptBasket | null,
): ReturnPlan['back'] {
  const isAdded = addedBy(ladder)
  return used.flatMap(({ currencyId, amount: most }) => {
    const costs = ladder.spent.filter((spent) => spent.currencyId === currencyId)
    const asPaid = costs.filter((spent) => repriced === null || isAdded.has(spent.benefitId))
    const restored = asPaid.reduce((sum, spent) => sum + restoredOf(spent, ladder, after), 0)
    const others = costs.filter((spent) => !asPaid.includes(spent))
    const kept = (repriced?.spent ?? [])
      .filter((spent) => spent.currencyId === currencyId && !isAdded.has(spent.benefitId))
      .reduce((sum, { amount }) => sum + amount, 0)
    const freed = Math.max(0, others.reduce((sum, { amount, times }) => sum + amount * times, 0) - kept)
    const rows = returns.flatMap(({ givenBack }) => givenBack.filter((row) => row.currencyId === currencyId))
    const before = rows.reduce((sum, { amount, forgiven }) => sum + amount + forgiven, 0)
    const amount = Math.min(most, restored + freed) - before
    return amount > 0 ? [{ currencyId, amount, before }] : []
  })
}

interface Keeping {
  readonly ladder: StoredLadder
  readonly returned: Returned
  readonly repriced: KeptBasket | null
}

/** In proportion where a sale was joined, or scaled, without its basket: it counted something else than the ladder does. */
export function keptOf(
  { ruleId, counted }: Pick<EarnedRow, 'ruleId' | 'counted'>,
  { ladder, returned, repriced }: Keeping,
): number {
  const rule = ladder.rules.find((each) => each.ruleId === ruleId)
  const nothing = ladder.lines.map(() => 0)
  const all = rule === undefined ? 0 : countKept(rule, ladder, nothing)
  if (all === 0) return isAnythingKept(ladder, returned) ? counted : 0
  const kept = repriced === null ? countKept(rule!, ladder, returned) : (repriced.counts.get(ruleId) ?? 0)
  return Number((BigInt(counted) * BigInt(Math.min(all, kept))) / BigInt(all))
}

type Kept = (
  row: EarnedRow,
  rule: LadderRule | undefined,
) => {
  readonly kept: number
  readonly isAnew: boolean
}

function takeBack({ ladder, earned }: ReturnBasis, keptBy: Kept): Pick<ReturnPlan, 'rules' | 'takes'> {
  const rules: RuleTaken[] = []
  const takes = new Map<number, { currencyId: string; accountId: number; onReturn: OnReturn; amount: number }>()
  for (const row of earned) {
    const { ruleId, accountId, currencyId, counted, returned } = row
    const rule = ladder.rules.find((each) => each.ruleId === ruleId)
    const { kept, isAnew } = keptBy(row, rule)
    const out = counted - returned - kept
    if (out <= 0) continue
    const taken = isAnew ? anewTaken(row, kept) : takenFor(row, out)
    rules.push({ ruleId, out, taken })
    if (taken === 0) continue
    const take = takes.get(accountId) ?? { currencyId, accountId, onReturn: rule?.onReturn ?? 'to_zero', amount: 0 }
    take.amount += taken
    takes.set(accountId, take)
  }
  const sorted = [...takes.values()].sort((a, b) => (a.currencyId < b.currencyId ? -1 : 1))
  return { rules, takes: sorted.map(({ currencyId: _, ...take }) => take) }
}

// T falls to T', and give x (floor(T / n) - floor(T' / n)) is taken back, at most the part that the rule has given this member and
// not taken back; for a visit, and for a rule with a maximum or a cooldown, at most the part of this sale that is left.
function takenFor(row: EarnedRow, out: number): number {
  const { per, factor, given, taken, isLimited, totalGiven, totalTaken } = row
  const left = totalGiven - totalTaken
  if (per === 'visit') return Math.max(0, Math.min(given, given - taken, left))
  const weighted = BigInt(out) * BigInt(factor)
  const due = atMost(givenFor(row, BigInt(row.total) - weighted, weighted), left)
  return isLimited ? Math.min(due, Math.max(0, given - taken)) : due
}

function anewTaken(row: EarnedRow, kept: number): number {
  const { factor, given, taken, totalGiven, totalTaken } = row
  const due = givenFor(row, BigInt(row.before), BigInt(kept) * BigInt(factor))
  return Math.max(0, Math.min(given - taken - atMost(due, given), totalGiven - totalTaken))
}

function atMost(amount: bigint, most: number): number {
  return amount > BigInt(most) ? most : Number(amount)
}
