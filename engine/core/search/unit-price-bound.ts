import type { BasisLine } from '../base/basis.js'
import {
  improvedCellsMax,
  nanos,
  pricedCellsMax,
  priceHalvings,
  priceRoundsMax,
  stepsOf,
  stepsPerLine,
} from '../base/costs.js'
import { leastMore } from '../base/tolerance.js'
import { stackOn } from '../lines/plan.js'
import type { ComponentInstance } from '../model/instance.js'
import type { ComponentChoice, SolverTask } from '../model/task.js'
import { type Offer, type ShapeOf, savedEach, savesByTimes, savesTogether } from '../offers/offer.js'
import { type Rate, rateOn } from '../offers/rate.js'
import { offersByProduct } from '../offers/same-product.js'
import { areSame } from '../order/order-bound.js'
import { cellsOf } from './greedy.js'

/** A line with its multiplier, the price of a unit: at least the gain of free benefits from one. */
interface Priced {
  readonly line: BasisLine
  readonly weight: number
  /** Upper bound of the weighted gain of free benefits: per unit, and roundings. */
  readonly least: Rate
  price: number
}

interface Run {
  readonly units: number
  readonly gain: number
}

/** Keeps the incumbent and bounds it for any quantities. */
export function boundByUnitPrices(instance: ComponentInstance, task: SolverTask): ComponentChoice {
  const { start, weights = null, most } = task
  const enough = start.worth + (weights === null ? 1 : leastMore(most))
  const { bound, steps } = unitPriceBound(instance, task, enough)
  return { ...start, bound: weights === null ? Math.floor(bound) : bound, steps }
}

/**
 * Lagrangian relaxation with one multiplier for each line, the price of its units: offers take the units that gain most
 * beyond it, lines sell all. Infinite with own discounts, capped stacks, stackable benefits on several lines, or too
 * many cells. The first bound is computed whatever it takes, and improved within the budget, unless it is below `enough`.
 */
function unitPriceBound(instance: ComponentInstance, { weights = null, stepsMax }: SolverTask, enough: number) {
  const { lines, lineOffers, cappedStacks, offers } = instance
  let steps = stepsPerLine * lines.length
  const hasStacks = lineOffers.some(({ stacks }) => stacks.length > 0)
  // Wide components list their lines only when asked.
  const isWide = lines.length * offers.length > pricedCellsMax
  const cells = isWide ? Number.POSITIVE_INFINITY : offers.reduce((sum, offer) => sum + cellsOf(offer), 0)
  if (
    cells > pricedCellsMax ||
    cappedStacks.length > 0 ||
    lines.some(({ own, cluster }) => own > 0 || cluster !== undefined) ||
    (hasStacks && lines.length > 1)
  )
    return { bound: Number.POSITIVE_INFINITY, steps }
  const priced = lines.map((line, at): Priced => {
    const weight = weights?.[at] ?? 1
    const least = bestRate(lineOffers[at]!.untied.map((offer) => rateOn(offer, line, line.gross)))
    return { line, weight, least, price: least.rate * weight }
  })
  const takers = offers.flatMap(offersByProduct).map((offer) => takerOf(offer, instance, priced))
  const boundOf = () => {
    steps += stepsOf(cells * nanos.priced)
    return relaxed(priced, takers)
  }
  let bound = boundOf()
  for (let round = 0; round < priceRoundsMax && cells <= improvedCellsMax && bound >= enough; round++) {
    for (const each of priced) if (steps < stepsMax) bound = improved(each, boundOf)
  }
  steps = Math.ceil(steps)
  if (!hasStacks) return { bound, steps }
  const [line, weight] = [lines[0]!, priced[0]!.weight]
  const before = Math.max(0, Math.ceil(line.gross - bound / weight - leastMore(line.gross)))
  const gain = weight === 0 ? 0 : (line.gross - stackOn(line, lineOffers[0]!.stacks, before).rest) * weight
  return { bound: gain, steps }
}

// Ternary search: the bound is convex in each multiplier.
function improved(priced: Priced, boundOf: () => number): number {
  const at = (price: number) => {
    priced.price = price
    return boundOf()
  }
  let [low, high] = [priced.least.rate * priced.weight, priced.line.price * priced.weight]
  let [best, least] = [priced.price, boundOf()]
  for (let halving = 0; halving < priceHalvings && low < high; halving++) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3]
    const [atLeft, atRight] = [at(left), at(right)]
    const [price, bound] = atLeft < atRight ? [left, atLeft] : [right, atRight]
    if (bound < least) [best, least] = [price, bound]
    if (atLeft < atRight) high = right
    else low = left
  }
  return at(best)
}

// Each offer on the line rounds once, and a lower rate loses the difference on one piece at least.
function bestRate(rates: readonly Rate[]): Rate {
  const rate = rates.reduce((most, each) => Math.max(most, each.rate), 0)
  const slack = rates.reduce((sum, each) => sum + Math.max(0, each.slack - (rate - each.rate)), 0)
  return { rate, slack: rate === 0 ? 0 : slack }
}

function relaxed(priced: readonly Priced[], takers: readonly Taker[]): number {
  let sum = 0
  for (const { line, weight, least, price } of priced) {
    // Units kept gain at most their price, plus one rounding: keeping none or one bounds all.
    sum += line.pieces * price + Math.max(0, (least.rate + least.slack) * weight - price)
  }
  for (const taker of takers) sum += taker()
  return sum + leastMore(sum)
}

type Taker = () => number

