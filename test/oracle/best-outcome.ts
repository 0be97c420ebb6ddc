import type { CalculationInput } from '../../engine/core/index.js'
import { isOrderLevel, OrderLevel, type Player, playerOf, StackedLines } from './later-stages.js'
import { openBenefits } from './open-benefits.js'
import { byCodePoints, type PricingCase } from './pricing-case.js'
import { meetsConditions } from './select-lines.js'
import { readSentBasket, type SentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { type Take, takesOf } from './takes.js'

/** The best outcome that the rules allow (benefits 4). */
export interface BestOutcome {
  readonly value: number
}

/** Input of a search. */
export interface Question {
  readonly basket: SentBasket
  readonly input: CalculationInput
  /** Candidate benefits: open to the member, conditions met. */
  readonly players: readonly Player[]
}

/** The greatest value over all outcomes, by full enumeration. */
export function bestOutcome({ benefits, input }: PricingCase): BestOutcome {
  const basket = readSentBasket(input)
  const players = openBenefits(benefits, input)
    .filter((benefit) => meetsConditions(basket, benefit))
    .map((benefit) => playerOf(benefit, input))
  return search({ basket, input, players })
}

/** The same for given benefits: `exclusive` ones alone, the others together. */
export function search({ basket, input, players }: Question): BestOutcome {
  const able = players.filter((player) => player.left > 0)
  const together = able.filter(({ benefit }) => benefit.combination !== 'exclusive')
  const alone = able.filter(({ benefit }) => benefit.combination === 'exclusive').map((player) => [player])
  return { value: Math.max(0, ...[together, ...alone].map((group) => bestOfGroup({ basket, input, players: group }))) }
}

function bestOfGroup({ basket, input, players }: Question): number {
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
  let best = 0
  for (const removed of removals(basket, [...lineLevel, ...stacked.players])) {
    for (const state of placements({ basket, input, players: lineLevel }, removed, !stacked.isEmpty)) {
      const net = stacked.best(state.holds, removed, removed & ~state.replaces)
      if (net !== null) best = Math.max(best, basket.net + state.added - net)
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
}

/**
 * Every placement of the normal line-level benefits on the units: "a whole unit, or a weighed line, serves at most one". Of placements
 * with equal remaining state one is retained; without later stages only the total cost of the lines counts.
 *
 * @param removed lines whose own discounts are removed, as bits
 * @param exactly whether a later stage follows the line level
 */
function placements({ basket, input, players }: Question, removed: number, exactly: boolean): Placement[] {
  const holds = basket.lines.map((line, at) => line.gross - ((removed & (1 << at)) !== 0 ? 0 : line.own))
  const ground = { basket, products: input.venue.products, removed, holds }
  const free = basket.lines.map((line) => line.slots)
  let all: Placement[] = [{ free, holds, replaces: 0, added: 0 }]
  for (const [turn, player] of players.entries()) {
    const takes = takesOf(player, ground)
    const isLast = turn === players.length - 1
    const kept = new Map<string, Placement>()
    for (const before of all) {
      keep(kept, before, { isLast, exactly })
      for (const take of takes) {
        if (take.use.some((slots, at) => slots > before.free[at]!)) continue
        keep(kept, placed(before, take), { isLast, exactly })
      }
    }
    all = [...kept.values()]
  }
  return all
}

function placed(before: Placement, take: Take): Placement {
  return {
    free: before.free.map((slots, at) => slots - take.use[at]!),
    holds: before.holds.map((hold, at) => hold - take.off[at]!),
    replaces: before.replaces | take.replaces,
    added: before.added + take.added,
  }
}

function keep(kept: Map<string, Placement>, next: Placement, so: { isLast: boolean; exactly: boolean }): void {
  const free = so.isLast ? '' : next.free.join()
  const key = so.exactly ? `${free}/${next.replaces}/${next.holds.join()}/${next.added}` : `${free}/${next.replaces}`
  const other = kept.get(key)
  if (other === undefined) {
    kept.set(key, next)
    return
  }
  if (sumOf(next.holds) - next.added < sumOf(other.holds) - other.added) kept.set(key, next)
}
