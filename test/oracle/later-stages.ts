import type { Benefit } from '../../engine/core/base/programme.js'
import { better, type Outlay, paidFrom, type Purse, purseKey, withPayments } from './purse.js'
import { selectLines } from './select-lines.js'
import type { SentBasket, SentLine } from './sent-basket.js'
import { roundOf, spread, sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { capped, isDiscountable, lineAmount, mayDiscount } from './takes.js'

/** A candidate benefit. */
export interface Player {
  readonly benefit: Benefit
  /** Units its limits leave; Infinity without limits of units, 0 where it cannot be applied. */
  readonly left: number
}

/** Whether a benefit applies to the order, after all lines. */
export function isOrderLevel({ benefit }: Player): boolean {
  return benefit.reward.kind === 'order_percentage' || benefit.reward.kind === 'order_amount'
}

/** The order level of one basket: existing order discounts, then at most one normal benefit, then stackable ones. */
export class OrderLevel {
  readonly #known = new Map<string, Outlay>()
  readonly #eligible = new Map<Player, readonly number[]>()

  constructor(
    readonly basket: SentBasket,
    readonly normal: readonly Player[],
    readonly stackable: readonly Player[],
  ) {
    for (const player of [...normal, ...stackable]) this.#eligible.set(player, eligibleLines(basket, player.benefit))
  }

  /** Whether there is no order level. */
  get isEmpty(): boolean {
    return this.basket.orders.length === 0 && this.normal.length === 0 && this.stackable.length === 0
  }

  /** The least net with what is spent, from the cost of each line after line-level benefits. */
  best(holds: readonly number[], purse: Purse): Outlay {
    const key = `${holds.join()}/${purseKey(purse)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const stay = this.#from(refitted(this.basket, holds), purse, false)
    const net = this.basket.orders.length > 0 ? better(stay, this.#from(holds, purse, true)) : stay
    if (net === null) throw new Error('the order level always has the outcome without benefits')
    this.#known.set(key, net)
    return net
  }

  /**
   * The least net with the existing order discounts removed, or not: removed only where a benefit with `replace` is applied. `keep` is never
   * applied where the basket has any.
   */
  #from(holds: readonly number[], purse: Purse, replaced: boolean): Outlay | null {
    let best: Outlay | null = null
    for (const normal of [null, ...this.normal]) {
      const sequence = normal === null ? this.stackable : [normal, ...this.stackable]
      const open = sequence.filter(({ benefit, left }) => left > 0 && this.#mayApply(benefit, replaced))
      best = better(best, this.#apply(open, holds, { purse, needsReplace: replaced }))
    }
    return best
  }

  #mayApply(benefit: Benefit, replaced: boolean): boolean {
    if (this.basket.orders.length === 0 || benefit.existingDiscounts === 'add') return true
    return benefit.existingDiscounts === 'replace' && replaced
  }

  #apply(open: readonly Player[], holds: readonly number[], { purse, needsReplace }: OrderState): Outlay | null {
    const [player, ...rest] = open
    if (player === undefined) return needsReplace ? null : { cost: sumOf(holds), spent: 0 }
    let best = this.#apply(rest, holds, { purse, needsReplace })
    const { benefit } = player
    const left = paidFrom(purse, benefit, 1)
    if (left === null) return best
    const eligible = this.#eligible.get(player)!
    // The last one has no successor, and takes more off with more lines.
    const subsets = rest.length === 0 ? [eligible] : subsetsOf(eligible)
    for (const lines of subsets) {
      const off = orderAmounts(benefit, holds, lines)
      if (sumOf(off) === 0) continue
      const after = holds.map((hold, at) => hold - off[at]!)
      const stillNeeds = needsReplace && benefit.existingDiscounts !== 'replace'
      const later = this.#apply(rest, after, { purse: left, needsReplace: stillNeeds })
      best = better(best, later === null ? null : withPayments(later, benefit, 1))
    }
    return best
  }
}

interface OrderState {
  readonly purse: Purse
  readonly needsReplace: boolean
}

/** Lines that an order-level benefit may discount. */
export function eligibleLines(basket: SentBasket, benefit: Benefit): readonly number[] {
  const taken = selectLines(basket, 'select' in benefit.reward ? benefit.reward.select : undefined)
  return [...basket.lines.keys()].filter((at) => taken[at]! && isDiscountable(benefit.reward, basket.lines[at]!))
}

/**
 * What an order-level benefit takes off each line.
 *
 * Reading: an order percentage is rounded once, on the sum of its lines, as "For a percentage discount the service adds: amount =
 * round(percentage / 100 x ...)" (wire decisions 1) says of discounts on lines; then it is spread. Where its maximum applies, the
 * weights are the uncapped amounts.
 */
export function orderAmounts(
  { reward }: Benefit,
  holds: readonly number[],
  lines: readonly number[],
): readonly number[] {
  const room = holds.map((hold, at) => (lines.includes(at) ? hold : 0))
  if (reward.kind === 'order_amount') return spread(Math.min(reward.amount, sumOf(room)), room)
  if (reward.kind !== 'order_percentage') return room.map(() => 0)
  return capped(spread(roundOf(sumOf(room), reward.percentage, 1_000_000), room), reward.maximumAmount)
}

/**
 * Cost of the lines after the existing order discounts are placed: "first, in their order, everything stays where the line can still
 * hold it; then, in their order, what did not fit moves to the other lines that carry the same discount, by the spreading rule; what
 * fits nowhere is dropped". "Nor do amounts move" to `noDiscount` lines.
 */
export function refitted(basket: SentBasket, holds: readonly number[]): readonly number[] {
  const room = [...holds]
  const displaced = basket.orders.map((parts) =>
    sumOf(
      parts.map((part, at) => {
        const stays = Math.min(part, room[at]!)
        room[at]! -= stays
        return part - stays
      }),
    ),
  )
  for (const [order, parts] of basket.orders.entries()) {
    const targets = room.map((left, at) => (parts[at]! > 0 && !basket.lines[at]!.line.noDiscount ? left : 0))
    const shares = spread(Math.min(displaced[order]!, sumOf(targets)), targets)
    for (const [at, share] of shares.entries()) room[at]! -= share
  }
  return room
}

/** Stackable line-level benefits, in the order of benefitId, then the order level. */
export class StackedLines {
  constructor(
    readonly basket: SentBasket,
    readonly players: readonly Player[],
    readonly order: OrderLevel,
  ) {}

  get isEmpty(): boolean {
    return this.players.length === 0 && this.order.isEmpty
  }

  /** @param holds cost of each line after the normal benefits */
  best(holds: readonly number[], so: StackState): Outlay | null {
    return this.#apply(this.players, holds, so)
  }

  #apply(players: readonly Player[], holds: readonly number[], so: StackState): Outlay | null {
    const [player, ...rest] = players
    if (player === undefined) return so.owed === 0 ? this.order.best(holds, so.purse) : null
    let best = this.#apply(rest, holds, so)
    const { benefit } = player
    const purse = paidFrom(so.purse, benefit, 1)
    if (player.left <= 0 || purse === null) return best
    for (const lines of subsetsOf(stackableLines(this.basket, benefit, so.removed))) {
      const off = stackedAmounts(benefit, { basket: this.basket, holds, lines })
      if (sumOf(off) === 0) continue
      const standing = benefit.existingDiscounts === 'replace' ? bitsOf(lines.filter((at) => off[at]! > 0)) : 0
      const after = holds.map((hold, at) => hold - off[at]!)
      const later = this.#apply(rest, after, { removed: so.removed, owed: so.owed & ~standing, purse })
      best = better(best, later === null ? null : withPayments(later, benefit, 1))
    }
    return best
  }
}

interface StackState {
  /** Lines whose own discounts are removed, as bits. */
  readonly removed: number
  /** Those of them that still need a `replace` benefit. */
  readonly owed: number
  readonly purse: Purse
}

/** Lines that a stackable line-level benefit may discount, with the own discounts of `removed` lines gone. */
export function stackableLines(basket: SentBasket, benefit: Benefit, removed: number): readonly number[] {
  const taken = selectLines(basket, 'select' in benefit.reward ? benefit.reward.select : undefined)
  const may = (line: SentLine, at: number) => mayDiscount(benefit, line, (removed & (1 << at)) !== 0)
  return [...basket.lines.keys()].filter((at) => taken[at]! && may(basket.lines[at]!, at))
}

/** What a stackable line-level benefit takes off each of the given lines. */
export function stackedAmounts(
  { reward }: Benefit,
  { basket, holds, lines }: { basket: SentBasket; holds: readonly number[]; lines: readonly number[] },
): readonly number[] {
  const amounts = holds.map((hold, at) => {
    const line = basket.lines[at]!
    return lines.includes(at) ? lineAmount(reward, { line, slots: line.slots, holds: hold, basket }) : 0
  })
  return capped(amounts, reward.kind === 'line_percentage' ? reward.maximumAmount : undefined)
}
