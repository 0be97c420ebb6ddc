import type { Basis } from '../base/basis.js'
import { sumOf } from '../base/money.js'
import { subsetsOf } from '../base/subsets.js'
import { isLoose, type LinePlan, replaces, stackOn } from '../lines/plan.js'
import { restsOf, settleLines } from '../lines/settle-lines.js'
import type { Scene } from '../model/instance.js'
import type { Offer } from '../offers/offer.js'
import { orderBound } from '../order/choose-orders.js'
import { orderWays } from '../order/order-ways.js'
import { type Settled, settleAbove } from '../order/settle-basket.js'
import { compareNumbers, goesBefore, keyOf, limitedQuantity, type OutcomeKey, type Used } from './outcome-key.js'
import { areDealt } from './tie-groups.js'
import { type LineWay, unitsEach, waysOn } from './tie-ways.js'

/** Most ways to serve one line that are walked through. */
const waysMax = 2000

/** Ways that are listed in one step. */
const waysPerStep = 4

/** Steps for each line of a basket that is worked out, and of one whose order level is bounded; measured. */
const stepsPerLine = 2
const stepsPerBound = 1

/** What a walk came to. */
export interface Walked {
  readonly settled: Settled
  readonly steps: number
  /** Whether every outcome was looked at or shut out: then the one returned is the first of all. */
  readonly isComplete: boolean
}

/**
 * Walks through every outcome of some offers that is worth at least as much as the one given, and returns the first by
 * the ties (3-benefits 4). Outcomes worth nothing are none. What cannot be worth as much any more, or go before the best so far, is left out.
 */
export function walkTies(basis: Basis, walking: Walking): Walked {
  return new TieWalk(basis, walking).run()
}

/** What is walked through. */
export interface Walking {
  /** Order level and free products of the offers. */
  readonly scene: Scene
  /** Benefits that may all stand together and have units left, in the order of benefitId. */
  readonly all: readonly Offer[]
  readonly start: Settled
  readonly stepsMax: number
}

/** What ties are broken by before lists are compared. */
interface Tally {
  readonly limited: number
  readonly priority: number
  readonly count: number
}

class TieWalk {
  private steps = 0
  private best: Settled
  private bestKey: OutcomeKey
  private readonly normals: readonly Offer[]
  private readonly stacks: readonly Offer[]
  /** The free products: they stand in every outcome. */
  private readonly free: readonly Used[]
  private readonly added: number
  /** Whether nothing comes after normal line-level benefits. */
  private readonly isLinesOnly: boolean
  /** Whether the list of an outcome begins as its lines are chosen, and nothing goes before it. */
  private readonly isListSure: boolean
  /** How much less than its bound the order level can leave by the rounding of several entries. */
  private readonly slack: number
  private readonly ways: LineWay[][] = []
  /** What the lines cost at least, by basis position: those decided as they were chosen. */
  private readonly rests: number[]
  private readonly chosen: LineWay[] = []
  private stacked: (readonly Offer[])[] = []
  private readonly used = new Map<Offer, { pieces: number; lines: number }>()

  constructor(
    private readonly basis: Basis,
    private readonly walking: Walking,
  ) {
    const { scene, all, start } = walking
    this.best = start
    this.bestKey = keyOf(basis, start)
    const onLines = all.filter(({ shape }) => shape.kind !== 'order' && shape.kind !== 'free')
    this.normals = onLines.filter(({ benefit }) => benefit.combination !== 'stackable')
    this.stacks = onLines.filter(({ benefit }) => benefit.combination === 'stackable')
    this.free = scene.free.map(({ offer, units }) => ({ offer, units }))
    this.added = sumOf(scene.free.map(({ gross }) => gross))
    const { normals, stacks } = scene.orderOffers
    const orders = Math.min(1, normals.length) + stacks.length + basis.orderDiscounts.length
    this.isLinesOnly = this.stacks.length === 0 && orders === 0
    const isFresh = basis.lines.every(({ sent, override }) => sent.overrideUnitPrice === override)
    this.isListSure = this.isLinesOnly && isFresh && !this.normals.some(isLoose)
    this.slack = orders < 2 ? 0 : orders * basis.lines.length
    this.rests = basis.lines.map(() => 0)
  }

  run(): Walked {
    const isComplete = this.listWays() && this.descend(0)
    return { settled: this.best, steps: this.steps, isComplete }
  }

  private listWays(): boolean {
    for (const [at, line] of this.basis.lines.entries()) {
      const stacks = this.stacks.filter(({ lines }) => lines.includes(at))
      const place = { line, at, offers: this.normals, stacks, isPriceFirm: this.isLinesOnly }
      const ways = waysOn(place, waysMax)
      if (ways === null || !this.spend(Math.ceil(ways.length / waysPerStep))) return false
      this.ways.push(ways)
      this.rests[at] = ways[0]!.restBound
    }
    return true
  }

  private spend(steps: number): boolean {
    this.steps += steps
    return this.steps <= this.walking.stepsMax
  }

  // Lines in their order; false where the budget is exhausted.
  private descend(at: number): boolean {
    if (at === this.ways.length) return this.complete()
    const least = this.rests[at]!
    for (const way of this.ways[at]!) {
      if (!this.spend(this.isLinesOnly ? 1 : 1 + stepsPerBound * this.ways.length)) return false
      this.rests[at] = way.restBound
      const spare = this.spare()
      if (spare < 0) break
      this.chosen.push(way)
      const isOpen = this.take(way, 1) && !(spare === 0 && this.isBehindBest())
      const goesOn = !isOpen || this.descend(at + 1)
      this.take(way, -1)
      this.chosen.pop()
      if (!goesOn) return false
    }
    this.rests[at] = least
    return true
  }

