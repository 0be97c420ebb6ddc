import type { Basis } from '../base/basis.js'
import { type Money, percentageWhole, quantityTimes, sumOf } from '../base/money.js'
import { gainAlone, heldBy, replaces } from '../lines/plan.js'
import { holds } from '../match/line-index.js'
import type { BundlePart, Offer, ShapeOf } from '../offers/offer.js'
import { percentageOn } from '../offers/rate.js'
import { orderAmountOf } from '../order/orders.js'

/** Upper bounds of the value of single offers, minor units, without a search. */
export function mostWorthIn(basis: Basis): (offer: Offer) => number {
  const { lines, gross, net } = basis
  const listed = listedIn(lines)
  const changing = gross === net ? null : changingIn(basis)
  const within = (offer: Offer, most: number) => {
    const amount = Math.min(most, offer.amountMax)
    return changing === null ? amount : Math.min(amount, changing(offer))
  }
  return (offer) => {
    const { shape, unitsMax } = offer
    if (unitsMax === 0) return 0
    switch (shape.kind) {
      case 'free':
        return quantityTimes(Math.min(shape.quantity, unitsMax) * 1000, shape.product.unitPrice)
      case 'order':
        return worthOnOrder(basis, offer)
      case 'line':
        return within(offer, mostOnLines(lines, offer))
      case 'buy_get':
        return within(offer, mostOfBuyGet(listed, offer, shape))
      case 'bundle':
        return within(offer, mostOfBundle(listed, offer, shape))
    }
  }
}

// Exact: order discounts of the POS either all stay or all go.
function worthOnOrder({ lines, orderDiscounts }: Basis, offer: Offer): Money {
  if (!replaces(offer)) return orderAmountOf(offer, sumOf(offer.lines.map((at) => lines[at]!.net)))
  const amount = orderAmountOf(offer, sumOf(offer.lines.map((at) => heldBy(lines[at]!))))
  return Math.max(0, amount - sumOf(orderDiscounts.map((each) => each.amount)))
}

/** Net of the lines that can change: the offer's own, and those that order discounts may move to. */
function changingIn({ lines, net, orderDiscounts }: Basis): (offer: Offer) => Money {
  const carriers = orderDiscounts.map((): number[] => [])
  for (let at = 0; at < lines.length; at++)
    for (const { discount } of lines[at]!.allocations) carriers[discount]!.push(at)
  // The last call that counted it.
  const changed = new Int32Array(lines.length)
  const moved = new Int32Array(orderDiscounts.length)
  let turn = 0
  return ({ lines: own }) => {
    if (own.length === lines.length) return net
    turn++
    let changing = 0
    const change = (at: number) => {
      if (changed[at] === turn) return
      changed[at] = turn
      changing += lines[at]!.net
    }
    for (let index = 0; index < own.length; index++) {
      const at = own[index]!
      change(at)
      for (const { discount } of lines[at]!.allocations) {
        if (moved[discount] === turn) continue
        moved[discount] = turn
        for (const other of carriers[discount]!) change(other)
      }
    }
    return changing
  }
}

function mostOnLines(lines: Basis['lines'], offer: Offer): number {
  let most = 0
  for (const at of offer.lines) most += gainAlone(lines[at]!, offer)
  return Math.min(offer.maximumAmount, most)
}

function mostOfBuyGet(listed: TotalsByList, offer: Offer, shape: ShapeOf<'buy_get'>): number {
  const gets = listed.of(offer.lines)
  let all = gets.pieces
  if (shape.buyLines !== offer.lines) for (const at of shape.buyLines) all += gets.has(at) ? 0 : gets.piecesOf(at)
  const times = Math.min(shape.timesMax, Math.floor(all / (shape.buy + shape.get)))
  const share = percentageOn(offer)! / percentageWhole
  const roundings = share === 1 ? 0 : offer.lines.length / 2
  return Math.min(gets.gross, Math.floor(gets.dearest(times * shape.get) * share + roundings))
}

// Times are counted only until all units would be free.
function mostOfBundle(listed: TotalsByList, offer: Offer, shape: ShapeOf<'bundle'>): number {
  const { gross } = listed.of(offer.lines)
  let priciest = 0
  for (const part of shape.components) priciest += part.quantity * listed.dearestOf(part)
  const each = priciest - shape.price
  if (each <= 0) return 0
  let times = Math.min(shape.timesMax, Math.floor(gross / each) + 1)
  for (const part of shape.components) {
    times = Math.floor(listed.piecesUpTo(part, times * part.quantity) / part.quantity)
  }
  return Math.min(each * times, gross)
}

