import type { Basis } from '../base/basis.js'
import { shares, stepsPerLine } from '../base/costs.js'
import { sumOf } from '../base/money.js'
import { untouchedPlan } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { Problem } from '../model/instance.js'
import type { Offer } from '../offers/offer.js'
import { type Settled, settleAbove } from '../order/orders.js'
import { type BasketChoice, setupSteps } from './basket-instance.js'
import { mostWorth } from './most-worth.js'
import { goesBefore, takenBy, usedOffers } from './outcome-key.js'
import { chooseCompatible } from './small-basket.js'

/**
 * The outcome of greatest value (3-benefits 4): of each exclusive benefit alone, and of all others together. Exclusive
 * benefits come by falling upper bound, on ties by benefitId.
 */
export function choose(problem: Problem): BasketChoice {
  const chosen = chosenOf(problem)
  return { ...chosen, settled: neverDearer(problem.basis, chosen.settled) }
}

function chosenOf(problem: Problem): BasketChoice {
  const exclusive = problem.offers.filter(({ benefit }) => benefit.combination === 'exclusive')
  if (exclusive.length === 0) return chooseGrouped(problem, problem.offers)
  const others = problem.offers.filter(({ benefit }) => benefit.combination !== 'exclusive')
  const ranked = exclusive
    .map((offer) => ({ offer, most: mostWorth(problem.basis, offer) }))
    .sort((a, b) => b.most - a.most)
  let best = chooseGrouped(problem, others)
  for (const { offer, most } of ranked) {
    if (most < best.settled.value || most === 0) return best
    // It may have the same value and win the tie.
    if (best.steps >= problem.stepsMax * shares.spent) return { ...best, bound: Math.max(best.bound, most) }
    const alone = chooseCompatible({ ...problem, stepsMax: problem.stepsMax - best.steps }, [offer])
    const steps = best.steps + alone.steps + stepsPerLine * problem.basis.lines.length
    const bound = Math.max(best.bound, Math.min(alone.bound, most))
    const wins = goesBefore(alone.settled, best.settled)
    best = { ...(wins ? alone : best), bound, steps }
  }
  return best
}

// A search cut short may find only plans under which the member pays more than before: then only lines added for nothing apply.
function neverDearer(basis: Basis, settled: Settled): Settled {
  const { free } = settled.plan
  if (settled.value > sumOf(free.map(({ gross }) => gross))) return settled
  const lines = basis.lines.map(untouchedPlan)
  const plan = { lines, orders: { off: false, uses: [] }, free }
  return settleAbove(basis, plan, settleLines(basis.lines, lines)!)
}

/**
 * The best outcome with at most one benefit of each group (3-benefits 1), none exclusive. Branch and bound: an outcome
 * without this rule bounds all with it. If it uses several of a group, an outcome with the rule uses one of these, or
 * none of them.
 */
function chooseGrouped(problem: Problem, offers: readonly Offer[]): BasketChoice {
  if (!offers.some((offer) => matesOf(offer, offers).length > 1)) return chooseCompatible(problem, offers)
  const search = new GroupSearch(problem)
  return search.run(offers)
}

interface Branch {
  readonly offers: readonly Offer[]
  readonly bound: number
}

class GroupSearch {
  private steps = 0
  private best: BasketChoice | null = null
  /** Upper bound of outcomes that no branch left open can have. */
  private bound = 0

  constructor(private readonly problem: Problem) {}

  run(offers: readonly Offer[]): BasketChoice {
    const open: Branch[] = [{ offers, bound: Number.POSITIVE_INFINITY }]
    let last: BasketChoice | null = null
    for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
      if (this.best !== null && branch.bound <= this.best.settled.value) continue
      if (last !== null && !this.maySearch(branch.offers)) {
        this.bound = Math.max(this.bound, branch.bound)
        continue
      }
      last = this.search(branch.offers)
      open.push(...this.divide(branch, last))
    }
    const { settled } = this.best ?? this.search(oneOfEach(offers, last!))
    return { settled, bound: Math.max(this.bound, settled.value), steps: this.steps }
  }

  private maySearch(offers: readonly Offer[]): boolean {
    return this.steps + setupSteps({ ...this.problem, offers }) < this.problem.stepsMax
  }

  private search(offers: readonly Offer[]): BasketChoice {
    this.steps += setupSteps({ ...this.problem, offers })
    const stepsMax = Math.max(0, this.problem.stepsMax - this.steps) * shares.first
    const chosen = chooseCompatible({ ...this.problem, stepsMax }, offers)
    this.steps += chosen.steps
    return chosen
  }

  // The last is searched first: with the benefit that takes most.
  private divide({ offers, bound: known }: Branch, chosen: BasketChoice): Branch[] {
    const bound = Math.min(known, chosen.bound)
    const rivals = rivalsIn(chosen)
    if (rivals.length === 0) {
      this.bound = Math.max(this.bound, bound)
      if (this.best === null || goesBefore(chosen.settled, this.best.settled)) this.best = chosen
      return []
    }
    const ranks = new Set(rivals.map(({ rank }) => rank))
    const without = offers.filter(({ rank }) => !ranks.has(rank))
    const { group } = rivals[0]!.benefit
    const branches = rivals.map((rival) => ({
      offers: offers.filter((offer) => offer.benefit.group !== group || offer.rank === rival.rank),
      bound,
    }))
    const hasOthers = without.some(({ benefit }) => benefit.group === group)
    return hasOthers ? [{ offers: without, bound }, ...branches] : branches
  }
}

function matesOf({ benefit: { group } }: Offer, offers: readonly Offer[]): readonly Offer[] {
  return group === null ? [] : offers.filter(({ benefit }) => benefit.group === group)
}

// Used benefits of one group that has several, by rising amount; none: the outcome keeps the rule.
function rivalsIn({ settled }: BasketChoice): readonly Offer[] {
  const used = [...usedOffers(settled).values()].map(({ offer }) => offer)
  const taken = takenBy(settled)
  const rivals = used.map((offer) => matesOf(offer, used)).find(({ length }) => length > 1) ?? []
  return rivals.toSorted((a, b) => taken.get(a.rank)! - taken.get(b.rank)! || b.rank - a.rank)
}

// The offer of each group that takes most in an outcome: feasible, if no budget is left to search for another.
function oneOfEach(offers: readonly Offer[], { settled }: BasketChoice): readonly Offer[] {
  const taken = takenBy(settled)
  const takes = ({ rank }: Offer) => taken.get(rank) ?? 0
  return offers.filter((offer) => {
    const [first] = matesOf(offer, offers).toSorted((a, b) => takes(b) - takes(a) || a.rank - b.rank)
    return first === undefined || first === offer
  })
}
