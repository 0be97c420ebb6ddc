import type { BenefitReport, Calculation, PricedBasket } from '../../engine/core/base/outcome.js'
import { bySequence, followings, groundOf } from './best-outcome.js'
import { slotsOf, type Take } from './ground.js'
import {
  eligibleLines,
  isOrderLevel,
  orderWays,
  type Player,
  playerOf,
  refitted,
  stackableLines,
  stackedAmounts,
} from './later-stages.js'
import type { PricingCase } from './pricing-case.js'
import { readSentBasket, type SentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { takesOf } from './takes.js'

interface Applied {
  readonly player: Player
  /** Reported amount on each line, and its units. */
  readonly off: readonly number[]
  readonly units: readonly number[]
}

/**
 * Checks that the rules allow the chosen outcome: every applied benefit has the amounts of its report, in a way that the rules give, all
 * together fit the units, and the basket has the resulting cost.
 *
 * @returns one sentence for each step that cannot be followed, none where the outcome is allowed
 */
export function replayFaults(question: PricingCase, { outcome, benefits }: Calculation): string[] {
  if (outcome.status === 'unchanged') return []
  const basket = readSentBasket(question.input)
  const applied = benefits
    .filter((report) => report.dropped === null)
    .map((report) => appliedOf(question, basket, report))
    .sort((a, b) => bySequence(a.player.benefit, b.player.benefit))
  const removed = removedIn(basket, outcome.basket, question)
  const lineLevel = replayLines(question, { basket, applied, removed })
  if (typeof lineLevel === 'string') return [lineLevel]
  const holds = replayOrders(basket, applied, lineLevel)
  if (typeof holds === 'string') return [holds]
  return basket.lines.flatMap((line, at) => {
    const parts = outcome.basket.lines.filter((part) => part.source === line.position)
    const net = sumOf(parts.map((part) => part.totals.net))
    return net === holds[at]! ? [] : [`line ${line.position} costs ${net}, its benefits say ${holds[at]!}`]
  })
}

function appliedOf({ benefits, input }: PricingCase, basket: SentBasket, report: BenefitReport): Applied {
  const benefit = benefits.find((other) => other.benefitId === report.benefitId)!
  const parts = basket.lines.map((line) => report.lines.filter((part) => part.line === line.position))
  const off = parts.map((own) => sumOf(own.map((part) => part.amount)))
  const units = parts.map((own) => sumOf(own.map((part) => part.units)))
  return { player: playerOf(benefit, input), off, units }
}

/** True: the report matches in the amount on each line, and in the units where a line has any. */
function isReported({ off, use }: Take, { lines }: SentBasket, reported: Applied): boolean {
  return lines.every(({ whole }, at) => off[at]! === reported.off[at]! && (!whole || use[at]! === reported.units[at]!))
}

/** Lines, as bits, whose own discounts the outcome has removed. */
function removedIn(basket: SentBasket, priced: PricedBasket, { input }: PricingCase): number {
  return basket.lines.reduce((bits, line, at) => {
    const part = priced.lines.find((other) => other.kind === 'sent' && other.source === line.position)
    const isPos = (position: number) => {
      const { lineDiscountCode, amount } = line.line.discounts[position]!
      return lineDiscountCode !== input.discountCode && amount > 0
    }
    const isKept = part?.discounts.some((discount) => discount.kind === 'kept' && isPos(discount.position)) ?? false
    return line.own > 0 && !isKept ? bits | (1 << at) : bits
  }, 0)
}

interface Followed {
  readonly basket: SentBasket
  readonly applied: readonly Applied[]
  readonly removed: number
}

/** Cost of each line after line-level benefits, or the fault. */
function replayLines({ input }: PricingCase, { basket, applied, removed }: Followed): readonly number[] | string {
  const lineLevel = applied.filter(({ player }) => !isOrderLevel(player))
  const normal = lineLevel.filter(({ player }) => player.benefit.combination !== 'stackable')
  const players = normal.map(({ player }) => player)
  const grounds = followings(basket, players).map((follows) => groundOf(basket, input, { removed, follows }))
  const placed = grounds.map((ground) => {
    const takes = normal.map((reported) =>
      takesOf(reported.player, ground).filter((take) => isReported(take, basket, reported)),
    )
    const free = basket.lines.map((_, at) => slotsOf(ground, at))
    return placedTogether(takes, free, 0)
  })
  let standing = placed.find((replaces) => replaces !== null) ?? null
  if (standing === null)
    return `not by the rules: ${normal.map(({ player, off }) => `${player.benefit.benefitId} ${off.join()}`).join('; ')}`
  const ids = applied.flatMap(({ player }) => player.benefit.group ?? [])
  if (new Set(ids).size < ids.length) return 'two benefits of one group'
  let holds: readonly number[] = grounds[0]!.holds.map((hold, at) => hold - sumOf(normal.map(({ off }) => off[at]!)))
  for (const { player, off } of lineLevel.filter(({ player }) => player.benefit.combination === 'stackable')) {
    const choices = subsetsOf(stackableLines(basket, player.benefit, removed))
    const ways = choices.map((lines) => stackedAmounts(player.benefit, { basket, holds, lines }))
    if (!ways.some((amounts) => amounts.join() === off.join()))
      return `${player.benefit.benefitId} takes off what it cannot: ${off.join()}`
    const lines = [...off.keys()].filter((at) => off[at]! > 0)
    if (player.benefit.existingDiscounts === 'replace') standing |= bitsOf(lines)
    holds = holds.map((hold, at) => hold - off[at]!)
  }
  return (removed & ~standing) === 0 ? holds : 'own discounts are taken off for nobody'
}

/** Replaced lines of takes that fit together, one of each list; null where none do. */
function placedTogether(takes: readonly Take[][], free: readonly number[], replaces: number): number | null {
  const [first, ...rest] = takes
  if (first === undefined) return replaces
  for (const take of first) {
    if (take.use.some((slots, at) => slots > free[at]!)) continue
    const left = free.map((slots, at) => slots - take.use[at]!)
    const placed = placedTogether(rest, left, replaces | take.replaces)
    if (placed !== null) return placed
  }
  return null
}

/** Cost of each line after the order level, or the fault. */
function replayOrders(
  basket: SentBasket,
  applied: readonly Applied[],
  costs: readonly number[],
): readonly number[] | string {
  const orderLevel = applied.filter(({ player }) => isOrderLevel(player))
  const normal = orderLevel.filter(({ player }) => player.benefit.combination !== 'stackable')
  const stackable = orderLevel.filter(({ player }) => player.benefit.combination === 'stackable')
  if (normal.length > 1) return 'more than one normal order-level benefit'
  const isReplaced = orderLevel.some(({ player }) => player.benefit.existingDiscounts === 'replace')
  let holds = isReplaced ? costs : refitted(basket, costs)
  for (const { player, off } of [...normal, ...stackable]) {
    const { benefit } = player
    if (benefit.existingDiscounts === 'keep' && basket.orders.length > 0)
      return `${benefit.benefitId} keeps order discounts`
    const ways = subsetsOf(eligibleLines(basket, benefit)).flatMap((lines) => orderWays(player, holds, lines))
    if (!ways.some((way) => way.off.join() === off.join()))
      return `${benefit.benefitId} takes off what it cannot: ${off.join()}`
    holds = holds.map((hold, at) => hold - off[at]!)
  }
  return holds
}
