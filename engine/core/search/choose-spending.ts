import { boxesMax, halvedFrom, nanos, shares, stepsOf } from '../base/costs.js'
import type { Problem } from '../model/instance.js'
import { usesIn, usesMost, withinUses } from '../offers/costs-left.js'
import { type CostLeft, isLeft, type Offer, type ShapeOf } from '../offers/offer.js'
import type { Settled } from '../order/orders.js'
import { type BasketChoice, setupSteps } from './basket-instance.js'
import { choose } from './choose.js'
import { netOf, nettingIn, settledInFull } from './net-of-worth.js'
import { takenBy, usedOffers } from './outcome-key.js'

/**
 * The outcome of greatest value less the worth of its spending, and on a tie one that spends least (page 4,
 * section 3), with that value. If a smaller spending is not ruled out, the bound is one more.
 */
export function chooseSpending(problem: Problem): BasketChoice {
  return new SpendingSearch(problem).run()
}

/** Outcomes by their uses of costed offers: `least` to `most` of each; not all of these may be affordable. */
interface Box {
  readonly least: readonly number[]
  readonly most: readonly number[]
  /** Upper bounds of their values before worth, and before worth that net offers do not count. */
  readonly bound: number
  readonly net: number
}

/** Value and spending of outcomes: the greater value is better, then the smaller spending. */
interface Standing {
  readonly value: number
  readonly spent: number
}

/**
 * Branch and bound over boxes. The best outcome within `most` uses, ignoring cost, bounds a box: it is worth no more
 * before worth, and spends at least `least`. If worth can be taken off the amounts of offers, the best outcome with those
 * net offers is another bound, in plain baskets the best of the box. An outcome that spends at least as much in every
 * offer is no better, so only the boxes with less of one offer are left.
 */
class SpendingSearch {
  private steps = 0
  private best!: Standing & { readonly settled: Settled }
  /** The best that unproven searches leave open. */
  private left: Standing = { value: Number.NEGATIVE_INFINITY, spent: 0 }
  /** A gift in parts twice: units of the basket, then units added. */
  private readonly costed: readonly Offer[]
  private readonly placesOf = new Map<Offer, readonly number[]>()
  private readonly costs: readonly CostLeft[]
  private readonly full: readonly number[]
  /** By offer: index of its account in `free`. */
  private readonly accountOf: readonly number[]
  private readonly free: readonly number[]
  private readonly netting: 'exact' | 'bound' | null
  private readonly nets: ReadonlyMap<Offer, Offer>
  private isTrimmed = false
  private readonly boxes: Box[] = []
  private readonly setupMost: number

  constructor(private readonly problem: Problem) {
    const { lines } = problem.basis
    this.costed = problem.offers.flatMap((offer) => {
      if (offer.cost === null || !isLeft(offer)) return []
      return isGiftInParts(offer) ? [offer, offer] : [offer]
    })
    for (const [at, offer] of this.costed.entries()) this.placesOf.set(offer, [...(this.placesOf.get(offer) ?? []), at])
    this.costs = this.costed.map(({ cost }) => cost!)
    const accounts = [...new Set(this.costs.map(({ currencyId }) => currencyId))]
    this.accountOf = this.costs.map(({ currencyId }) => accounts.indexOf(currencyId))
    this.free = accounts.map((id) => this.costs.find(({ currencyId }) => currencyId === id)!.free)
    this.full = this.costed.map((offer, at) => {
      return isGiftInParts(offer) ? this.inPart(at, offer.unitsMax, offer.shape.added) : usesMost(offer, lines)
    })
    const { nettable, netting } = nettingIn(problem, this.costed)
    this.nets = new Map(nettable.map((offer) => [offer, netOf(offer)]))
    this.netting = netting
    this.setupMost = setupSteps(problem)
  }

