import { type BasisLine, compareAsSent, partOf } from '../base/basis.js'
import { nanos, shares, stepsOf, stepsPerLine } from '../base/costs.js'
import { percentageWhole } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import { adds, heldBy, type LinePlan, planLine } from '../lines/plan.js'
import type { ComponentInstance } from '../model/instance.js'
import type { ComponentChoice, SolverTask } from '../model/task.js'
import { hasAmountMax, type Offer, type ShapeOf, savedEach, savesByTimes } from '../offers/offer.js'
import { percentageOn, rateOf } from '../offers/rate.js'
import { offersByProduct } from '../offers/same-product.js'
import { piecesWithin } from '../offers/units-within.js'

/**
 * Good plans, quickly: offer after offer takes the pieces that gain most over their worth without it. Runs of equal
 * times are taken at once: time does not depend on quantities.
 */
export function planGreedily(
  instance: ComponentInstance,
  { start, judge, judgeSteps, stepsMax }: SolverTask,
): ComponentChoice {
  const { plans, steps: own } = greedyPlans(instance, stepsMax * shares.start)
  const steps = own + judgeSteps
  const worth = judge(plans)
  const best = worth !== null && worth > start.worth ? { plans, worth } : start
  return { ...best, bound: Number.POSITIVE_INFINITY, steps }
}

function greedyPlans(instance: ComponentInstance, stepsMax: number): { plans: LinePlan[]; steps: number } {
  const { alone, offers } = instance
  const table = new Table(instance)
  let steps = 2 * stepsPerLine * instance.lines.length
  for (const index of greedyOrder(instance)) {
    const offer = offers[index]!
    const rounds = table.serve(offer)
    steps += Math.ceil(stepsOf(cellsOf(offer) * (nanos.made + rounds * nanos.share)))
    if (steps >= stepsMax) break
  }
  const plans = instance.lines.map((line, at) => {
    const serves = table.servesOn(at)
    return serves.length === 0 ? alone[at]! : planLine(line, instance.lineOffers[at]!, serves)
  })
  return { plans, steps }
}

/** Lines of an offer, each once for each role it has there. */
export function cellsOf({ shape, lines }: Offer): number {
  if (shape.kind === 'bundle') return shape.components.reduce((sum, each) => sum + each.lines.length, 0)
  return shape.kind === 'buy_get' ? lines.length + shape.buyLines.length : lines.length
}

/** Lines of a `buy_get`, dearest first; in `buys` lines that cannot be got come first. */
interface BuyGetLists {
  readonly gets: readonly number[]
  readonly buys: readonly number[]
  /** null: all of `buys`. */
  readonly gettable: ReadonlySet<number> | null
  /** null: all of `gets`. */
  readonly buyable: ReadonlySet<number> | null
}

/** Units that one time takes of lines; reused. */
class Needs {
  readonly lines: number[] = []
  /** By line: units discounted, and units only bought. */
  readonly taken: number[]
  readonly bought: number[]

  constructor(lineCount: number) {
    this.taken = new Array<number>(lineCount).fill(0)
    this.bought = new Array<number>(lineCount).fill(0)
  }

  clear(): void {
    const { lines, taken, bought } = this
    for (let index = 0; index < lines.length; index++) {
      taken[lines[index]!] = 0
      bought[lines[index]!] = 0
    }
    lines.length = 0
  }

  add(at: number, units: number, as: 'taken' | 'bought'): void {
    if (this.taken[at] === 0 && this.bought[at] === 0) this.lines.push(at)
    this[as][at]! += units
  }
}

/** Picks a time: returns at least its amount, above 0; null: no further time gains. */
type Picker = () => number | null

class Table {
  private readonly left: number[]
  /** Gain of a piece without the offers, by line, minor units. */
  private readonly worth: number[]
  private readonly serves: { readonly offer: Offer; pieces: number; bought: number }[][]
  private readonly needs: Needs

  constructor(private readonly instance: ComponentInstance) {
    const { lines, alone } = instance
    this.left = lines.map(({ pieces }) => pieces)
    this.serves = lines.map(() => [])
    this.worth = lines.map((line, at) => (heldBy(line) - alone[at]!.restBound) / line.pieces)
    this.needs = new Needs(lines.length)
  }

