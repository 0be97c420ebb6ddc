import type { Benefit, Reward, RewardOf } from '../../engine/core/base/programme.js'
import {
  canDiscount,
  countsUnits,
  discountedLines,
  type Ground,
  heldFor,
  isPercentage,
  isRemoved,
  maximumUnitsOf,
  mayDiscount,
  replacedBy,
  slotsOf,
  type Take,
  whole,
} from './ground.js'
import { quantityOf, quantityOfUnits } from './select-lines.js'
import type { SentBasket, SentLine } from './sent-basket.js'
import { floorOf, roundOf, spread, sumOf, sumOfBoth } from './spread.js'
import { type Bundle, bundleTimes, buyGetTimes, repeated } from './times.js'

/** A benefit, and the rest of its limits. */
interface Asked {
  readonly benefit: Benefit
  readonly left: number
  readonly money: number
}

/**
 * Every way to apply a normal line-level benefit that takes something off, within its limits. Rewards that have
 * no maximum amount "apply to as many units or times as fit whole"; `line_amount` per line "gives what is left".
 */
export function takesOf({ benefit, left, money }: Asked, ground: Ground): Take[] {
  const { reward } = benefit
  if (reward.kind === 'line_amount' && reward.per === 'line') return takesWithin({ benefit, left, money }, ground)
  return takesWithin({ benefit, left, money }, ground).filter(({ off }) => sumOf(off) <= money)
}

function takesWithin({ benefit, left, money }: Asked, ground: Ground): Take[] {
  if (left <= 0) return []
  const { reward } = benefit
  if (reward.kind === 'buy_get') return buyGetTakes(benefit, reward, { ground, left })
  if ('components' in reward) return bundleTakes(benefit, reward, { ground, left })
  if (reward.kind === 'free_product') return freeTakes(benefit, reward, { ground, left })
  return lineTakes(benefit, ground, { left, money })
}

/**
 * "A benefit may leave out any unit or line that it matches": any number of slots on each line. "A discount the service
 * adds is never 0" (wire decisions 9): a slot with nothing to get is not taken; a share of a maximum amount may come to 0.
 */
function lineTakes(benefit: Benefit, ground: Ground, { left, money }: Omit<Asked, 'benefit'>): Take[] {
  const { reward, costs } = benefit
  const { lines } = ground.basket
  const hasUnitLimit = countsUnits(benefit)
  const most = Math.min(left, maximumUnitsOf(reward) ?? left)
  const { matches, above } = discountedLines(ground.basket, benefit)
  let partial: { use: number[]; off: number[]; units: number }[] = [{ use: [], off: [], units: 0 }]
  for (const [at, line] of lines.entries()) {
    const options = [{ slots: 0, off: 0, units: 0 }]
    const isOpen = matches[at]! && canDiscount(benefit, line) && !(hasUnitLimit && !line.whole)
    const isFollowed = above.some((up, follower) => up === at && ground.follows[follower] === at)
    for (let slots = 1; isOpen && slots <= slotsOf(ground, at); slots += 1) {
      const off = lineAmount(reward, { line, slots, holds: heldFor(benefit, ground, at), basket: ground.basket })
      const isTaken = off > 0 ? mayDiscount(benefit, line, isRemoved(ground, at)) : isFollowed
      if (isTaken) options.push({ slots, off, units: line.whole ? slots : 0 })
    }
    partial = partial.flatMap(({ use, off, units }) =>
      options
        .filter((option) => !hasUnitLimit || units + option.units <= most)
        .map((option) => ({ use: [...use, option.slots], off: [...off, option.off], units: units + option.units })),
    )
  }
  const cut = reward.kind === 'line_amount' && reward.per === 'line' ? money : Number.POSITIVE_INFINITY
  const maximum = reward.kind === 'line_percentage' ? reward.maximumAmount : cut
  const percentage = percentageOf(reward, ground.basket)
  return partial.flatMap(({ use, off, units }) =>
    followersOff(benefit, ground, { above, percentage, slots: use }).flatMap((more) => {
      const given = capped(sumOfBoth(off, more), maximum)
      const replaces = replacedBy(benefit, ground, given)
      if (sumOf(given) === 0 || replaces === null) return []
      return [{ use, off: given, replaces, added: 0, paid: costs?.per === 'unit' ? units : 1 }]
    }),
  )
}

function percentageOf(reward: Reward, basket: SentBasket): number {
  if (reward.kind === 'line_percentage') return reward.percentage
  return reward.kind === 'volume_percentage' ? tierOf(reward, basket) : 0
}

/**
 * "Where `k` of the line's `q` units get it, `floor(k x what the follower holds / q)` of each follower": the part of a percentage off these
 * slots of each line takes off those that follow, for every choice among them.
 */