function takerOf(offer: Offer, instance: ComponentInstance, priced: readonly Priced[]): Taker {
  const { shape } = offer
  const at = (positions: readonly number[]) => positions.map((position) => priced[instance.indexOf.get(position)!]!)
  const own = at(offer.lines)
  const most = Math.min(offer.maximumAmount, offer.amountMax)
  const money = most === Number.POSITIVE_INFINITY ? most : most * Math.max(...own.map(({ weight }) => weight))
  if (savesTogether(offer)) return togetherTaker(offer, { at, own, money })
  const rates = own.map(({ line }) => rateOn(offer, line, line.gross))
  const slack = own.reduce((sum, { weight }, index) => sum + rates[index]!.slack * weight, 0)
  if (shape.kind === 'bundle') {
    const rateOf = new Map(own.map((each, index) => [each, rates[index]!.rate]))
    const gainOf = (of: Priced): Source => ({ of, gain: rateOf.get(of)! * of.weight })
    const sources = shape.components.map(({ lines, quantity }) => ({ quantity, sources: at(lines).map(gainOf) }))
    const timesMax = Math.min(shape.timesMax, timesFitting(sources))
    return () => Math.min(money, mostOfTimes(sources.map(partOf), timesMax, 0) + slack)
  }
  const got = own.map((each, index): Source => ({ of: each, gain: rates[index]!.rate * each.weight }))
  if (shape.kind === 'buy_get') {
    const bought = at(shape.buyLines).map((each): Source => ({ of: each, gain: 0 }))
    const parts = [
      { quantity: shape.get, sources: got },
      { quantity: shape.buy, sources: bought },
    ]
    const cyclic = cyclicGain(shape, offer, got)
    const timesMax = Math.min(shape.timesMax, timesFitting(parts))
    return () => Math.min(money, Math.min(cyclic, mostOfTimes(parts.map(partOf), timesMax, 0)) + slack)
  }
  return () => Math.min(money, mostOfTimes([partOf({ quantity: 1, sources: got })], offer.unitsMax, 0) + slack)
}

interface TakerLines {
  readonly at: (positions: readonly number[]) => Priced[]
  readonly own: readonly Priced[]
  readonly money: number
}

// A price is paid on the lines that weigh least, an amount comes off those that weigh most.
function togetherTaker(offer: Offer, { at, own, money }: TakerLines): Taker {
  const { components, timesMax: most } = offer.shape as ShapeOf<'bundle'>
  const saved = savedEach(offer)
  const isAmount = savesByTimes(offer)
  const weights = own.map(({ weight }) => weight)
  const cost = -saved * (isAmount ? Math.max(...weights) : Math.min(...weights))
  const sourceOf = (of: Priced): Source => ({ of, gain: isAmount ? 0 : of.line.price * of.weight })
  const sources = components.map(({ lines, quantity }) => ({ quantity, sources: at(lines).map(sourceOf) }))
  const timesMax = Math.min(most, timesFitting(sources))
  return () => Math.min(money, mostOfTimes(sources.map(partOf), timesMax, cost))
}

// If all units can be bought or got, a unit got is never dearer than those bought for it. So of the units from any
// price on, only `get` of each whole time are got, and of the remainder the units beyond `buy`.
function cyclicGain({ buy, get, buyLines }: ShapeOf<'buy_get'>, { lines }: Offer, got: readonly Source[]): number {
  const isCyclic = areSame(lines, buyLines) && got.every(({ of }) => of.weight === got[0]!.of.weight)
  if (!isCyclic) return Number.MAX_VALUE
  const falling = [...got].sort((a, b) => b.gain - a.gain)
  let [most, units] = [0, 0]
  for (const [index, { of, gain }] of falling.entries()) {
    units += of.line.pieces
    const whole = Math.floor(units / (buy + get))
    const from = whole * get + Math.max(0, units - whole * (buy + get) - buy)
    most += from * (gain - (falling[index + 1]?.gain ?? 0))
  }
  return most
}

interface Source {
  readonly of: Priced
  readonly gain: number
}

interface Taken {
  readonly quantity: number
  readonly sources: readonly Source[]
}

// Upper bound of the times, whichever part takes the units.
function timesFitting(taken: readonly Taken[]): number {
  const lines = new Set(taken.flatMap(({ sources }) => sources.map(({ of }) => of.line)))
  const units = [...lines].reduce((sum, { pieces }) => sum + pieces, 0)
  return Math.floor(units / taken.reduce((sum, { quantity }) => sum + quantity, 0))
}

function partOf({ quantity, sources }: Taken): PricedPart {
  const runs = sources.map(({ of, gain }): Run => ({ units: of.line.pieces, gain: gain - of.price }))
  return { quantity, runs: runs.sort((a, b) => b.gain - a.gain) }
}

interface PricedPart {
  readonly quantity: number
  /** By falling gain. */
  readonly runs: readonly Run[]
}

// Binary search: the gain is concave in the times.
function mostOfTimes(parts: readonly PricedPart[], timesMax: number, cost: number): number {
  const units = parts.map(({ runs }) => runs.reduce((sum, each) => sum + each.units, 0))
  let most = timesMax
  for (const [index, { quantity }] of parts.entries()) most = Math.min(most, Math.floor(units[index]! / quantity))
  const gainOf = (times: number) =>
    parts.reduce((sum, { quantity, runs }) => sum + gainOfUnits(runs, times * quantity), -times * cost)
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (gainOf(middle + 1) > gainOf(middle)) low = middle + 1
    else high = middle
  }
  return Math.max(0, gainOf(low))
}

function gainOfUnits(runs: readonly Run[], units: number): number {
  let [left, gain] = [units, 0]
  for (let index = 0; index < runs.length && left > 0; index++) {
    const taken = Math.min(left, runs[index]!.units)
    gain += taken * runs[index]!.gain
    left -= taken
  }
  return gain
}