/** Arrays of numbers, as thousands of lists may be scanned. */
interface Amounts {
  readonly pieces: Float64Array
  readonly gross: Float64Array
  readonly price: Float64Array
}

class LineTotals {
  pieces = 0
  gross = 0
  private marks: Uint8Array | null = null

  constructor(
    private readonly amounts: Amounts,
    private readonly positions: readonly number[],
    private readonly byPrice: () => readonly number[],
  ) {
    for (let index = 0; index < positions.length; index++) {
      const at = positions[index]!
      this.pieces += amounts.pieces[at]!
      this.gross += amounts.gross[at]!
    }
  }

  has(at: number): boolean {
    return this.inside()[at] === 1
  }

  piecesOf(at: number): number {
    return this.amounts.pieces[at]!
  }

  /** Cost of the dearest units, of all if there are fewer. */
  dearest(units: number): number {
    let [left, cost] = [units, 0]
    const [order, inside] = [this.byPrice(), this.inside()]
    for (let index = 0; index < order.length && left > 0; index++) {
      const at = order[index]!
      if (inside[at] === 0) continue
      cost += Math.min(left, this.amounts.pieces[at]!) * this.amounts.price[at]!
      left -= this.amounts.pieces[at]!
    }
    return cost
  }

  private inside(): Uint8Array {
    if (this.marks !== null) return this.marks
    this.marks = new Uint8Array(this.amounts.pieces.length)
    for (let index = 0; index < this.positions.length; index++) this.marks[this.positions[index]!] = 1
    return this.marks
  }
}

interface TotalsByList {
  /** Cached by list, as offers share lists. */
  of(positions: readonly number[]): LineTotals
  dearestOf(part: BundlePart): number
  /** Units of a component, at most `most`. */
  piecesUpTo(part: BundlePart, most: number): number
}

/** Entries of a list for each of the dearest lines that is looked for in it, before the list itself is gone through. */
const entriesPerLookup = 16

function listedIn(lines: Basis['lines']): TotalsByList {
  const cached = new Map<readonly number[], LineTotals>()
  const amounts = {
    pieces: Float64Array.from(lines, ({ pieces }) => pieces),
    gross: Float64Array.from(lines, ({ gross }) => gross),
    price: Float64Array.from(lines, ({ price }) => price),
  }
  let order: readonly number[] | null = null
  let all: number | null = null
  const byPrice = () => {
    order ??= [...lines.keys()].sort((a, b) => lines[b]!.price - lines[a]!.price)
    return order
  }
  return {
    of(positions) {
      let listed = cached.get(positions)
      if (listed === undefined) {
        listed = new LineTotals(amounts, positions, byPrice)
        cached.set(positions, listed)
      }
      return listed
    },
    // Long lists usually have one of the dearest lines.
    dearestOf(part) {
      const { left } = part
      if (left !== undefined) return amounts.price[firstBut(left, byPrice())]!
      const positions = part.lines
      const lookups = Math.floor(positions.length / entriesPerLookup)
      for (let index = 0; index < lookups; index++) {
        const at = byPrice()[index]!
        if (holds(positions, at)) return amounts.price[at]!
      }
      let price = 0
      for (let index = 0; index < positions.length; index++) price = Math.max(price, amounts.price[positions[index]!]!)
      return price
    },
    piecesUpTo(part, most) {
      let pieces = 0
      if (part.left !== undefined) {
        all ??= amounts.pieces.reduce((sum, each) => sum + each, 0)
        for (let index = 0; index < part.left.length; index++) pieces += amounts.pieces[part.left[index]!]!
        return Math.min(most, all - pieces)
      }
      const positions = part.lines
      for (let index = 0; index < positions.length && pieces < most; index++)
        pieces += amounts.pieces[positions[index]!]!
      return Math.min(most, pieces)
    },
  }
}

// Most lines are not left out.
function firstBut(left: readonly number[], order: readonly number[]): number {
  let index = 0
  while (holds(left, order[index]!)) index++
  return order[index]!
}
