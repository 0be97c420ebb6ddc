import type { VenueProduct } from '../../engine/core/base/basket.js'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { type Selected, selectLines } from './select-lines.js'
import type { SentBasket, SentLine } from './sent-basket.js'
import { bitsOf } from './subsets.js'

/** One way in which a normal line-level benefit can be applied, before anybody else is asked. */
export interface Take {
  /** Slots it uses on each line, bought ones included. */
  readonly use: readonly number[]
  readonly off: readonly number[]
  /** Lines that must have lost their own discounts for it, as bits. */
  readonly replaces: number
  /** Gross of the units that it adds. */
  readonly added: number
  /** Payments that its costs ask for. */
  readonly paid: number
}

/** The state in which every way of applying is judged. */
export interface Ground {
  readonly basket: SentBasket
  readonly products: readonly VenueProduct[]
  /** Lines whose own discounts are removed in these outcomes, as bits. */
  readonly removed: number
  /** Cost of each line before normal benefits: its gross, less its own discounts where they stay. */
  readonly holds: readonly number[]
  /** By line: the line that it follows with normal benefits; -1: it serves them by itself. */
  readonly follows: readonly number[]
}

/** 100 %. */
export const whole = 1_000_000

/** True: the reward takes a percentage, and so discounts no `noPercentageDiscount` lines. */
export function isPercentage(reward: Reward): boolean {
  if (reward.kind === 'buy_get') return reward.get.percentage < whole
  if (reward.kind === 'bundle_discount') return 'percentage' in reward.off
  return ['line_percentage', 'volume_percentage', 'order_percentage'].includes(reward.kind)
}

/** Benefits 1 and 2: the line's flags allow a discount by the reward. */
export function isDiscountable(reward: Reward, { line }: SentLine): boolean {
  return !line.noDiscount && !(isPercentage(reward) && line.noPercentageDiscount)
}

/** True: a line-level benefit may discount a line whose own discounts it may take off. */
export function canDiscount({ reward, existingDiscounts }: Benefit, line: SentLine): boolean {
  return isDiscountable(reward, line) && !(existingDiscounts === 'keep' && line.own > 0)
}

/** The same where its own discounts are `removed` or not (benefits 3). */
export function mayDiscount(benefit: Benefit, line: SentLine, removed: boolean): boolean {
  return canDiscount(benefit, line) && (removed || !isReplacing(benefit, line))
}

/**
 * The lines that a reward discounts, whatever their flags, and those that follow them: of percentages alone (benefits 1, Lines below).
 * Here `includeNoDiscount` has no effect.
 */
export function discountedLines(basket: SentBasket, { reward }: Benefit, withFlagged = false): Selected {
  const select = reward.kind === 'buy_get' ? reward.get.select : 'select' in reward ? reward.select : undefined
  const selected = selectLines(basket, { ...select, includeNoDiscount: withFlagged })
  const hasFollowers = isPercentage(reward) || reward.kind === 'buy_get'
  return hasFollowers ? selected : { ...selected, above: selected.above.map(() => -1) }
}

function isReplacing(benefit: Benefit, line: SentLine): boolean {
  return benefit.existingDiscounts === 'replace' && line.own > 0
}

export function isRemoved(ground: Ground, at: number): boolean {
  return (ground.removed & (1 << at)) !== 0
}

/** Cost of a line for a benefit that has its own discounts taken off, or not. */
export function heldFor(benefit: Benefit, ground: Ground, at: number): number {
  const line = ground.basket.lines[at]!
  return isReplacing(benefit, line) ? line.gross : ground.holds[at]!
}

/** Lines with something off, as bits, whose own discounts go for it; null where they are not `removed`. */
export function replacedBy(benefit: Benefit, ground: Ground, off: readonly number[]): number | null {
  const replaced = bitsOf(
    [...off.keys()].filter((at) => off[at]! > 0 && isReplacing(benefit, ground.basket.lines[at]!)),
  )
  return (replaced & ~ground.removed) === 0 ? replaced : null
}

/** Slots that normal benefits may use of a line by itself. */
export function slotsOf({ basket, follows }: Ground, at: number): number {
  return follows[at]! === -1 ? basket.lines[at]!.slots : 0
}

/** True: limits, costs or a maximum count units; then weighed lines are passed over. */
export function countsUnits({ limits, costs, reward }: Benefit): boolean {
  const isCounted = costs?.per === 'unit' || limits.some((limit) => limit.counts === 'units')
  return isCounted || maximumUnitsOf(reward) !== undefined
}

/** Units that the reward takes at most in a basket; absent: any. */
export function maximumUnitsOf(reward: Reward): number | undefined {
  return 'maximumUnits' in reward ? reward.maximumUnits : undefined
}
