import type { Basis } from '../base/basis.js'
import type { Basket, Line } from '../base/basket.js'
import { compareCodePoints } from '../base/code-points.js'
import type { LadderKind, LadderLine } from '../base/earning.js'
import { floorProduct, type Money, percentageWhole, type Quantity, quantityOne, wholeUnits } from '../base/money.js'
import type { OutcomeLine } from '../base/outcome.js'
import type { SettledServe } from '../lines/settle-lines.js'
import { percentageOn } from '../offers/rate.js'
import { type PricedFor, paidFor, type SentHow, unitsGivenBefore } from './charge.js'

export interface ChargedLines {
  readonly lines: readonly LadderLine[]
  readonly parts: readonly (readonly number[])[]
  /** By position in `lines`: the thousandths at full price (4-member-value 5), the first ones in the order of its kinds. */
  readonly full: readonly Quantity[]
}

export function linesAsReturned(it: PricedFor): ChargedLines {
  const { basis, settled, priced, paidTotal = null } = it
  const shares = paidFor(priced.lines, paidTotal)
  const parts: number[][] = []
  const lines = priced.lines.map((line, index): LadderLine => {
    const { kind, lineId, quantity, totals } = line
    if (kind === 'sent') parts.push([index])
    else if (kind === 'split') parts.at(-1)!.push(index)
    const at = parts.length - 1
    const units = kind !== 'added' && basis.lines[at]!.units === 0 ? 0 : wholeUnits(quantity)
    const serves = kind === 'sent' ? settled.lines[at]!.serves : []
    const added = kind === 'added' ? { added: true as const } : {}
    return {
      ...{ lineId, quantity, paid: shares[index]!, due: totals.net, ...added },
      ...kindsOf(line, units, { serves, capped: settled.capped }),
    }
  })
  return { lines, parts, full: lines.map((line, at) => fullOf(line, priced.lines[at]!)) }
}

export function linesAsSent({ lines: sent }: Basket, basis: Basis, { paid, isGiven }: SentHow): ChargedLines {
  const shares = paidFor(sent, paid)
  const lines = sent.map((line, at): LadderLine => lineAsSent(line, shares[at]!))
  for (const { position, units } of basis.lines) {
    lines[position] = { ...lines[position]!, ...kindsAsSent(sent[position]!, units, isGiven) }
  }
  const parts = basis.lines.map(({ position }) => [position])
  return { lines, parts, full: lines.map((line, at) => fullOf(line, sent[at]!)) }
}

export function lineAsSent({ lineId, quantity, totals, addedByLoyalty }: Line, paid: Money): LadderLine {
  return { lineId, quantity, paid, due: totals.net, ...(addedByLoyalty ? { added: true as const } : {}) }
}

/** The part of an amount on a line that its units at full price come to: F of 4-member-value 5. */
export function partAtFullPrice(
  { quantity, hold = 0, kinds = [] }: LadderLine,
  { amount, full }: { readonly amount: Money; readonly full: Quantity },
): Money {
  const weight = kinds.reduce((left, { taken }) => left - taken, hold)
  if (weight <= 0) return floorProduct(full, amount, quantity)
  return Number((BigInt(full) * BigInt(hold) * BigInt(amount)) / (BigInt(quantity) * BigInt(weight)))
}

// None with an override, or where a discount takes the whole line.
function fullOf(
  line: LadderLine,
  { overrideUnitPrice, totals }: Pick<OutcomeLine, 'overrideUnitPrice' | 'totals'>,
): Quantity {
  const { quantity, kinds = [] } = line
  const taken = kinds.reduce((sum, kind) => sum + kind.taken, 0)
  if (overrideUnitPrice !== null || totals.lineDiscount !== taken) return 0
  return kinds.reduce((left, kind) => (kind.taken > 0 ? left - kind.units * quantityOne : left), quantity)
}

type Kinds = Pick<LadderLine, 'weighed' | 'hold' | 'kinds'>

interface Served {
  readonly serves: readonly SettledServe[]
  readonly capped: ReadonlySet<number>
}

function kindsOf({ totals, discounts, amounts }: OutcomeLine, units: number, { serves, capped }: Served): Kinds {
  const served = serves.flatMap(({ offer, pieces, amount, share }): LadderKind[] => {
    const { benefitId, reward } = offer.benefit
    const own = share === undefined ? pieces : (units * share.pieces) / share.of
    if (own === 0 || !Number.isInteger(own) || reward.kind === 'price_override') return []
    const isFree = offer.shape.kind !== 'bundle' && percentageOn(offer) === percentageWhole
    return [{ units: own, taken: amount, benefitId, free: isFree && !capped.has(offer.rank) }]
  })
  const own = discounts.reduce((sum, { kind }, at) => sum + (kind === 'kept' ? amounts[at]! : 0), 0)
  return inOrder(units, served, totals.gross - own)
}

function kindsAsSent(sent: Line, units: number, isGiven: SentHow['isGiven']): Kinds {
  const free = units === 0 ? 0 : unitsGivenBefore(sent, units, isGiven)
  if (free === 0) return inOrder(units, [], 0)
  const taken = sent.discounts.reduce((sum, each) => sum + (isGiven(each) ? each.amount : 0), 0)
  const own = sent.totals.lineDiscount - taken
  return inOrder(units, [{ units: free, taken, benefitId: '', free: true }], sent.totals.gross - own)
}

function inOrder(units: number, served: readonly LadderKind[], hold: Money): Kinds {
  const left = served.reduce((sum, kind) => sum - kind.units, units)
  if (units === 0) return { weighed: true }
  if (served.length === 0 || (served.length === 1 && left === 0)) return {}
  const others = left === 0 ? [] : [{ units: left, taken: 0, benefitId: '', free: false }]
  return { hold, kinds: [...others, ...served].sort(byWeight) }
}

function byWeight(a: LadderKind, b: LadderKind): number {
  const heavier = BigInt(a.taken) * BigInt(b.units) - BigInt(b.taken) * BigInt(a.units)
  if (heavier !== 0n) return heavier < 0n ? -1 : 1
  return compareCodePoints(a.benefitId, b.benefitId)
}