  // By how much an outcome that begins like this could be worth more than the best; below 0 none comes up to it.
  private spare(): number {
    const { basis, orderOffers } = this.walking.scene
    const least = this.isLinesOnly
      ? Math.ceil(sumOf(this.rests) - priceAllowance)
      : orderBound(basis, this.rests, orderOffers) - this.slack
    return this.netMost() - least
  }

  private netMost(): number {
    return this.basis.net + this.added - Math.max(1, this.best.value)
  }

  // Counts what a way takes of each benefit, or gives it back; false where a benefit has no units left for it.
  private take({ serves }: LineWay, sign: 1 | -1): boolean {
    let fits = true
    for (const { offer, pieces } of serves) {
      const known = this.used.get(offer) ?? { pieces: 0, lines: 0 }
      const next = { pieces: known.pieces + sign * pieces, lines: known.lines + sign }
      if (next.lines === 0) this.used.delete(offer)
      else this.used.set(offer, next)
      fits &&= timesOf(offer, next.pieces) <= offer.unitsMax
    }
    return fits
  }

  // Whether nothing that begins like this can go before the best: it takes more of limits already, or has a lower
  // priority or more benefits whatever comes; or it has the same benefits and other lines go first.
  private isBehindBest(): boolean {
    // Outcomes worth nothing are none: nothing is behind them.
    if (this.best.value <= 0) return false
    const { limited, priority, count } = this.tally()
    if (limited !== this.bestKey.limited) return limited > this.bestKey.limited
    if (priority !== this.bestKey.priority) return priority < this.bestKey.priority
    if (count !== this.bestKey.ranks.length) return count > this.bestKey.ranks.length
    return this.isListSure && this.isListBehind()
  }

  // The least and most that an outcome can come to which begins like this.
  private tally(): Tally {
    let [limited, priority, count] = [0, 0, 0]
    for (const each of this.free) {
      limited += limitedQuantity(each)
      priority += each.offer.benefit.priority
      count++
    }
    for (const offer of this.walking.all) {
      const used = this.used.get(offer)
      if (offer.shape.kind === 'free') continue
      if (used === undefined) priority += Math.max(0, offer.benefit.priority)
      else {
        limited += limitedQuantity({ offer, units: Math.floor(timesOf(offer, used.pieces)) })
        priority += offer.benefit.priority
        count++
      }
    }
    return { limited, priority, count }
  }

  private isListBehind(): boolean {
    const ranks = [...this.used.keys(), ...this.free.map(({ offer }) => offer)].map(({ rank }) => rank)
    const byRank = compareNumbers(
      ranks.sort((a, b) => a - b),
      this.bestKey.ranks,
    )
    if (byRank !== 0) return byRank > 0
    const begun = this.chosen.flatMap(({ serves }, at) =>
      serves.map(({ offer, pieces, bought }) => [at, offer.rank, pieces + bought]),
    )
    for (const [index, entry] of begun.entries()) {
      const order = compareNumbers(entry, this.bestKey.serves[index] ?? behindAll)
      if (order !== 0) return order > 0
    }
    const next = this.bestKey.serves[begun.length]
    return next !== undefined && next[0] < this.chosen.length
  }

  private complete(): boolean {
    if (!areDealt(this.basis, this.chosen)) return true
    if (this.stacks.length > 0) return this.stack(0)
    this.stacked = this.chosen.map(() => [])
    return this.judge()
  }

  // Every choice of stackable benefits on each line, all of them first.
  private stack(at: number): boolean {
    if (at === this.ways.length) return this.judge()
    const line = this.basis.lines[at]!
    const { off, rest } = this.chosen[at]!
    const least = this.rests[at]!
    const may = (offer: Offer) => offer.lines.includes(at) && (off || line.own === 0 || !replaces(offer))
    for (const stacks of subsetsOf(this.stacks.filter(may))) {
      if (!this.spend(1 + stepsPerBound * this.ways.length)) return false
      this.rests[at] = stacks.length === 0 ? rest : stackOn(line, stacks, rest).rest
      if (this.spare() < 0) continue
      this.stacked.push(stacks)
      const goesOn = this.stack(at + 1)
      this.stacked.pop()
      if (!goesOn) return false
    }
    this.rests[at] = least
    return true
  }

  private judge(): boolean {
    const { basis } = this
    if (!this.spend(stepsPerLine * basis.lines.length)) return false
    const lines = this.chosen.map(({ off, serves, rest }, at): LinePlan => {
      return { off, serves, stacks: this.stacked[at]!, rest, restBound: rest, margin: 0 }
    })
    const level = settleLines(basis.lines, lines)
    if (level === null) return true
    const { free, orderOffers } = this.walking.scene
    const ground = { basis, rests: restsOf(level), offers: orderOffers }
    const spend = () => this.spend(stepsPerLine * basis.lines.length)
    for (const orders of orderWays(ground, this.netMost(), spend)) {
      const settled = settleAbove(basis, { lines, orders, free }, level)
      const key = keyOf(basis, settled)
      if (!goesBefore(key, this.bestKey)) continue
      this.best = settled
      this.bestKey = key
    }
    return this.steps <= this.walking.stepsMax
  }
}

/** Comes after every entry of a list of serves. */
const behindAll = [Number.POSITIVE_INFINITY]

/** Shares of a bundle's price are fractions: what they add up to is this near to a whole number. */
const priceAllowance = 0.5

function timesOf({ shape }: Offer, pieces: number): number {
  return shape.kind === 'bundle' ? pieces / unitsEach(shape.components) : pieces
}
