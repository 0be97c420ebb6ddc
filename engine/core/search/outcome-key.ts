import type { Basis, BasisLine } from '../base/basis.js'
import type { Offer } from '../offers/offer.js'
import type { Settled } from '../order/settle-basket.js'

/** What ties are broken by (3-benefits 4), in the order in which it counts. */
export interface OutcomeKey {
  readonly value: number
  readonly limited: number
  readonly priority: number
  /** Ranks of the applied benefits, ascending; ranks follow benefitId. */
  readonly ranks: readonly number[]
  /** Pieces that have the very price that an earlier answer of ours gave them. */
  readonly again: number
  /** Line position, rank, units; ascending. */
  readonly serves: readonly (readonly [number, number, number])[]
}

/** What is used of an applied offer: units it discounts (times of a bundle, units added); 0 where nothing counts them. */
export interface Used {
  readonly offer: Offer
  units: number
}

/** The applied offers of an outcome by rank, with the units that limits count. */
export function usedOffers({ lines, stacked, orders, plan }: Settled): Map<number, Used> {
  const used = new Map<number, Used>()
  const note = (offer: Offer, units: number) => {
    const known = used.get(offer.rank)
    if (known === undefined) used.set(offer.rank, { offer, units })
    else known.units += units
  }
  for (const { serves } of lines) for (const { offer, pieces } of serves) note(offer, pieces)
  for (const { offer } of stacked) note(offer, 0)
  for (const { offer } of orders.placed) note(offer, 0)
  for (const { offer, units } of plan.free) note(offer, units)
  for (const each of used.values()) each.units = countedUnits(each)
  return used
}

/** Quantity an applied offer takes of each of its limits: 1 of a basket limit, units of the others. */
export function limitedQuantity({ offer, units }: Used): number {
  let quantity = 0
  for (const { counts } of offer.limits) quantity += counts === 'baskets' ? 1 : units
  return quantity
}

/** The key of an outcome; free products stand behind the last line. */
export function keyOf({ lines: basisLines }: Basis, settled: Settled): OutcomeKey {
  const used = [...usedOffers(settled).values()]
  const serves: [number, number, number][] = []
  let again = 0
  for (let at = 0; at < settled.lines.length; at++) {
    const line = settled.lines[at]!
    for (const { offer, pieces, bought } of line.serves) {
      serves.push([at, offer.rank, pieces + bought])
      if (isAgain(basisLines[at]!, offer)) again += pieces
    }
  }
  for (const { offer, lines } of settled.stacked) for (const at of lines) serves.push([at, offer.rank, 0])
  for (const { offer, lines } of settled.orders.placed) {
    for (const at of lines) serves.push([at, offer.rank, 0])
  }
  for (const { offer, units } of settled.plan.free) serves.push([settled.lines.length, offer.rank, units])
  return {
    value: settled.value,
    limited: used.reduce((sum, each) => sum + limitedQuantity(each), 0),
    priority: used.reduce((sum, { offer }) => sum + offer.benefit.priority, 0),
    ranks: used.map(({ offer }) => offer.rank).sort((a, b) => a - b),
    again,
    serves: serves.sort(compareNumbers),
  }
}

/**
 * Whether one outcome goes before another: greater value; then less limited quantity, higher priorities, fewer
 * benefits, the smaller list of benefitIds; of a basket that comes again, more units at the price they had already; the
 * smallest list of (line position, benefitId, units). The end of such a
 * list counts as a line behind all others: no line is left out without need, and a discount is spread over all lines
 * that it matches (3-benefits 2).
 */
export function goesBefore(a: OutcomeKey, b: OutcomeKey): boolean {
  if (a.value !== b.value) return a.value > b.value
  if (a.limited !== b.limited) return a.limited < b.limited
  if (a.priority !== b.priority) return a.priority > b.priority
  if (a.ranks.length !== b.ranks.length) return a.ranks.length < b.ranks.length
  const byRank = compareNumbers(a.ranks, b.ranks)
  if (byRank !== 0) return byRank < 0
  if (a.again !== b.again) return a.again > b.again
  for (let at = 0; at < Math.min(a.serves.length, b.serves.length); at++) {
    const order = compareNumbers(a.serves[at]!, b.serves[at]!)
    if (order !== 0) return order < 0
  }
  return a.serves.length > b.serves.length
}

/** Whether a price override gives a line the price that an earlier answer gave it (wire decisions 9). */
function isAgain({ sent, override }: BasisLine, { benefit: { reward } }: Offer): boolean {
  const isTakenOff = sent.overrideUnitPrice !== override
  return isTakenOff && reward.kind === 'price_override' && reward.unitPrice === sent.overrideUnitPrice
}

function countedUnits({ offer: { shape }, units }: Used): number {
  if (shape.kind !== 'bundle') return units
  return units / shape.components.reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Compares two lists number by number; of two of which one begins the other, the shorter goes first. */
export function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at]! - b[at]!
  return a.length - b.length
}
