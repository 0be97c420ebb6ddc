import type { Ladder, LadderLine, LadderRule, ReturnPolicy } from '../core/base/earning.js'
import { type Money, quantityOne } from '../core/base/money.js'

export interface StoredLadder extends Ladder {
  readonly policy: ReturnPolicy
  readonly anew: boolean
  readonly spent: readonly LadderSpent[]
}

export interface LadderSpent {
  readonly benefitId: string
  readonly currencyId: string
  readonly per: 'unit' | 'times' | 'basket'
  readonly amount: number
  readonly times: number
  /** `amount`: taken off the line by a benefit on the order; absent: a benefit on lines. */
  readonly lines: readonly { readonly at: number; readonly units: number; readonly amount?: Money }[]
}

export type Returned = readonly number[]

/** The part of an amount on a line that its first k thousandths come to, rounded down: F(k) of 4-member-value 5. */
export function partOf(line: LadderLine, amount: number, k: number): number {
  const [share, whole] = shareOf(line, k)
  return Number((BigInt(amount) * share) / whole)
}

export function refundOf({ lines }: Ladder, returned: Returned): Money {
  return sumOf(lines.map((line, at) => partOf(line, line.paid, returned[at]!)))
}

export function paidIn({ lines }: Ladder): Money {
  return sumOf(lines.map(({ paid }) => paid))
}

export function isAnythingKept({ lines }: Ladder, returned: Returned): boolean {
  return lines.some(({ due, quantity }, at) => due > 0 && returned[at]! < quantity)
}

export function countKept(rule: LadderRule, { lines }: Ladder, returned: Returned): number {
  const kept = (at: number, [from, until]: Range = [0, lines[at]!.quantity]) => {
    const first = Math.min(until, Math.max(from, returned[at]!))
    return { line: lines[at]!, first, until }
  }
  const left = ({ line, first, until }: Kept, amount: Money) =>
    partOf(line, amount, until) - partOf(line, amount, first)
  const { per, minimumSpend = 0, spending = [] } = rule
  const spent = spending.map((at, place) => left(kept(at, rule.spendingRanges?.[place]), lines[at]!.paid))
  if (sumOf(spent) < minimumSpend) return 0
  const own = rule.lines.map((at, place) => kept(at, rule.ranges?.[place]))
  switch (per) {
    case 'visit':
      return own.some((each) => left(each, each.line.due) > 0) ? 1 : 0
    case 'amount':
      return sumOf(own.map((each) => left(each, each.line.paid)))
    case 'units':
      return sumOf(own.map(unitsKept))
  }
}

type Range = NonNullable<LadderRule['ranges']>[number]

interface Kept {
  readonly line: LadderLine
  readonly first: number
  readonly until: number
}

export function restoredOf(spent: LadderSpent, ladder: Ladder, returned: Returned): number {
  const { per, amount, times, benefitId, lines } = spent
  if (lines.length === 0) return isAnythingKept(ladder, returned) ? 0 : amount * times
  if (lines.some((line) => line.amount !== undefined)) return amount * paymentsBack(spent, ladder, returned)
  const back = lines.map(({ at, units }) => {
    const line = ladder.lines[at]!
    return unitsBack(line, { benefitId, units: Math.min(units, unitsOf(line)) }, returned[at]!)
  })
  if (per === 'unit') return amount * Math.min(times, sumOf(back))
  return lines.every(({ at, units }, index) => back[index] === Math.min(units, unitsOf(ladder.lines[at]!)))
    ? amount * times
    : 0
}

export function addedBy({ spent, lines }: StoredLadder): ReadonlySet<string> {
  const isAdded = ({ lines: own }: LadderSpent) => own.length > 0 && own.every(({ at }) => lines[at]!.added === true)
  return new Set(spent.filter(isAdded).map(({ benefitId }) => benefitId))
}

type Share = readonly [share: bigint, whole: bigint]

// By weight: of k units of a kind of n, `k x hold / units - taken x k / n`. Without a weight, or with one kind, by quantity.
function shareOf({ quantity, hold = 0, kinds = [] }: LadderLine, k: number): Share {
  const weight = hold - sumOf(kinds.map(({ taken }) => taken))
  if (weight <= 0) return [BigInt(k), BigInt(quantity)]
  const [units, first] = [BigInt(quantity / quantityOne), BigInt(k / quantityOne)]
  let left = first
  let taken = 0n
  for (const kind of kinds) {
    const own = BigInt(kind.units)
    if (left < own) {
      const lost = taken * own + left * BigInt(kind.taken)
      return [first * BigInt(hold) * own - units * lost, units * own * BigInt(weight)]
    }
    left -= own
    taken += BigInt(kind.taken)
  }
  return [1n, 1n]
}

function unitsOf(line: LadderLine): number {
  return isWeighed(line) ? 1 : line.quantity / quantityOne
}

export function isWeighed({ weighed, quantity }: LadderLine): boolean {
  return weighed === true || quantity % quantityOne !== 0
}

function unitsKept({ line, first, until }: Kept): number {
  if (isWeighed(line)) return 0
  let at = 0
  let kept = until - first
  for (const { units, free } of line.kinds ?? []) {
    const end = at + units * quantityOne
    if (free) kept -= Math.max(0, Math.min(end, until) - Math.max(at, first))
    at = end
  }
  return kept / quantityOne
}

// The units of an earlier answer's benefit are unknown: they count as the last ones, which are the lightest.
function unitsBack(line: LadderLine, spent: { readonly benefitId: string; readonly units: number }, k: number): number {
  const { quantity, kinds = [] } = line
  const all = unitsOf(line)
  const returned = isWeighed(line) ? Number(k === quantity) : k / quantityOne
  if (spent.units === all) return returned
  const own = kinds.findIndex(({ benefitId }) => benefitId === spent.benefitId)
  const before = own === -1 ? all - spent.units : sumOf(kinds.slice(0, own).map(({ units }) => units))
  return Math.min(spent.units, Math.max(0, returned - before))
}

function paymentsBack({ times, lines }: LadderSpent, ladder: Ladder, returned: Returned): number {
  let [back, whole, all] = [0n, 1n, 0n]
  for (const { at, amount = 0 } of lines) {
    const [share, of] = shareOf(ladder.lines[at]!, returned[at]!)
    back = back * of + BigInt(amount) * share * whole
    whole *= of
    all += BigInt(amount)
    const divisor = greatestDivisor(back, whole)
    back /= divisor
    whole /= divisor
  }
  return Number((BigInt(times) * back) / (whole * all))
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b)
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0)
}