  run(): BasketChoice {
    const none = this.full.map(() => 0)
    const without = this.search(none)
    this.best = { value: without.settled.value, spent: 0, settled: without.settled }
    this.leave({ value: without.bound, spent: 0 })
    const most = this.mostValue()
    this.add({ least: none, most: this.full, bound: most, net: most })
    // The first box even if the budget is exhausted: it has an outcome.
    for (let count = 0; count < boxesMax && (count === 0 || this.maySearch()); count++) {
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

  // All lines and all that is added for nothing.
  private mostValue(): number {
    const { basis, offers } = this.problem
    return offers.reduce((sum, { shape }) => {
      return shape.kind === 'free' ? sum + shape.added * (shape.product?.unitPrice ?? 0) : sum
    }, basis.net)
  }

  private divide(box: Box): void {
    if (this.netting === null) this.divideAt(box, this.search(box.most))
    else this.divideNetted(box, this.search(box.most, this.nets))
  }

  private divideNetted(box: Box, found: BasketChoice): void {
    const netted = { ...box, net: Math.min(box.net, found.bound) }
    const settled = settledInFull(this.problem, found.settled)
    const isExact = this.netting === 'exact' && settled !== null
    if (isExact) this.divideAt(netted, { ...found, settled, bound: box.bound })
    else if (settled !== null) this.keep(settled, this.usesOf(settled))
    if (isExact || !this.canWin(this.standingOf(netted))) return
    const mayGoOn = this.maySearch()
    if (mayGoOn) this.divideAt(netted, this.search(box.most))
    else if (settled !== null) this.tryWithin(settled)
    if (!mayGoOn) this.leave(this.standingOf(netted))
  }

  private maySearch(): boolean {
    return this.steps + this.setupMost < this.problem.stepsMax
  }

  private divideAt({ least, most, ...box }: Box, found: BasketChoice): void {
    const bounds = { bound: Math.min(box.bound, found.bound), net: box.net }
    const uses = this.usesOf(found.settled)
    this.keep(found.settled, uses)
    this.tryWithin(found.settled)
    const reached = uses.map((each, at) => Math.max(each, least[at]!))
    if (this.isAffordable(reached)) this.leave(this.standingOf({ least: reached, most, ...bounds }))
    let from = least
    for (const at of this.byWorth()) {
      if (reached[at]! > least[at]!) this.add({ least: from, most: most.with(at, reached[at]! - 1), ...bounds }, at)
      from = from.with(at, reached[at]!)
    }
  }

  // Once, if an outcome cannot be paid: one that can, to compare others with.
  private tryWithin(unpaid: Settled): void {
    const uses = this.usesOf(unpaid)
    if (this.isTrimmed || this.isAffordable(uses)) return
    this.isTrimmed = true
    const { settled } = this.search(this.trimmed(unpaid, uses))
    this.keep(settled, this.usesOf(settled))
  }

  // The uses that can be paid, first of offers that take most off for their cost.
  private trimmed(settled: Settled, uses: readonly number[]): number[] {
    const taken = takenBy(settled)
    const rate = (at: number) => {
      const { worth, amount } = this.costs[at]!
      return uses[at] === 0 ? 0 : (taken.get(this.costed[at]!.rank)! / uses[at]! - worth) / amount
    }
    const kept = uses.map(() => 0)
    for (const at of [...kept.keys()].sort((a, b) => rate(b) - rate(a))) {
      const free = this.freeBeside(kept)[this.accountOf[at]!]!
      kept[at] = Math.min(uses[at]!, Math.floor(free / this.costs[at]!.amount))
    }
    return kept
  }

  private usesOf(settled: Settled): number[] {
    const used = usedOffers(settled)
    return this.costed.map((offer, at) => {
      const own = used.get(offer.rank)
      if (own === undefined) return 0
      if (!isGiftInParts(offer)) return usesIn(offer, own)
      const added = settled.plan.free.find((each) => each.offer.rank === offer.rank)?.units ?? 0
      return this.inPart(at, own.units - added, added)
    })
  }

  private inPart(at: number, there: number, added: number): number {
    return this.costed[at - 1] === this.costed[at] ? added : there
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
    this.steps += Math.ceil(stepsOf(this.boxes.length * this.costed.length * nanos.entry))
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

  private search(most: readonly number[], nets: ReadonlyMap<Offer, Offer> = noNets): BasketChoice {
    const offers = this.problem.offers.flatMap((offer) => {
      const places = this.placesOf.get(offer)
      if (places === undefined) return offer.cost === null ? [offer] : []
      const uses = places.map((at) => most[at]!)
      if (uses.every((each) => each === 0)) return []
      const used = nets.get(offer) ?? offer
      if (places.every((at) => most[at] === this.full[at])) return [used]
      return [isGiftInParts(used) ? giftInParts(used, uses) : withinUses(used, uses[0]!)]
    })
    this.steps += setupSteps({ ...this.problem, offers })
    const stepsMax = Math.max(0, (this.problem.stepsMax - this.steps) * shares.first)
    const chosen = choose({ ...this.problem, offers, stepsMax })
    this.steps += chosen.steps
    return { ...chosen, bound: Math.floor(chosen.bound) }
  }

  private keep(settled: Settled, uses: readonly number[]): void {
    if (!this.isAffordable(uses)) return
    const standing = { value: settled.value - this.worthOf(uses), spent: this.spentOf(uses) }
    if (this.canWin(standing)) this.best = { ...standing, settled }
  }

  private leave(standing: Standing): void {
    if (isBetter(standing, this.left)) this.left = standing
  }

  private canWin(standing: Standing): boolean {
    return isBetter(standing, this.best)
  }

  private standingOf({ least, bound, net }: Box): Standing {
    const value = Math.min(bound - this.worthOf(least), net - this.worthOf(least, this.nets))
    return { value, spent: this.spentOf(least) }
  }

  private byWorth(): readonly number[] {
    return [...this.costs.keys()].sort((a, b) => this.costs[b]!.worth - this.costs[a]!.worth)
  }

  private worthOf(uses: readonly number[], without: ReadonlyMap<Offer, Offer> = noNets): number {
    let sum = 0
    for (const [at, { worth }] of this.costs.entries()) if (!without.has(this.costed[at]!)) sum += worth * uses[at]!
    return sum
  }

  private spentOf(uses: readonly number[]): number {
    return this.costs.reduce((sum, { amount }, at) => sum + amount * uses[at]!, 0)
  }

  private isAffordable(uses: readonly number[]): boolean {
    return this.freeBeside(uses).every((free) => free >= 0)
  }

  // The most uses of each offer with the least of all others; null: not even these can be paid.
  private affordableIn({ least, most }: Box): number[] | null {
    const free = this.freeBeside(least)
    if (free.some((each) => each < 0)) return null
    return this.costs.map(({ amount }, at) => {
      return Math.min(most[at]!, least[at]! + Math.floor(free[this.accountOf[at]!]! / amount))
    })
  }

  private freeBeside(uses: readonly number[]): number[] {
    const free = [...this.free]
    for (const [at, { amount }] of this.costs.entries()) free[this.accountOf[at]!]! -= amount * uses[at]!
    return free
  }
}

type Gift = Offer & { readonly shape: ShapeOf<'free'> }

// True of a gift that is paid by the unit, and has units to free and others to add: the value decides which.
function isGiftInParts(offer: Offer): offer is Gift {
  const { shape, unitsMax, cost } = offer
  return shape.kind === 'free' && !cost!.isOnce && unitsMax > 0 && shape.added > 0
}

function giftInParts(offer: Gift, [there, added]: readonly number[]): Offer {
  const lines = there === 0 ? [] : offer.lines
  return { ...offer, lines, unitsMax: there!, shape: { ...offer.shape, added: added! } }
}

const noNets: ReadonlyMap<Offer, Offer> = new Map()

function isBetter(one: Standing, other: Standing): boolean {
  return one.value > other.value || (one.value === other.value && one.spent < other.spent)
}
