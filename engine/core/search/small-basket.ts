import { type Basis, compareAsSent } from '../base/basis.js'
import { assignmentsMax, nanos, smallCellsMax, smallLinesMax, stepsOf, stepsPerLine } from '../base/costs.js'
import { subsetsOf } from '../base/lists.js'
import { type Money, sumOf } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import { type LinePlan, replaces, stackOn } from '../lines/plan.js'
import { restsOf, settleLines } from '../lines/settle-lines.js'
import { completionOf, freeLeftOut } from '../model/components.js'
import type { Completion, Problem } from '../model/instance.js'
import { byTurn, isLeft, type Offer, type Shape, unitsEach } from '../offers/offer.js'
import { shortage } from '../offers/shortage.js'
import { orderBound } from '../order/choose-orders.js'
import { leastOrders } from '../order/least-orders.js'
import { type Settled, settleAbove } from '../order/orders.js'
import type { BasketChoice } from './basket-instance.js'
import { chooseAmong } from './choose-among.js'
import { chooseFollowing } from './choose-following.js'
import { assignmentsOn, type LineAssignment } from './line-assignments.js'

/** The best outcome of offers that may apply together; branch and bound closes gaps of small baskets. */
export function chooseCompatible(problem: Problem, offers: readonly Offer[]): BasketChoice {
  const chosen = offers.some(({ followers }) => followers !== null)
    ? chooseFollowing(problem, offers)
    : chooseApart(problem, offers)
  const missing = freeLeftOut(problem.basis, offers)
  return missing === 0 ? chosen : { ...chosen, bound: chosen.bound + missing }
}

function chooseApart(problem: Problem, offers: readonly Offer[]): BasketChoice {
  const searched = chooseAmong(problem, offers)
  return searched.bound > searched.settled.value ? enumerated(problem, offers, searched) : searched
}

function enumerated(problem: Problem, offers: readonly Offer[], searched: BasketChoice): BasketChoice {
  const { basis } = problem
  const cells = sumOf(offers.map(({ lines }) => lines.length))
  if (basis.lines.length > smallLinesMax || cells > smallCellsMax) return searched
  const all = offers.filter(isLeft)
  const stepsMax = problem.stepsMax - searched.steps
  const enumeration = new Enumeration(basis, {
    completion: completionOf(problem, all),
    all,
    start: searched.settled,
    stepsMax,
  })
  const isComplete = enumeration.run()
  const { best: settled } = enumeration
  const bound = isComplete ? settled.value : Math.max(searched.bound, settled.value)
  return { settled, bound, steps: searched.steps + enumeration.steps }
}

interface EnumerationTask {
  readonly completion: Completion
  /** Benefits that may apply together and have units left. */
  readonly all: readonly Offer[]
  readonly start: Settled
  readonly stepsMax: number
}

/** Branch and bound: assignments line by line, then stackable benefits, then the order level. */
class Enumeration {
  steps = 0
  best: Settled
  private readonly normals: readonly Offer[]
  private readonly stacks: readonly Offer[]
  private readonly added: Money
  /** Roundings by which several order discounts can leave less than the bound. */
  private readonly slack: number
  private readonly assignments: LineAssignment[][] = []
  /** Costs of decided lines, lower bounds of others, by basis position. */
  private readonly rests: number[]
  private readonly chosen: LineAssignment[] = []
  private stacked: (readonly Offer[])[] = []
  private readonly pieces = new Map<Offer, number>()

  constructor(
    private readonly basis: Basis,
    private readonly task: EnumerationTask,
  ) {
    const { completion, all, start } = task
    this.best = start
    const onLines = all.filter(({ shape, lines }) => shape.kind !== 'order' && lines.length > 0)
    this.normals = onLines.filter(({ benefit }) => benefit.combination !== 'stackable')
    this.stacks = onLines.filter(({ benefit }) => benefit.combination === 'stackable').sort(byTurn)
    this.added = sumOf(completion.free.map(({ gross }) => gross))
    const { normals, stacks } = completion.orderOffers
    const orders = Math.min(1, normals.length) + stacks.length + basis.orderDiscounts.length
    this.slack = orders < 2 ? 0 : orders * basis.lines.length
    this.rests = basis.lines.map(() => 0)
  }

  /** @returns  true: the budget sufficed, and `best` is proven */
  run(): boolean {
    return this.listAssignments() && this.descend(0)
  }

  private listAssignments(): boolean {
    for (const [at, line] of this.basis.lines.entries()) {
      const stacks = this.stacks.filter(({ lines }) => lines.includes(at))
      const offered = { line, at, offers: this.normals, stacks }
      const assignments = assignmentsOn(offered, assignmentsMax)
      if (assignments === null || !this.spend(Math.ceil(stepsOf(assignments.length * nanos.made)))) return false
      this.assignments.push(assignments)
      this.rests[at] = assignments[0]!.restBound
    }
    return true
  }

  private spend(steps: number): boolean {
    this.steps += steps
    return this.steps <= this.task.stepsMax
  }

  // False if the budget is exhausted.
  private descend(at: number): boolean {
    if (at === this.assignments.length) return this.complete()
    const least = this.rests[at]!
    for (const assignment of this.assignments[at]!) {
      if (!this.spend(1 + stepsPerLine * this.assignments.length)) return false
      this.rests[at] = assignment.restBound
      if (!this.mayBeMore()) break
      this.chosen.push(assignment)
      const goesOn = !this.take(assignment, 1) || this.descend(at + 1)
      this.take(assignment, -1)
      this.chosen.pop()
      if (!goesOn) return false
    }
    this.rests[at] = least
    return true
  }