  serve(offer: Offer): number {
    const { shape } = offer
    if (shape.kind === 'buy_get' || shape.kind === 'bundle') {
      return this.serveTimes(
        offer,
        shape.timesMax,
        offersByProduct(offer).map((each) => this.pickerOf(each)),
      )
    }
    this.serveUnits(offer)
    return 1
  }

  private pickerOf(offer: Offer): Picker {
    const { shape } = offer
    if (shape.kind === 'buy_get') {
      const lists = this.listsOf(offer, shape.buyLines)
      return () => this.pickBuyGet(offer, shape, lists)
    }
    const bundle = shape as ShapeOf<'bundle'>
    const lists = bundle.components.map(({ lines }) => this.byAhead(lines))
    return () => this.pickBundle(offer, bundle, lists)
  }

  servesOn(at: number): readonly Serve[] {
    return this.serves[at]!.sort((a, b) => a.offer.rank - b.offer.rank)
  }

  private listsOf(offer: Offer, buyLines: readonly number[]): BuyGetLists {
    const gets = this.byCost(offer.lines)
    if (buyLines === offer.lines) return { gets, buys: gets, gettable: null, buyable: null }
    const bought = this.byCost(buyLines)
    const gettable = new Set(gets)
    const pure = bought.filter((at) => !gettable.has(at)).sort((a, b) => this.worth[a]! - this.worth[b]!)
    const buys = [...pure, ...bought.filter((at) => gettable.has(at))]
    return { gets, buys, gettable, buyable: new Set(bought) }
  }

  private serveUnits(offer: Offer): void {
    let left = offer.unitsMax
    let amount = offer.maximumAmount
    let money = offer.amountMax
    const candidates = this.indices(offer.lines)
      .map((at) => ({ at, gain: this.gainOn(offer, at) }))
      .filter(({ at, gain }) => gain > this.worth[at]!)
      .sort((a, b) => b.gain - this.worth[b.at]! - (a.gain - this.worth[a.at]!) || a.at - b.at)
    for (const { at, gain } of candidates) {
      const line = this.instance.lines[at]!
      const within = hasAmountMax(offer) ? piecesWithin(offer, money, { line, hold: line.gross }) : left
      const pieces = Math.min(left, this.left[at]!, within)
      if (offer.wholeLine && pieces < line.pieces) continue
      if (Math.min(gain * pieces, amount) <= this.worth[at]! * pieces) continue
      this.give(offer, at, [pieces, 0])
      left -= pieces
      amount -= gain * pieces
      if (hasAmountMax(offer) && pieces > 0) money -= offer.amountOn(line, pieces, partOf(line, pieces, line.gross))
    }
  }

  private serveTimes(offer: Offer, timesMax: number, pickers: readonly Picker[]): number {
    const { lines, taken, bought } = this.needs
    let left = timesMax
    let money = offer.amountMax
    let rounds = 0
    for (let next = 0; next < pickers.length && left > 0; ) {
      rounds++
      const amount = pickers[next]!()
      let times = amount === null ? 0 : Math.min(left, Math.floor(money / amount))
      if (amount === null || times === 0) {
        next++
        continue
      }
      for (const at of lines) times = Math.min(times, Math.floor(this.left[at]! / (taken[at]! + bought[at]!)))
      for (const at of lines) this.give(offer, at, [taken[at]! * times, bought[at]! * times])
      left -= times
      money -= amount * times
    }
    return rounds
  }

  // Buys units that cannot be got, then the dearest, and gets the next dearest.
  private pickBuyGet(
    offer: Offer,
    shape: ShapeOf<'buy_get'>,
    { gets, buys, gettable, buyable }: BuyGetLists,
  ): number | null {
    const { needs, worth } = this
    const { lines } = this.instance
    needs.clear()
    if (!this.pick(buys, shape.buy, 'bought')) return null
    let cheapest: BasisLine | null = null
    for (const at of needs.lines) {
      const isLess = cheapest === null || compareAsSent(lines[at]!, cheapest) < 0
      if (isLess && (gettable?.has(at) ?? true)) cheapest = lines[at]!
    }
    const isBelow = (at: number) =>
      cheapest === null || compareAsSent(lines[at]!, cheapest) <= 0 || !(buyable?.has(at) ?? true)
    if (!this.pick(gets, shape.get, 'taken', isBelow)) return null
    const share = percentageOn(offer)! / percentageWhole
    let [profit, amount] = [0, 0]
    for (const at of needs.lines) {
      const [taken, bought] = [needs.taken[at]!, needs.bought[at]!]
      const off = taken * share * lines[at]!.price
      profit += off - (taken + bought) * worth[at]!
      amount += Math.ceil(off)
    }
    return profit > 0 ? amount : null
  }

