import type { Benefit } from '../../engine/core/base/programme.js'
import { selectLines } from './select-lines.js'
import type { SentBasket, SentLine } from './sent-basket.js'
import { roundOf, spread, sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { capped, isDiscountable, lineAmount, mayDiscount } from './takes.js'

/** Decides between outcomes of equal value (benefits 4), by the benefits applied. */
export interface Choice {
  readonly limited: number
  readonly priority: number
  readonly count: number
  /** Benefits applied, as bits by their rank in benefitId order. */
  readonly ids: number
  /** Slots that normal line-level benefits use, as line, rank, slots. */
  readonly served: readonly Served[]
}

type Served = readonly [line: number, rank: number, slots: number]

/** What is left to pay at the end, and the choice that led there. */
export interface End {
  readonly net: number
  readonly choice: Choice
}

/** A candidate benefit, with its rank in the order of benefitId. */
export interface Player {
  readonly benefit: Benefit
  readonly rank: number
  /** Units its limits leave; Infinity without limits of units, 0 where it cannot be applied. */
  readonly left: number
}

/** Whether a benefit applies to the order, after all lines. */
export function isOrderLevel({ benefit }: Player): boolean {
  return benefit.reward.kind === 'order_percentage' || benefit.reward.kind === 'order_amount'
}

/** No benefit applied. */
export const nobody: Choice = { limited: 0, priority: 0, count: 0, ids: 0, served: [] }

/** The choice plus one more benefit, with its units of limits and its slots on each line. */
export function withPlayer(
  choice: Choice,
  { benefit, rank }: Player,
  units: number,
  use: readonly number[] = [],
): Choice {
  const limited = sumOf(benefit.limits.map((limit) => (limit.counts === 'units' ? units : 1)))
  return {
    limited: choice.limited + limited,
    priority: choice.priority + benefit.priority,
    count: choice.count + 1,
    ids: choice.ids | (1 << rank),
    served: [...choice.served, ...use.flatMap((slots, line): Served[] => (slots > 0 ? [[line, rank, slots]] : []))],
  }
}

/** Both choices together; they share no benefit. */
export function joined(left: Choice, right: Choice): Choice {
  return {
    limited: left.limited + right.limited,
    priority: left.priority + right.priority,
    count: left.count + right.count,
    ids: left.ids | right.ids,
    served: [...left.served, ...right.served],
  }
}

/**
 * "Less limited quantity [...], then higher sum of priorities, then fewer benefits, then the smaller sorted list of benefitIds, then
 * the smallest list of (line position, benefitId, units)". Of two lists of equal length the smaller one has the smallest id they do
 * not share. Only normal line-level benefits have lines and units here; the end of their list counts as a line after all others.
 */
export function isBetterChoice(left: Choice, right: Choice): boolean {
  if (left.limited !== right.limited) return left.limited < right.limited
  if (left.priority !== right.priority) return left.priority > right.priority
  if (left.count !== right.count) return left.count < right.count
  const differing = left.ids ^ right.ids
  if (differing !== 0) return (left.ids & differing & -differing) !== 0
  return isSmallerList(sortedServed(left), sortedServed(right))
}

/** The slots used in the order of lines, then of benefitIds. */
export function sortedServed({ served }: Choice): Served[] {
  return served.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
}

function isSmallerList(left: readonly Served[], right: readonly Served[]): boolean {
  for (const [at, entry] of left.entries()) {
    const other = right[at]
    if (other === undefined) return true
    const place = entry.findIndex((figure, index) => figure !== other[index]!)
    if (place !== -1) return entry[place]! < other[place]!
  }
  return false
}

function better(left: End | null, right: End | null): End | null {
  if (left === null || right === null) return left ?? right
  if (left.net !== right.net) return left.net < right.net ? left : right
  return isBetterChoice(left.choice, right.choice) ? left : right
}

/** The order level of one basket: existing order discounts, then at most one normal benefit, then stackable ones. */
export class OrderLevel {
  readonly #known = new Map<string, End>()
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

  /** The best end, from the cost of each line after line-level benefits. */
  best(holds: readonly number[]): End {
    const key = holds.join()
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const stay = this.#from(refitted(this.basket, holds), false)
    const end = this.basket.orders.length > 0 ? better(stay, this.#from(holds, true)) : stay
    if (end === null) throw new Error('the order level always has the outcome without benefits')
    this.#known.set(key, end)
    return end
  }

  /**
   * Ends with the existing order discounts removed, or not: removed only where a benefit with `replace` is applied. `keep` is never
   * applied where the basket has any.
   */
  #from(holds: readonly number[], replaced: boolean): End | null {
    let best: End | null = null
    for (const normal of [null, ...this.normal]) {
      const sequence = normal === null ? this.stackable : [normal, ...this.stackable]
      const open = sequence.filter(({ benefit, left }) => left > 0 && this.#mayApply(benefit, replaced))
      best = better(best, this.#apply(open, holds, { choice: nobody, needsReplace: replaced }))
    }
    return best
  }

  #mayApply(benefit: Benefit, replaced: boolean): boolean {
    if (this.basket.orders.length === 0 || benefit.existingDiscounts === 'add') return true
    return benefit.existingDiscounts === 'replace' && replaced
  }

  #apply(open: readonly Player[], holds: readonly number[], so: { choice: Choice; needsReplace: boolean }): End | null {
    const [player, ...rest] = open
    if (player === undefined) return so.needsReplace ? null : { net: sumOf(holds), choice: so.choice }
    let best = this.#apply(rest, holds, so)
    const eligible = this.#eligible.get(player)!
    // The last one has no successor, and takes more off with more lines.
    const subsets = rest.length === 0 ? [eligible] : subsetsOf(eligible)
    for (const lines of subsets) {
      const off = orderAmounts(player.benefit, holds, lines)
      if (sumOf(off) === 0) continue
      const after = holds.map((hold, at) => hold - off[at]!)
      const choice = withPlayer(so.choice, player, 0)
      const needsReplace = so.needsReplace && player.benefit.existingDiscounts !== 'replace'
      best = better(best, this.#apply(rest, after, { choice, needsReplace }))
    }
    return best
  }
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

  /**
   * @param holds cost of each line after the normal benefits
   * @param removed lines whose own discounts are removed, as bits
   * @param owed those of them that still need a `replace` benefit
   */
  best(holds: readonly number[], removed: number, owed: number): End | null {
    return this.#apply(this.players, holds, { removed, owed, choice: nobody })
  }

  #apply(
    players: readonly Player[],
    holds: readonly number[],
    so: { removed: number; owed: number; choice: Choice },
  ): End | null {
    const [player, ...rest] = players
    if (player === undefined) {
      if (so.owed !== 0) return null
      const end = this.order.best(holds)
      return { net: end.net, choice: joined(so.choice, end.choice) }
    }
    let best = this.#apply(rest, holds, so)
    if (player.left <= 0) return best
    const { benefit } = player
    for (const lines of subsetsOf(stackableLines(this.basket, benefit, so.removed))) {
      const off = stackedAmounts(benefit, { basket: this.basket, holds, lines })
      if (sumOf(off) === 0) continue
      const standing = benefit.existingDiscounts === 'replace' ? bitsOf(lines.filter((at) => off[at]! > 0)) : 0
      const after = holds.map((hold, at) => hold - off[at]!)
      const choice = withPlayer(so.choice, player, 0)
      best = better(best, this.#apply(rest, after, { removed: so.removed, owed: so.owed & ~standing, choice }))
    }
    return best
  }
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
