import type { CalculationInput } from '../../engine/core/index.js'
import {
  type Choice,
  isBetterChoice,
  isOrderLevel,
  joined,
  nobody,
  OrderLevel,
  type Player,
  StackedLines,
  sortedServed,
  withPlayer,
} from './later-stages.js'
import { openBenefits, unitsLeft } from './open-benefits.js'
import { byCodePoints, type PricingCase } from './pricing-case.js'
import { meetsConditions } from './select-lines.js'
import { readSentBasket, type SentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { type Take, takesOf } from './takes.js'

/** The best outcome that the rules allow (benefits 4). */
export interface BestOutcome {
  readonly value: number
  /** Applied benefits in the order of benefitId; empty where the value is 0. */
  readonly applied: readonly string[]
  /** Limited quantity used. */
  readonly limited: number
  readonly priority: number
  /**
   * Lines of the request with the units that each benefit uses there, 0 of a weighed line. Null with other benefits than normal
   * line-level ones, or where a price of ours was removed.
   */
  readonly served: readonly string[] | null
}

/** Input of a search. */
export interface Question {
  readonly basket: SentBasket
  readonly input: CalculationInput
  /** Candidate benefits: open to the member, conditions met. */
  readonly players: readonly Player[]
}

/** The greatest value over all outcomes, ties settled, by full enumeration. */
export function bestOutcome({ benefits, input }: PricingCase): BestOutcome {
  const basket = readSentBasket(input)
  const able = openBenefits(benefits, input).filter((benefit) => meetsConditions(basket, benefit))
  const players = able
    .toSorted((a, b) => byCodePoints(a.benefitId, b.benefitId))
    .map((benefit, rank): Player => ({ benefit, rank, left: unitsLeft(benefit, input) }))
  return search({ basket, input, players })
}

/** The same for given benefits: `exclusive` ones alone, the others together. */
export function search({ basket, input, players }: Question): BestOutcome {
  const able = players.filter((player) => player.left > 0)
  const together = able.filter(({ benefit }) => benefit.combination !== 'exclusive')
  const groups = [
    together,
    ...able.filter(({ benefit }) => benefit.combination === 'exclusive').map((player) => [player]),
  ]
  let best: { gain: number; choice: Choice } = { gain: 0, choice: nobody }
  for (const group of groups) {
    const found = bestOfGroup({ basket, input, players: group })
    if (found.gain > best.gain || (found.gain === best.gain && isBetterChoice(found.choice, best.choice))) best = found
  }
  if (best.gain <= 0) return { value: 0, applied: [], limited: 0, priority: 0, served: [] }
  const applied = players.filter(({ rank }) => (best.choice.ids & (1 << rank)) !== 0)
  return {
    value: best.gain,
    applied: applied.map(({ benefit }) => benefit.benefitId),
    limited: best.choice.limited,
    priority: best.choice.priority,
    served: able.some(isLater) || basket.repriced ? null : servedBy(basket, players, best.choice),
  }
}

function isLater(player: Player): boolean {
  return isOrderLevel(player) || player.benefit.combination === 'stackable'
}

function servedBy(basket: SentBasket, players: readonly Player[], choice: Choice): string[] {
  return sortedServed(choice).map(([line, rank, slots]) => {
    const { benefitId } = players.find((player) => player.rank === rank)!.benefit
    const { position, whole } = basket.lines[line]!
    return `${position}:${benefitId}:${whole ? slots : 0}`
  })
}

function bestOfGroup({ basket, input, players }: Question): { gain: number; choice: Choice } {
  const stackable = players.filter(({ benefit }) => benefit.combination === 'stackable')
  const normal = players.filter(({ benefit }) => benefit.combination !== 'stackable')
  const order = new OrderLevel(basket, normal.filter(isOrderLevel), stackable.filter(isOrderLevel))
  const stacked = new StackedLines(
    basket,
    stackable.filter((player) => !isOrderLevel(player)),
    order,
  )
  const lineLevel = normal.filter((player) => !isOrderLevel(player))
  let best: { gain: number; choice: Choice } = { gain: 0, choice: nobody }
  for (const removed of removals(basket, [...lineLevel, ...stacked.players])) {
    for (const state of placements({ basket, input, players: lineLevel }, removed, !stacked.isEmpty)) {
      const end = stacked.best(state.holds, removed, removed & ~state.replaces)
      if (end === null) continue
      const found = { gain: basket.net + state.added - end.net, choice: joined(state.choice, end.choice) }
      if (found.gain > best.gain || (found.gain === best.gain && isBetterChoice(found.choice, best.choice)))
        best = found
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
  readonly choice: Choice
}

/**
 * Every placement of the normal line-level benefits on the units: "a whole unit, or a weighed line, serves at most one". Of placements
 * with equal remaining state only the best by the ties is retained; without later stages only the total cost of the lines counts.
 *
 * @param removed lines whose own discounts are removed, as bits
 * @param exactly whether a later stage follows the line level
 */
function placements({ basket, input, players }: Question, removed: number, exactly: boolean): Placement[] {
  const holds = basket.lines.map((line, at) => line.gross - ((removed & (1 << at)) !== 0 ? 0 : line.own))
  const ground = { basket, products: input.venue.products, removed, holds }
  const free = basket.lines.map((line) => line.slots)
  let all: Placement[] = [{ free, holds, replaces: 0, added: 0, choice: nobody }]
  for (const [turn, player] of players.entries()) {
    const takes = takesOf(player.benefit, ground, player.left)
    const isLast = turn === players.length - 1
    const kept = new Map<string, Placement>()
    for (const before of all) {
      keep(kept, before, { isLast, exactly })
      for (const take of takes) {
        if (take.use.some((slots, at) => slots > before.free[at]!)) continue
        keep(kept, placed(before, player, take), { isLast, exactly })
      }
    }
    all = [...kept.values()]
  }
  return all
}

function placed(before: Placement, player: Player, take: Take): Placement {
  return {
    free: before.free.map((slots, at) => slots - take.use[at]!),
    holds: before.holds.map((hold, at) => hold - take.off[at]!),
    replaces: before.replaces | take.replaces,
    added: before.added + take.added,
    choice: withPlayer(before.choice, player, take.units, take.use),
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
  const [cost, otherCost] = [sumOf(next.holds) - next.added, sumOf(other.holds) - other.added]
  if (cost < otherCost || (cost === otherCost && isBetterChoice(next.choice, other.choice))) kept.set(key, next)
}