  private pickBundle(
    offer: Offer,
    { components }: ShapeOf<'bundle'>,
    lists: readonly (readonly number[])[],
  ): number | null {
    const saved = savedEach(offer)
    const share = savesByTimes(offer) ? 0 : (percentageOn(offer) ?? percentageWhole) / percentageWhole
    this.needs.clear()
    if (!components.every(({ quantity }, index) => this.pick(lists[index]!, quantity, 'taken'))) return null
    const { lines, taken } = this.needs
    let [profit, amount] = [saved, saved]
    for (const at of lines) {
      const off = share * taken[at]! * this.instance.lines[at]!.price
      profit += off - taken[at]! * this.worth[at]!
      amount += Math.ceil(off)
    }
    return profit > 0 ? amount : null
  }

  private pick(
    from: readonly number[],
    units: number,
    as: 'taken' | 'bought',
    allows: ((at: number) => boolean) | null = null,
  ): boolean {
    const { needs, left: open } = this
    let left = units
    for (let index = 0; index < from.length && left > 0; index++) {
      const at = from[index]!
      if (open[at] === 0 || allows?.(at) === false) continue
      const here = Math.min(left, open[at]! - needs.taken[at]! - needs.bought[at]!)
      if (here === 0) continue
      needs.add(at, here, as)
      left -= here
    }
    return left === 0
  }

  private give(offer: Offer, at: number, [taken, bought]: readonly [number, number]): void {
    let serve = this.serves[at]!.find((each) => each.offer === offer)
    if (serve === undefined) {
      serve = { offer, pieces: 0, bought: 0 }
      this.serves[at]!.push(serve)
    }
    serve.pieces += taken
    serve.bought += bought
    this.left[at]! -= taken + bought
  }

  private gainOn(offer: Offer, at: number): number {
    const line = this.instance.lines[at]!
    const stays = adds(offer)
    return rateOf(offer, line, stays ? heldBy(line) : line.gross) - (stays ? 0 : line.own / line.pieces)
  }

  private byCost(lines: readonly number[]): readonly number[] {
    const { lines: all } = this.instance
    return this.indices(lines).sort((a, b) => compareAsSent(all[b]!, all[a]!) || a - b)
  }

  private byAhead(lines: readonly number[]): readonly number[] {
    const gainOf = (at: number) => this.instance.lines[at]!.price - this.worth[at]!
    return this.indices(lines).sort((a, b) => gainOf(b) - gainOf(a) || a - b)
  }

  private indices(lines: readonly number[]): number[] {
    const { positions, indexOf } = this.instance
    // If the component is the whole basket, positions equal indices.
    const isWhole = positions.at(-1) === positions.length - 1
    const indices: number[] = []
    for (let index = 0; index < lines.length; index++) {
      const at = isWhole ? lines[index]! : indexOf.get(lines[index]!)!
      if (this.left[at]! > 0) indices.push(at)
    }
    return indices
  }
}

/** Offers by falling gain on a piece of their first line. */
function greedyOrder({ lines, offers, indexOf }: ComponentInstance): number[] {
  const density = offers.map((offer) => {
    const line = lines[indexOf.get(offer.lines[0]!)!]!
    const { shape } = offer
    if (shape.kind === 'bundle') return line.price / 2
    const share = shape.kind === 'buy_get' ? shape.get / (shape.get + shape.buy) : 1
    return share * rateOf(offer, line, line.gross)
  })
  return offers.map((_, index) => index).sort((a, b) => density[b]! - density[a]! || a - b)
}
