import { boxesMax, halvedFrom, nanos, searchStepsMin, shares, stepsOf, stepsPerLine } from '../base/costs.js'
import type { Market } from '../model/market.js'
import { usesIn, usesMost, withinUses } from '../offers/costs-left.js'
import type { CostLeft, Offer } from '../offers/offer.js'
import type { Settled } from '../order/settle-basket.js'
import type { BasketChoice } from './basket-choice.js'
import { choose } from './choose.js'
import { usedOffers } from './outcome-key.js'

/**
 * The outcome of greatest value less the worth of what it spends, and of equal ones one that spends least (page 4,
 * section 3), with that value. If a smaller spending is not ruled out, the bound is one more.
 */
export function chooseSpending(market: Market): BasketChoice {
  return new SpendingSearch(market).run()
}

/** Outcomes by the uses they make of costed offers: `least` to `most` of each, all of which may not be affordable. */
interface Box {
  readonly least: readonly number[]
  readonly most: readonly number[]
  /** Upper bound of their values before worth. */
  readonly bound: number
}

/** Value and spending of outcomes: the greater value is better, then the smaller spending. */
interface Standing {
  readonly value: number
  readonly spent: number
}

/**
 * Branch and bound over boxes. The best outcome within `most` uses, ignoring cost, bounds a box: it is worth no more
 * before worth, and spends at least `least`. What spends as much as that outcome or more in every offer is no better
 * than it, so only the boxes with less of one offer are left.
 */
class SpendingSearch {
  private steps = 0
  private best!: Standing & { readonly settled: Settled }
  /** The best that unproven searches leave open. */
  private left: Standing = { value: Number.NEGATIVE_INFINITY, spent: 0 }
  private readonly costed: readonly Offer[]
  private readonly costs: readonly CostLeft[]
  /** Most uses of each, if all could be paid. */
  private readonly full: readonly number[]
  /** By offer: index of its account in `free`. */
  private readonly accountOf: readonly number[]
  /** By account: what is free. */
  private readonly free: readonly number[]
  private readonly boxes: Box[] = []
  private readonly setupSteps: number

  constructor(private readonly market: Market) {
    const { lines } = market.basis
    this.costed = market.offers.filter(({ cost, unitsMax }) => cost !== null && unitsMax > 0)
    this.costs = this.costed.map(({ cost }) => cost!)
    const accounts = [...new Set(this.costs.map(({ currencyId }) => currencyId))]
    this.accountOf = this.costs.map(({ currencyId }) => accounts.indexOf(currencyId))
    this.free = accounts.map((id) => this.costs.find(({ currencyId }) => currencyId === id)!.free)
    this.full = this.costed.map((offer) => usesMost(offer, lines))
    const cells = market.offers.reduce((sum, offer) => sum + offer.lines.length, 0)
    this.setupSteps = searchStepsMin + Math.ceil(lines.length * stepsPerLine + stepsOf(cells * nanos.amount))
  }

  run(): BasketChoice {
    const none = this.full.map(() => 0)
    const without = this.search(none)
    this.best = { value: without.settled.value, spent: 0, settled: without.settled }
    this.leave({ value: without.bound, spent: 0 })
    this.add({ least: none, most: this.full, bound: Number.POSITIVE_INFINITY })
    for (let count = 0; count < boxesMax && this.steps < this.market.stepsMax; count++) {
      const box = this.next()
      if (box === null) break
      this.divide(box)
    }
    for (const box of this.boxes) this.leave(this.standingOf(box))
    const { settled, value } = this.best
    const isOpen = isBetter(this.left, this.best)
    const bound = isOpen ? Math.max(this.left.value, value + 1) : value
    return { settled: { ...settled, value }, bound, steps: this.steps }
  }

  private divide({ least, most, bound: known }: Box): void {
    const found = this.search(most)
    const bound = Math.min(known, found.bound)
    const used = usedOffers(found.settled)
    const uses = this.costed.map((offer) => {
      const own = used.get(offer.rank)
      return own === undefined ? 0 : usesIn(offer, own.units)
    })
    if (this.isAffordable(uses)) this.keep(found.settled, uses)
    const reached = uses.map((each, at) => Math.max(each, least[at]!))
    if (bound > found.settled.value && this.isAffordable(reached))
      this.leave({ value: bound - this.worthOf(reached), spent: this.spentOf(reached) })
    let from = least
    for (const at of this.byWorth()) {
      if (reached[at]! > least[at]!) this.add({ least: from, most: most.with(at, reached[at]! - 1), bound }, at)
      from = from.with(at, reached[at]!)
    }
  }

