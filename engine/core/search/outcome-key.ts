import { type Money, sumOf } from '../base/money.js'
import type { Limit } from '../base/programme.js'
import { type Offer, unitsEach } from '../offers/offer.js'
import type { Settled } from '../order/orders.js'

/** Units of an applied offer (times of a bundle, units added), and its amount; 0 if nothing counts them. */
export interface Used {
  readonly offer: Offer
  units: number
  amount: Money
}

/** Applied offers by rank, with the numbers that limits count. */
export function usedOffers({ lines, stacked, orders, plan }: Settled): Map<number, Used> {
  const used = new Map<number, Used>()
  const note = (offer: Offer, units: number, amount: Money) => {
    const known = used.get(offer.rank)
    if (known === undefined) used.set(offer.rank, { offer, units, amount })
    else {
      known.units += units
      known.amount += amount
    }
  }
  for (const { serves } of lines) for (const { offer, pieces, amount } of serves) note(offer, pieces, amount)
  for (const { offer } of stacked) note(offer, 0, 0)
  for (const { offer, amount } of orders.placed) note(offer, 0, amount)
  for (const { offer, units } of plan.free) note(offer, units, 0)
  for (const each of used.values()) each.units = countedUnits(each)
  return used
}

/** Amounts of applied offers, by rank, minor units; for free products their worth. */
export function takenBy({ lines, stacked, orders, plan }: Settled): Map<number, Money> {
  const taken = new Map<number, Money>()
  const note = ({ rank }: Offer, amount: Money) => taken.set(rank, (taken.get(rank) ?? 0) + amount)
  for (const { serves } of lines) for (const { offer, amount } of serves) note(offer, amount)
  for (const { offer, amounts } of stacked) note(offer, sumOf(amounts))
  for (const { offer, amount } of orders.placed) note(offer, amount)
  for (const { offer, gross } of plan.free) note(offer, gross)
  return taken
}

function countedUnits({ offer: { shape }, units }: Used): number {
  if (shape.kind !== 'bundle') return units
  return units / unitsEach(shape.components)
}

/** Tie-breakers of outcomes of equal value, in their order (3-benefits 4). */
interface OutcomeKey {
  readonly limited: number
  readonly priority: number
  readonly ranks: readonly number[]
}

/**
 * Order of outcomes (3-benefits 4): greater value, less limited quantity, higher sum of priorities,
 * fewer benefits, smaller list of benefitIds.
 */
export function goesBefore(one: Settled, other: Settled): boolean {
  if (one.value !== other.value) return one.value > other.value
  const [a, b] = [keyOf(one), keyOf(other)]
  if (a.limited !== b.limited) return a.limited < b.limited
  if (a.priority !== b.priority) return a.priority > b.priority
  if (a.ranks.length !== b.ranks.length) return a.ranks.length < b.ranks.length
  const at = a.ranks.findIndex((rank, index) => rank !== b.ranks[index])
  return at !== -1 && a.ranks[at]! < b.ranks[at]!
}

function keyOf(settled: Settled): OutcomeKey {
  const used = [...usedOffers(settled).values()]
  return {
    limited: used.reduce((sum, each) => sum + limitedQuantity(each), 0),
    priority: used.reduce((sum, { offer }) => sum + offer.benefit.priority, 0),
    ranks: used.map(({ offer }) => offer.rank).sort((a, b) => a - b),
  }
}

function limitedQuantity(used: Used): number {
  let quantity = 0
  for (const { counts } of used.offer.limits) quantity += countedBy(counts, used)
  return quantity
}

export function countedBy(counts: Limit['counts'], { units, amount }: Pick<Used, 'units' | 'amount'>): number {
  if (counts === 'baskets') return 1
  return counts === 'units' ? units : amount
}
