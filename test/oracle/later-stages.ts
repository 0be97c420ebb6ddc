import type { Benefit } from '../../engine/core/programme.js'
import { selectLines } from './select-lines.js'
import type { SentBasket, SentLine } from './sent-basket.js'
import { roundOf, spread, sumOf } from './spread.js'
import { bitsOf, subsetsOf } from './subsets.js'
import { capped, isDiscountable, lineAmount, mayDiscount } from './takes.js'

/** What decides between outcomes of one value (benefits 4), as far as the benefits applied go. */
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

/** What is left to pay at the end, and who brought it there. */
export interface End {
  readonly net: number
  readonly choice: Choice
}

/** A benefit that takes part, with its place in the order of benefitId. */
export interface Player {
  readonly benefit: Benefit
  readonly rank: number
  /** Units its limits leave; Infinity without limits of units, 0 where it cannot be applied. */
  readonly left: number
}

/** Whether a benefit works on the order, after all lines. */
export function isOrderLevel({ benefit }: Player): boolean {
  return benefit.reward.kind === 'order_percentage' || benefit.reward.kind === 'order_amount'
}

/** Nobody applied. */
export const nobody: Choice = { limited: 0, priority: 0, count: 0, ids: 0, served: [] }

/** The choice with one more benefit, which takes so many units of its limits and uses so many slots of each line. */
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
 * "Less limited quantity [...], then higher sum of priorities, then fewer benefits, then the smaller sorted list of
 * benefitIds, then the smallest list of (line position, benefitId, units)". Of two lists of benefitIds of one length that
 * one is smaller that has the smallest id they do not share. Lines and units are known here of normal line-level benefits;
 * the end of their list counts as a line behind all others.
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

  /** Whether what the lines cost is the end. */
  get isEmpty(): boolean {
    return this.basket.orders.length === 0 && this.normal.length === 0 && this.stackable.length === 0
  }

  /** The best end from what each line costs after line-level benefits. */
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
   * Ends in which the existing order discounts are taken off, or not: taken off they are where a benefit with `replace`
   * is applied, and only there; `keep` is never applied where the basket has any.
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
    // Nobody comes after the last one, and the more lines it has, the more it takes off.
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
 * Reading: an order percentage is worked out and rounded once, of what its lines cost together, as "For a percentage
 * discount the service adds: amount = round(percentage / 100 x ...)" (wire decisions 1) says of discounts on lines; then it
 * is spread. Where its maximum bites, the uncapped amounts are what would have been spread.
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
 * What the lines cost once the existing order discounts have found their place: "first, in their order, everything stays
 * where the line can still hold it; then, in their order, what did not fit moves to the other lines that carry the same
 * discount, by the spreading rule; what fits nowhere is dropped". "Nor do amounts move" to `noDiscount` lines.
 */
export function refitted(basket: SentBasket, holds: readonly number[]): readonly number[] {
  const room = [...holds]
  const homeless = basket.orders.map((parts) =>
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
    const shares = spread(Math.min(homeless[order]!, sumOf(targets)), targets)
    for (const [at, share] of shares.entries()) room[at]! -= share
  }
  return room
}

/** Stackable line-level benefits, in the order of benefitId, and after them the order level. */
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
   * @param holds    what each line costs after the normal benefits
   * @param removed  lines whose own discounts are taken off, as bits
   * @param owed     those of them for which no `replace` benefit stands yet: one must
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

/** Lines on which a stackable line-level benefit may stand where the own discounts of some lines, as bits, are taken off. */
export function stackableLines(basket: SentBasket, benefit: Benefit, removed: number): readonly number[] {
  const taken = selectLines(basket, 'select' in benefit.reward ? benefit.reward.select : undefined)
  const may = (line: SentLine, at: number) => mayDiscount(benefit, line, (removed & (1 << at)) !== 0)
  return [...basket.lines.keys()].filter((at) => taken[at]! && may(basket.lines[at]!, at))
}

/** What a stackable line-level benefit takes off each line when it stands on the given ones. */
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