function followersOff(
  benefit: Benefit,
  ground: Ground,
  { above, percentage, slots }: { above: readonly number[]; percentage: number; slots: readonly number[] },
): number[][] {
  const { lines } = ground.basket
  let ways = [lines.map(() => 0)]
  for (const [at, line] of lines.entries()) {
    const up = above[at]!
    if (up === -1 || ground.follows[at]! !== up || !mayDiscount(benefit, line, isRemoved(ground, at))) continue
    const part = floorOf(slots[up]!, heldFor(benefit, ground, at), lines[up]!.slots)
    const off = roundOf(part, percentage, whole)
    if (off > 0) ways = ways.flatMap((way) => [way, way.with(at, off)])
  }
  return ways
}

/** "When a maximum amount bites, it is spread over its lines in proportion to the uncapped amounts." */
export function capped(amounts: readonly number[], maximum: number | undefined): readonly number[] {
  return maximum === undefined || sumOf(amounts) <= maximum ? amounts : spread(maximum, amounts)
}

interface Part {
  readonly line: SentLine
  readonly slots: number
  readonly holds: number
  readonly basket: SentBasket
}

/** Amount of a line reward off `slots` slots of a line; 0 where it cannot take just these. */
export function lineAmount(reward: Reward, { line, slots, holds, basket }: Part): number {
  const quantity = line.whole ? slots * 1000 : line.quantity
  const part = floorOf(slots, holds, line.slots)
  switch (reward.kind) {
    case 'line_percentage':
      return roundOf(part, reward.percentage, whole)
    case 'volume_percentage':
      return roundOf(part, tierOf(reward, basket), whole)
    case 'line_amount':
      if (reward.per === 'unit') return Math.min(part, roundOf(quantity, reward.amount, 1000))
      return slots === line.slots ? Math.min(holds, reward.amount) : 0
    case 'member_price':
      return Math.max(0, part - roundOf(quantity, reward.unitPrice, 1000))
    case 'price_override':
      if (reward.unitPrice >= line.price) return 0
      return roundOf(quantity, line.price, 1000) - roundOf(quantity, reward.unitPrice, 1000)
    default:
      return 0
  }
}

/** The percentage of the highest tier that the quantity of all matching lines as sent reaches; 0 below the first. */
export function tierOf(reward: RewardOf<'volume_percentage'>, basket: SentBasket, withFlagged = false): number {
  const quantity = quantityOf(basket, reward, withFlagged)
  return reward.tiers.filter((tier) => tier.quantity <= quantity).at(-1)?.percentage ?? 0
}

interface Reach {
  readonly ground: Ground
  readonly left: number
}

/**
 * "Among the units of one time that could be either, the cheapest (by what they cost as sent, then by the price that counts) are the
 * `get` units": a unit could be either when both selectors take it and it may get the percentage.
 */
function buyGetTakes(benefit: Benefit, reward: RewardOf<'buy_get'>, { ground, left }: Reach): Take[] {
  const timesMax = Math.min(reward.maximumTimes ?? Number.POSITIVE_INFINITY, Math.floor(left / reward.get.quantity))
  const { above } = discountedLines(ground.basket, benefit)
  const { percentage } = reward.get
  const isKept = (line: SentLine) => benefit.existingDiscounts === 'keep' && line.own > 0
  const times = buyGetTimes(ground.basket, reward, { open: (line) => !isKept(line) })
  return repeated(times, ground, timesMax).flatMap(({ time, times: count }) => {
    const direct = ground.basket.lines.map((line, at) =>
      roundOf(floorOf(time.get[at]!, heldFor(benefit, ground, at), line.slots), percentage, whole),
    )
    const { per } = benefit.costs ?? {}
    const paid = per === 'unit' ? sumOf(time.get) : per === 'times' ? count : 1
    return followersOff(benefit, ground, { above, percentage, slots: time.get }).flatMap((more) => {
      const off = sumOfBoth(direct, more)
      // A line whose units get nothing keeps its own discounts.
      const replaces = replacedBy(benefit, ground, off)
      return sumOf(off) === 0 || replaces === null ? [] : [{ use: time.use, off, replaces, added: 0, paid }]
    })
  })
}

/**
 * All times together, each line rounded once. Every unit taken is discounted, so none is on a `noDiscount` line, and under `replace` its
 * line loses its own discounts, or it would not cost the price; of a percentage only a line that gets something does.
 */
