import type { Basis } from '../base/basis.js'
import { type Money, quantityOne } from '../base/money.js'
import type { PricedBasket, Spent } from '../base/outcome.js'
import type { SettledServe } from '../lines/settle-lines.js'
import { usesIn } from '../offers/costs-left.js'
import type { Offer } from '../offers/offer.js'
import type { Settled } from '../order/orders.js'
import type { Used } from '../search/outcome-key.js'

interface Spending {
  readonly basis: Basis
  readonly used: ReadonlyMap<number, Used>
  readonly priced: PricedBasket
}

export function spendingOf(settled: Settled, { basis, used, priced }: Spending): readonly Spent[] {
  const costed = [...used.values()].filter(({ offer }) => offer.cost !== null)
  if (costed.length === 0) return none
  const unitsByRank = unitsIn(settled, basis, priced)
  return costed
    .sort((a, b) => a.offer.rank - b.offer.rank)
    .map((each) => spentOn(each, { priced, units: unitsByRank.get(each.offer.rank)! }))
}

const none: readonly Spent[] = []

interface OnLines {
  readonly priced: PricedBasket
  readonly units: ReadonlyMap<number, OnLine>
}

interface OnLine {
  readonly units: number
  readonly amount?: Money
}

function spentOn({ offer, ...counted }: Used, { priced, units }: OnLines): Spent {
  const { benefitId, costs } = offer.benefit
  const { currencyId, amount, per } = costs!
  const lines = [...units].sort(([a], [b]) => a - b)
  return {
    benefitId,
    currencyId,
    per,
    amount,
    times: (usesIn(offer, counted) * offer.cost!.amount) / amount,
    lines: lines.map(([at, taken]) => ({ lineId: priced.lines[at]!.lineId, ...taken })),
  }
}

function unitsIn({ lines, stacked, orders, plan }: Settled, basis: Basis, priced: PricedBasket) {
  const unitsByRank = new Map<number, Map<number, OnLine>>()
  const note = ({ rank, cost }: Offer, at: number, { units, ...amount }: OnLine) => {
    if (cost === null) return
    const own = unitsByRank.get(rank) ?? new Map<number, OnLine>()
    unitsByRank.set(rank, own.set(at, { units: (own.get(at)?.units ?? 0) + units, ...amount }))
  }
  const partsAt = partsIn(basis, priced)
  const noteAll = (offer: Offer, line: number, orderDiscountId: string | null) => {
    for (const at of partsAt[line]!) {
      const units = basis.lines[line]!.units === 0 ? 1 : priced.lines[at]!.quantity / quantityOne
      note(offer, at, orderDiscountId === null ? { units } : { units, amount: takenOff(priced, at, orderDiscountId) })
    }
  }
  for (const [line, { serves }] of lines.entries())
    noteServes(serves, { pieces: basis.lines[line]!.pieces, parts: partsAt[line]!, note })
  for (const { offer, lines: own } of stacked) for (const line of own) noteAll(offer, line, null)
  const ids = priced.orderDiscounts.flatMap((each) => (each.kind === 'added' ? [each.discount.orderDiscountId] : []))
  for (const [place, { offer, lines: own, shares }] of orders.placed.entries())
    for (const [index, line] of own.entries()) if (shares[index]! > 0) noteAll(offer, line, ids[place]!)
  const added = priced.lines.length - plan.free.length
  for (const [index, { offer, units }] of plan.free.entries()) note(offer, added + index, { units })
  return unitsByRank
}

function takenOff({ lines }: PricedBasket, at: number, orderDiscountId: string): Money {
  return lines[at]!.orderDiscountAllocations.filter((each) => each.orderDiscountId === orderDiscountId).reduce(
    (sum, { amount }) => sum + amount,
    0,
  )
}

function partsIn(basis: Basis, { lines }: PricedBasket): readonly number[][] {
  const lineAt = new Map(basis.lines.map(({ position }, line) => [position, line]))
  const parts = basis.lines.map((): number[] => [])
  for (const [at, { kind, source }] of lines.entries()) if (kind !== 'added') parts[lineAt.get(source)!]!.push(at)
  return parts
}

interface ServedLine {
  readonly pieces: number
  readonly parts: readonly number[]
  readonly note: (offer: Offer, at: number, taken: OnLine) => void
}

// As the line is split: overrides follow the old price, or the last of them replaces it.
function noteServes(serves: readonly SettledServe[], { pieces, parts, note }: ServedLine): void {
  const overrides = serves.filter(({ offer }) => offer.benefit.reward.kind === 'price_override')
  const isWhole = overrides.reduce((left, each) => left - each.pieces, pieces) === 0
  for (const serve of serves) {
    const number = overrides.indexOf(serve)
    const place = number === -1 || (isWhole && number === overrides.length - 1) ? 0 : number + 1
    if (serve.pieces > 0) note(serve.offer, parts[place]!, { units: serve.pieces })
  }
}
