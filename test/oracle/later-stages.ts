import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import type { CalculationInput } from '../../engine/core/index.js'
import { canDiscount, discountedLines, isDiscountable, mayDiscount } from './ground.js'
import { moneyLeft, unitsLeft } from './open-benefits.js'
import { better, type Outlay, type Purse, paidFrom, purseKey, withPayments } from './purse.js'
import type { SentBasket } from './sent-basket.js'
import { roundOf, spread, sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { capped, lineAmount } from './takes.js'

/** A candidate benefit. */
export interface Player {
  readonly benefit: Benefit
  /** Units its limits leave; Infinity without limits of units, 0 where it cannot be applied. */
  readonly left: number
  /** Money its limits leave; Infinity without limits of money. */
  readonly money: number
}

/** A candidate within its limits, or with `left` and `money` instead. */
export function playerOf(benefit: Benefit, input: CalculationInput, instead: Partial<Player> = {}): Player {
  const left = { left: unitsLeft(benefit, input), money: moneyLeft(benefit, input), ...instead }
  return { benefit: { ...benefit, reward: rewardWithin(benefit.reward, left.money) }, ...left }
}

/** "The benefit gives at most what is left, as if that were its maximumAmount (the smaller of the two counts)." */
function rewardWithin(reward: Reward, money: number): Reward {
  if (money === Number.POSITIVE_INFINITY) return reward
  switch (reward.kind) {
    case 'line_percentage':
    case 'order_percentage':
      return { ...reward, maximumAmount: Math.min(money, reward.maximumAmount ?? money) }
    default:
      return reward
  }
}

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

  /** True: there is no order level. */
  get isEmpty(): boolean {
    return this.basket.orders.length === 0 && this.normal.length === 0 && this.stackable.length === 0
  }

  /** The least net with the spending, from the cost of each line after line-level benefits. */
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
    const eligible = this.#eligible.get(player)!
    // The last one has no successor, and takes more off with more lines.
    const subsets = rest.length === 0 ? [eligible] : subsetsOf(eligible)
    const stillNeeds = needsReplace && benefit.existingDiscounts !== 'replace'
    for (const lines of subsets) {
      for (const { off, payments } of orderWays(player, holds, lines)) {
        const left = paidFrom(purse, benefit, payments)
        if (left === null) continue
        const after = holds.map((hold, at) => hold - off[at]!)
        const later = this.#apply(rest, after, { purse: left, needsReplace: stillNeeds })
        best = better(best, later === null ? null : withPayments(later, benefit, payments))
      }
    }
    return best
  }
}

interface OrderState {
  readonly purse: Purse
  readonly needsReplace: boolean
}

/** Lines that an order-level benefit may discount; a percentage those that follow, too. */
export function eligibleLines(basket: SentBasket, benefit: Benefit): readonly number[] {
  const { matches, above } = discountedLines(basket, benefit)
  const isTaken = (at: number) => matches[at]! || above[at]! !== -1
  return [...basket.lines.keys()].filter((at) => isTaken(at) && isDiscountable(benefit.reward, basket.lines[at]!))
}

/** Amounts of an order-level benefit off each line, and the payments for it. */
export interface OrderWay {
  readonly off: readonly number[]
  readonly payments: number
}

/**
 * Every way to apply an order-level benefit to some lines: an amount as many times as wanted; the last is never for nothing.
 *
 * Reading: an order percentage is rounded once, on the sum of its lines, as "For a percentage discount the service adds: amount =
 * round(percentage / 100 x ...)" (wire decisions 1) says of discounts on lines; then it is spread. Where its maximum applies, the
 * weights are the uncapped amounts.
 */
export function orderWays(
  { benefit: { reward, costs }, money }: Player,
  holds: readonly number[],
  lines: readonly number[],
): OrderWay[] {
  const room = holds.map((hold, at) => (lines.includes(at) ? hold : 0))
  if (reward.kind === 'order_percentage') {
    const off = capped(spread(roundOf(sumOf(room), reward.percentage, 1_000_000), room), reward.maximumAmount)
    return sumOf(off) === 0 ? [] : [{ off, payments: 1 }]
  }
  if (reward.kind !== 'order_amount') return []
  const most = Math.min(money, sumOf(room))
  const ways: OrderWay[] = []
  for (let times = 1; times <= (reward.maximumTimes ?? 1) && (times - 1) * reward.amount < most; times += 1) {
    const off = spread(Math.min(times * reward.amount, most), room)
    ways.push({ off, payments: costs?.per === 'times' ? times : 1 })
  }
  return ways
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

/** Stackable line-level benefits, in their sequence, then the order level. */
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
  /** Those that still need a `replace` benefit. */
  readonly owed: number
  readonly purse: Purse
}

/**
 * Lines that a stackable line-level benefit may discount, with the own discounts of `removed` lines gone.
 *
 * Reading: it takes followers of a line that it can discount as it takes lines, each by a choice of its own.
 */
export function stackableLines(basket: SentBasket, benefit: Benefit, removed: number): readonly number[] {
  const { above } = discountedLines(basket, benefit)
  const isAlong = (at: number) => above[at]! === -1 || canDiscount(benefit, basket.lines[above[at]!]!)
  return eligibleLines(basket, benefit).filter(
    (at) => isAlong(at) && mayDiscount(benefit, basket.lines[at]!, (removed & (1 << at)) !== 0),
  )
}

/** Amounts of a stackable line-level benefit off each of the given lines. */
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