function bundleTakes(benefit: Benefit, reward: Bundle, { ground, left }: Reach): Take[] {
  const { lines } = ground.basket
  const isEach = isPercentage(reward)
  const open = (line: SentLine) => mayDiscount(benefit, line, isEach || isRemoved(ground, lines.indexOf(line)))
  const times = bundleTimes(ground.basket, reward, { open })
  const timesMax = Math.min(reward.maximumTimes ?? Number.POSITIVE_INFINITY, left)
  return repeated(times, ground, timesMax).flatMap(({ time, times: count }) => {
    const holds = lines.map((line, at) => floorOf(time.use[at]!, heldFor(benefit, ground, at), line.slots))
    const off = bundleOff(reward, holds, count)
    const replaces = replacedBy(benefit, ground, isEach ? off : time.use)
    const paid = benefit.costs?.per === 'basket' ? 1 : count
    return sumOf(off) === 0 || replaces === null ? [] : [{ use: time.use, off, replaces, added: 0, paid }]
  })
}

function bundleOff(reward: Bundle, holds: readonly number[], count: number): number[] {
  const held = sumOf(holds)
  if (reward.kind === 'bundle_price') return spread(Math.max(0, held - count * reward.price), holds)
  const { off } = reward
  return 'percentage' in off
    ? holds.map((hold) => roundOf(hold, off.percentage, whole))
    : spread(Math.min(count * off.amount, held), holds)
}

/** Units that a `free_product` gives. */
export interface Gift {
  /** By line: units that the basket has already. */
  readonly units: readonly number[]
  /** Units to add, if the price list has the product. */
  readonly more: number
}

/**
 * Every choice of units of the basket for a `free_product` that gives at most `most` units. "Units of that productId which the basket has
 * already come first; only as many as the basket does not have are added. Units that `requires` or `per` ask for stay paid, and `per`
 * counts units that stay paid."
 *
 * Reading: the basket has a unit also where its flags or another benefit keep it from being free, so none is added for it.
 */
export function giftsOf(
  basket: SentBasket,
  { conditions }: Benefit,
  reward: RewardOf<'free_product'>,
  { most, withFlagged = false }: { most: number; withFlagged?: boolean },
): Gift[] {
  const { quantity, per, productId } = reward
  const isStaying = (units: readonly number[]) =>
    (conditions?.requires ?? []).every(
      (entry) => quantityOf(basket, entry) - quantityOfUnits(basket, entry, units) >= entry.quantity,
    )
  const givenFor = (units: readonly number[]) => {
    if (per === undefined) return Math.min(most, quantity)
    const paid = quantityOf(basket, per, withFlagged) - quantityOfUnits(basket, per, units, withFlagged)
    return Math.min(most, quantity * Math.floor(paid / per.quantity))
  }
  let vectors: number[][] = [[]]
  for (const { line, whole, slots } of basket.lines) {
    const units = whole && line.productId === productId ? slots : 0
    vectors = vectors.flatMap((before) => Array.from({ length: units + 1 }, (_, count) => [...before, count]))
  }
  const choices = vectors.filter((units) => isStaying(units) && sumOf(units) <= givenFor(units))
  const had = Math.max(0, ...choices.map(sumOf))
  const wanted = choices.filter((units) => sumOf(units) === had).map(givenFor)
  return choices.map((units) => ({ units, more: Math.max(0, ...wanted) - had }))
}

/**
 * Reading: "come first" says how many are added. Where each unit costs, "a benefit may leave out any unit": one that is there may stay
 * paid, so that only an added one, which is worth more, is paid for.
 */
function freeTakes(benefit: Benefit, reward: RewardOf<'free_product'>, { ground, left }: Reach): Take[] {
  const { lines } = ground.basket
  const product = ground.products.find((entry) => entry.productId === reward.productId)
  const price = product === undefined || product.noDiscount ? 0 : product.unitPrice
  const isCounted = benefit.costs?.per === 'unit'
  const takes: Take[] = []
  const gifts = giftsOf(ground.basket, benefit, reward, { most: left })
  const most = Math.max(...gifts.map(({ units, more }) => sumOf(units) + more))
  for (let given = isCounted ? 1 : most; given <= most; given += 1) {
    for (const { units, more } of giftsOf(ground.basket, benefit, reward, { most: given })) {
      const isOpen = lines.every((line, at) => units[at] === 0 || canDiscount(benefit, line))
      const off = lines.map((line, at) => floorOf(units[at]!, heldFor(benefit, ground, at), line.slots))
      const replaces = replacedBy(benefit, ground, off)
      const isFitting = units.every((count, at) => count <= slotsOf(ground, at))
      const paid = isCounted ? sumOf(units) + (price > 0 ? more : 0) : 1
      if (isOpen && isFitting && replaces !== null && sumOf(off) + more * price > 0)
        takes.push({ use: units, off, replaces, added: more * price, paid })
    }
  }
  return takes
}