  // A long range of an offer's uses is halved.
  private add(box: Box, at = -1): void {
    const most = this.affordableIn(box)
    if (most === null) return
    const from = box.least[at] ?? 0
    if (at === -1 || most[at]! - from < halvedFrom) {
      if (this.canWin(this.standingOf(box))) this.boxes.push({ ...box, most })
      return
    }
    const middle = Math.floor((from + most[at]!) / 2)
    this.add({ ...box, most: most.with(at, middle) })
    this.add({ ...box, least: box.least.with(at, middle + 1), most })
  }

  // The box with the greatest bound, of these the one that may spend least.
  private next(): Box | null {
    let [chosen, best]: [number, Standing | null] = [-1, null]
    for (let at = this.boxes.length - 1; at >= 0; at--) {
      const standing = this.standingOf(this.boxes[at]!)
      if (!this.canWin(standing)) {
        this.boxes.splice(at, 1)
        if (chosen !== -1) chosen--
      } else if (best === null || isBetter(standing, best)) [chosen, best] = [at, standing]
    }
    return chosen === -1 ? null : this.boxes.splice(chosen, 1)[0]!
  }

  private search(most: readonly number[]): BasketChoice {
    let next = 0
    const offers = this.market.offers.flatMap((offer) => {
      if (offer !== this.costed[next]) return offer.cost === null ? [offer] : []
      const at = next++
      if (most[at] === 0) return []
      return most[at] === this.full[at] ? [offer] : [withinUses(offer, most[at]!)]
    })
    const stepsMax = Math.max(0, (this.market.stepsMax - this.steps) * shares.first)
    const chosen = choose({ ...this.market, offers, stepsMax })
    this.steps += chosen.steps + this.setupSteps
    return { ...chosen, bound: Math.floor(chosen.bound) }
  }

  private keep(settled: Settled, uses: readonly number[]): void {
    const standing = { value: settled.value - this.worthOf(uses), spent: this.spentOf(uses) }
    if (this.canWin(standing)) this.best = { ...standing, settled }
  }

  private leave(standing: Standing): void {
    if (isBetter(standing, this.left)) this.left = standing
  }

  private canWin(standing: Standing): boolean {
    return isBetter(standing, this.best)
  }

  private standingOf({ least, bound }: Box): Standing {
    return { value: bound - this.worthOf(least), spent: this.spentOf(least) }
  }

  private byWorth(): readonly number[] {
    return [...this.costs.keys()].sort((a, b) => this.costs[b]!.worth - this.costs[a]!.worth)
  }

  private worthOf(uses: readonly number[]): number {
    return this.costs.reduce((sum, { worth }, at) => sum + worth * uses[at]!, 0)
  }

  private spentOf(uses: readonly number[]): number {
    return this.costs.reduce((sum, { amount }, at) => sum + amount * uses[at]!, 0)
  }

  private isAffordable(uses: readonly number[]): boolean {
    return this.freeBeside(uses).every((free) => free >= 0)
  }

  // The most uses of each offer beside the least of all others; null: not even these can be paid.
  private affordableIn({ least, most }: Box): number[] | null {
    const free = this.freeBeside(least)
    if (free.some((each) => each < 0)) return null
    return this.costs.map(({ amount }, at) => {
      return Math.min(most[at]!, least[at]! + Math.floor(free[this.accountOf[at]!]! / amount))
    })
  }

  // By account: what is left of it.
  private freeBeside(uses: readonly number[]): number[] {
    const free = [...this.free]
    for (const [at, { amount }] of this.costs.entries()) free[this.accountOf[at]!]! -= amount * uses[at]!
    return free
  }
}

function isBetter(one: Standing, other: Standing): boolean {
  return one.value > other.value || (one.value === other.value && one.spent < other.spent)
}