  private mayBeMore(): boolean {
    const { basis, orderOffers } = this.task.completion
    return orderBound(basis, this.rests, orderOffers) - this.slack <= this.netMost()
  }

  private netMost(): Money {
    return this.basis.net + this.added - this.best.value - 1
  }

  private take({ serves }: LineAssignment, sign: 1 | -1): boolean {
    let fits = true
    for (const { offer, pieces } of serves) {
      const taken = (this.pieces.get(offer) ?? 0) + sign * pieces
      this.pieces.set(offer, taken)
      fits &&= timesOf(offer, taken) <= offer.unitsMax
    }
    return fits
  }

  private complete(): boolean {
    if (!areWholeTimes(this.basis, this.chosen)) return true
    if (this.stacks.length > 0) return this.stack(0)
    this.stacked = this.chosen.map(() => [])
    return this.settle()
  }

  private stack(at: number): boolean {
    if (at === this.assignments.length) return this.settle()
    const line = this.basis.lines[at]!
    const { off, rest } = this.chosen[at]!
    const least = this.rests[at]!
    const may = (offer: Offer) => offer.lines.includes(at) && (off || line.own === 0 || !replaces(offer))
    for (const stacks of subsetsOf(this.stacks.filter(may))) {
      if (!this.spend(1 + stepsPerLine * this.assignments.length)) return false
      this.rests[at] = stacks.length === 0 ? rest : stackOn(line, stacks, rest).rest
      if (!this.mayBeMore()) continue
      this.stacked.push(stacks)
      const goesOn = this.stack(at + 1)
      this.stacked.pop()
      if (!goesOn) return false
    }
    this.rests[at] = least
    return true
  }

  private settle(): boolean {
    const { basis } = this
    const spend = () => this.spend(2 * stepsPerLine * basis.lines.length)
    if (!spend()) return false
    const lines = this.chosen.map(({ off, serves, rest }, at): LinePlan => {
      return { off, serves, stacks: this.stacked[at]!, rest, restBound: rest }
    })
    const level = settleLines(basis.lines, lines)
    if (level === null) return true
    const { free, orderOffers } = this.task.completion
    const orders = leastOrders({ basis, rests: restsOf(level), offers: orderOffers }, this.netMost(), spend)
    if (orders !== null) this.best = settleAbove(basis, { lines, orders, free }, level)
    return this.steps <= this.task.stepsMax
  }
}

function timesOf({ shape }: Offer, pieces: number): number {
  return shape.kind === 'bundle' ? pieces / unitsEach(shape.components) : pieces
}

interface Share {
  readonly at: number
  readonly pieces: number
  readonly bought: number
}

type GroupShape = Extract<Shape, { kind: 'bundle' | 'buy_get' }>

interface Group {
  readonly shape: GroupShape
  readonly lines: readonly number[]
  readonly shares: Share[]
}

/**
 * Checks whole times (3-benefits 2): a bundle has its quantities; in each time of a `buy_get`, no unit got
 * is dearer than one bought, among units that could be either. Each product by itself, if times are of one.
 *
 * @param lines  serves by basis position
 */
function areWholeTimes(basis: Basis, lines: readonly { readonly serves: readonly Serve[] }[]): boolean {
  const groups = new Map<Offer, Map<number, Group>>()
  for (const [at, { serves }] of lines.entries()) {
    for (const { offer, pieces, bought } of serves) {
      const { shape } = offer
      if (shape.kind !== 'bundle' && shape.kind !== 'buy_get') continue
      const share = { at, pieces, bought }
      const own = groups.get(offer) ?? new Map<number, Group>()
      groups.set(offer, own)
      const product = shape.products?.[at] ?? 0
      const group = own.get(product)
      if (group === undefined) own.set(product, { shape, lines: offer.lines, shares: [share] })
      else group.shares.push(share)
    }
  }
  return [...groups.values()].every((own) => [...own.values()].every((group) => areWhole(basis, group)))
}

function areWhole(basis: Basis, { shape, lines, shares }: Group): boolean {
  const pieces = shares.reduce((sum, each) => sum + each.pieces, 0)
  if (shape.kind === 'bundle') {
    const times = pieces / unitsEach(shape.components)
    const wants = shape.components.map((each) => ({ lines: each.lines, quantity: each.quantity * times }))
    const taken = new Map(shares.map((each) => [each.at, each.pieces]))
    return Number.isInteger(times) && shortage(wants, (at) => taken.get(at) ?? 0) === 0
  }
  const bought = shares.reduce((sum, each) => sum + each.bought, 0)
  if (pieces % shape.get !== 0 || bought !== (pieces / shape.get) * shape.buy) return false
  return areCheapestGot(basis, { shape, lines, shares })
}

interface BuyGetShares {
  readonly shape: Extract<Shape, { kind: 'buy_get' }>
  readonly lines: readonly number[]
  readonly shares: readonly Share[]
}

// For each cost as sent: a time that gets such a unit at this cost or above buys all of its units there. As few times
// as possible get them.
function areCheapestGot(basis: Basis, { shape, lines, shares }: BuyGetShares): boolean {
  const either = shares.filter(({ at, pieces }) => pieces > 0 && shape.buyLines.includes(at))
  return either.every((least) => {
    const isAbove = ({ at }: Share) => compareAsSent(basis.lines[at]!, basis.lines[least.at]!) >= 0
    const got = either.reduce((sum, each) => sum + (isAbove(each) ? each.pieces : 0), 0)
    const above = shares.filter((each) => !lines.includes(each.at) || isAbove(each))
    const bought = above.reduce((sum, each) => sum + each.bought, 0)
    return bought >= Math.ceil(got / shape.get) * shape.buy
  })
}
