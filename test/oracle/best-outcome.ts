import type { Benefit } from '../../engine/core/base/programme.js'
import type { CalculationInput } from '../../engine/core/index.js'
import { discountedLines, type Ground, slotsOf, type Take } from './ground.js'
import { isOrderLevel, OrderLevel, type Player, playerOf, StackedLines } from './later-stages.js'
import { openBenefits } from './open-benefits.js'
import { byCodePoints, type PricingCase } from './pricing-case.js'
import { better, type Outlay, type Purse, paidFrom, purseKey, purseOf, withPayments } from './purse.js'
import { meetsConditions } from './select-lines.js'
import { readSentBasket, type SentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { takesOf } from './takes.js'

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
    .map((benefit) => playerOf(benefit, input))
  return search({ basket, input, players, purse: purseOf(benefits, input) })
}

/** The same for given benefits: `exclusive` ones alone, the others together. */
export function search({ basket, input, players, purse }: Question): BestOutcome {
  const able = players.filter((player) => player.left > 0)
  const together = oneOfEachGroup(able.filter(({ benefit }) => benefit.combination !== 'exclusive'))
  const alone = able.filter(({ benefit }) => benefit.combination === 'exclusive').map((player) => [player])
  let best: Outlay = { cost: 0, spent: 0 }
  for (const some of [...together, ...alone])
    best = better(best, bestTogether({ basket, input, players: some, purse })) ?? best
  return { value: best.cost === 0 ? 0 : -best.cost, spent: best.spent }
}

/** "Of the benefits of one group at most one is in an outcome": every choice of one for each group. */
function oneOfEachGroup(players: readonly Player[]): (readonly Player[])[] {
  const groups = new Set(players.flatMap(({ benefit: { group } }) => (group === null ? [] : [group])))
  let choices: (readonly Player[])[] = [players]
  for (const name of groups) {
    const rivals = players.filter(({ benefit }) => benefit.group === name)
    choices = choices.flatMap((some) =>
      rivals.map((one) => some.filter((each) => each === one || !rivals.includes(each))),
    )
  }
  return choices
}

/** The order in which stackable benefits apply. */
export function bySequence(one: Benefit, other: Benefit): number {
  return one.sequence - other.sequence || byCodePoints(one.benefitId, other.benefitId)
}

// A cost below that of the basket without benefits.
function bestTogether({ basket, input, players, purse }: Question): Outlay | null {
  const sorted = players.toSorted((a, b) => bySequence(a.benefit, b.benefit))
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
    for (const follows of followings(basket, lineLevel)) {
      const ground = groundOf(basket, input, { removed, follows })
      for (const state of placements(ground, { players: lineLevel, purse }, !stacked.isEmpty)) {
        const owed = removed & ~state.replaces
        const later = stacked.best(state.holds, { removed, owed, purse: state.purse })
        if (later === null) continue
        const { cost, spent } = later
        best = better(best, {
          cost: cost + state.paid.cost - basket.net - state.added,
          spent: spent + state.paid.spent,
        })
      }
    }
  }
  return best
}

/** Every set of lines, as bits, whose own discounts could be removed; only the empty one without a replacing benefit. */
function removals(basket: SentBasket, players: readonly Player[]): number[] {
  if (!players.some(({ benefit }) => benefit.existingDiscounts === 'replace')) return [0]
  return subsetsOf([...basket.lines.keys()].filter((at) => basket.lines[at]!.own > 0)).map(bitsOf)
}

/**
 * "Among normal benefits a follower either follows one line, with all benefits that share the units of that line, or serves others by
 * itself like any line": every choice for each line.
 */
export function followings(basket: SentBasket, players: readonly Player[]): number[][] {
  let choices: number[][] = [[]]
  const followed = players.map(({ benefit }) => discountedLines(basket, benefit).above)
  for (const at of basket.lines.keys()) {
    const ups = new Set([-1, ...followed.map((above) => above[at]!)])
    choices = choices.flatMap((before) => [...ups].map((up) => [...before, up]))
  }
  return choices
}

/** The ground of normal benefits, where the own discounts of some lines are removed, and some lines follow others. */
export function groundOf(
  basket: SentBasket,
  { venue }: CalculationInput,
  { removed, follows }: Pick<Ground, 'removed' | 'follows'>,
): Ground {
  const holds = basket.lines.map((line, at) => line.gross - ((removed & (1 << at)) !== 0 ? 0 : line.own))
  return { basket, products: venue.products, removed, holds, follows }
}

/** A feasible combination of normal line-level benefits. */
interface Placement {
  /** Free slots. */
  readonly free: readonly number[]
  readonly holds: readonly number[]
  readonly replaces: number
  readonly added: number
  readonly purse: Purse
  /** Worth and amounts of the spending. */
  readonly paid: Outlay
}

/**
 * Every placement of the normal line-level benefits on the units: "a whole unit, or a weighed line, serves at most one". Of placements
 * with equal remaining state one is retained; without later stages only the total cost of the lines counts.
 *
 * @param exactly whether a later stage follows the line level
 */
function placements(
  ground: Ground,
  { players, purse }: Pick<Question, 'players' | 'purse'>,
  exactly: boolean,
): Placement[] {
  const free = ground.basket.lines.map((_, at) => slotsOf(ground, at))
  let all: Placement[] = [{ free, holds: ground.holds, replaces: 0, added: 0, purse, paid: { cost: 0, spent: 0 } }]
  for (const [turn, player] of players.entries()) {
    const takes = takesOf(player, ground)
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

// Only placements with the same purse are compared: they have spent the same.
function costOf({ holds, added, paid }: Placement): number {
  return sumOf(holds) - added + paid.cost
}
