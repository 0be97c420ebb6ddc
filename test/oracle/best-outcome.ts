import type { CalculationInput } from '../../engine/core/index.js'
import { isOrderLevel, OrderLevel, type Player, StackedLines } from './later-stages.js'
import { openBenefits, unitsLeft } from './open-benefits.js'
import { byCodePoints, type PricingCase } from './pricing-case.js'
import { better, type Outlay, paidFrom, type Purse, purseKey, purseOf, withPayments } from './purse.js'
import { meetsConditions } from './select-lines.js'
import { readSentBasket, type SentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { type Take, takesOf } from './takes.js'

/** The best outcome that the rules allow (benefits 4). */
export interface BestOutcome {
  readonly value: number
  /** The least that an outcome of this value spends, in smallest units of all currencies. */
  readonly spent: number
}

/** Input of a search. */
export interface Question {
  readonly basket: SentBasket
  readonly input: CalculationInput
  /** Candidate benefits: open to the member, conditions met. */
  readonly players: readonly Player[]
  readonly purse: Purse
}

/** The greatest value over all outcomes, by full enumeration. */
export function bestOutcome({ benefits, input }: PricingCase): BestOutcome {
  const basket = readSentBasket(input)
  const players = openBenefits(benefits, input)
    .filter((benefit) => meetsConditions(basket, benefit))
    .map((benefit): Player => ({ benefit, left: unitsLeft(benefit, input) }))
  return search({ basket, input, players, purse: purseOf(benefits, input) })
}

/** The same for given benefits: `exclusive` ones alone, the others together. */
export function search({ basket, input, players, purse }: Question): BestOutcome {
  const able = players.filter((player) => player.left > 0)
  const together = able.filter(({ benefit }) => benefit.combination !== 'exclusive')
  const alone = able.filter(({ benefit }) => benefit.combination === 'exclusive').map((player) => [player])
  let best: Outlay = { cost: 0, spent: 0 }
  for (const group of [together, ...alone])
    best = better(best, bestOfGroup({ basket, input, players: group, purse })) ?? best
  return { value: best.cost === 0 ? 0 : -best.cost, spent: best.spent }
}

// As a cost below what the basket costs without benefits.
function bestOfGroup({ basket, input, players, purse }: Question): Outlay | null {
  const sorted = players.toSorted((a, b) => byCodePoints(a.benefit.benefitId, b.benefit.benefitId))
  const stackable = sorted.filter(({ benefit }) => benefit.combination === 'stackable')
  const normal = sorted.filter(({ benefit }) => benefit.combination !== 'stackable')
  const order = new OrderLevel(basket, normal.filter(isOrderLevel), stackable.filter(isOrderLevel))
  const stacked = new StackedLines(
    basket,
    stackable.filter((player) => !isOrderLevel(player)),
    order,
  )
  const lineLevel = normal.filter((player) => !isOrderLevel(player))
  let best: Outlay | null = null
  for (const removed of removals(basket, [...lineLevel, ...stacked.players])) {
    for (const state of placements({ basket, input, players: lineLevel, purse }, removed, !stacked.isEmpty)) {
      const owed = removed & ~state.replaces
      const later = stacked.best(state.holds, { removed, owed, purse: state.purse })
      if (later === null) continue
      const { cost, spent } = later
      best = better(best, { cost: cost + state.paid.cost - basket.net - state.added, spent: spent + state.paid.spent })
    }
  }
  return best
}

/** Every set of lines, as bits, whose own discounts could be removed; only the empty one without a replacing benefit. */
function removals(basket: SentBasket, players: readonly Player[]): number[] {
  if (!players.some(({ benefit }) => benefit.existingDiscounts === 'replace')) return [0]
  return subsetsOf([...basket.lines.keys()].filter((at) => basket.lines[at]!.own > 0)).map(bitsOf)
}

/** A feasible combination of normal line-level benefits. */
interface Placement {
  /** Free slots. */
  readonly free: readonly number[]
  readonly holds: readonly number[]
  readonly replaces: number
  readonly added: number
  readonly purse: Purse
  /** Worth and amounts of what is spent. */
  readonly paid: Outlay
}

/**
 * Every placement of the normal line-level benefits on the units: "a whole unit, or a weighed line, serves at most one". Of placements
 * with equal remaining state one is retained; without later stages only the total cost of the lines counts.
 *
 * @param removed lines whose own discounts are removed, as bits
 * @param exactly whether a later stage follows the line level
 */
function placements({ basket, input, players, purse }: Question, removed: number, exactly: boolean): Placement[] {
  const holds = basket.lines.map((line, at) => line.gross - ((removed & (1 << at)) !== 0 ? 0 : line.own))
  const ground = { basket, products: input.venue.products, removed, holds }
  const free = basket.lines.map((line) => line.slots)
  let all: Placement[] = [{ free, holds, replaces: 0, added: 0, purse, paid: { cost: 0, spent: 0 } }]
  for (const [turn, player] of players.entries()) {
    const takes = takesOf(player.benefit, ground, player.left)
    const isLast = turn === players.length - 1
    const kept = new Map<string, Placement>()
    for (const before of all) {
      keep(kept, before, { isLast, exactly })
      for (const take of takes) {
        if (take.use.some((slots, at) => slots > before.free[at]!)) continue
        const purse = paidFrom(before.purse, player.benefit, take.paid)
        if (purse === null) continue
        const paid = withPayments(before.paid, player.benefit, take.paid)
        keep(kept, { ...placed(before, take), purse, paid }, { isLast, exactly })
      }
    }
    all = [...kept.values()]
  }
  return all
}

function placed(before: Placement, take: Take): Omit<Placement, 'purse' | 'paid'> {
  return {
    free: before.free.map((slots, at) => slots - take.use[at]!),
    holds: before.holds.map((hold, at) => hold - take.off[at]!),
    replaces: before.replaces | take.replaces,
    added: before.added + take.added,
  }
}

function keep(kept: Map<string, Placement>, next: Placement, so: { isLast: boolean; exactly: boolean }): void {
  const free = so.isLast ? '' : next.free.join()
  const held = so.exactly ? `/${next.holds.join()}/${next.added}` : ''
  const key = `${free}/${next.replaces}/${purseKey(next.purse)}${held}`
  const other = kept.get(key)
  if (other === undefined || costOf(next) < costOf(other)) kept.set(key, next)
}

// Of placements with the same purse, which have spent the same.
function costOf({ holds, added, paid }: Placement): number {
  return sumOf(holds) - added + paid.cost
}
