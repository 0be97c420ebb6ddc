import type { VenueProduct } from '../../engine/core/base/basket.js'
import type { Benefit, Reward, SelectedUnits } from '../../engine/core/base/programme.js'
import { selectLines, unitsOf } from './select-lines.js'
import type { SentBasket, SentLine } from './sent-basket.js'
import { floorOf, roundOf, spread, sumOf } from './spread.js'
import { bitsOf } from './subsets.js'

/** One way in which a normal line-level benefit can be applied, before anybody else is asked. */
export interface Take {
  /** Slots it uses on each line, bought ones included. */
  readonly use: readonly number[]
  /** What it takes off each line. */
  readonly off: readonly number[]
  /** Lines that must have lost their own discounts for it, as bits. */
  readonly replaces: number
  /** Gross of what it adds. */
  readonly added: number
  /** Payments that its costs ask for. */
  readonly paid: number
}

/** What every way of applying is judged against. */
export interface Ground {
  readonly basket: SentBasket
  readonly products: readonly VenueProduct[]
  /** Lines whose own discounts are taken off in the outcomes looked at, as bits. */
  readonly removed: number
  /** What each line holds before normal benefits: its gross, less its own discounts where they stay. */
  readonly holds: readonly number[]
}

const whole = 1_000_000

/** Whether the reward takes a percentage, and so passes over `noPercentageDiscount` lines as what is discounted. */
function isPercentage(reward: Reward): boolean {
  if (reward.kind === 'buy_get') return reward.get.percentage < whole
  return ['line_percentage', 'volume_percentage', 'order_percentage'].includes(reward.kind)
}

/** Whether the line's flags let the reward discount it (benefits 1 and 2). */
export function isDiscountable(reward: Reward, { line }: SentLine): boolean {
  return !line.noDiscount && !(isPercentage(reward) && line.noPercentageDiscount)
}

/**
 * Whether a line-level benefit may discount a line, its own discounts considered, in outcomes where they are `removed`
 * or not (benefits 3). `keep` looks at the line as sent.
 */
export function mayDiscount(benefit: Benefit, line: SentLine, removed: boolean): boolean {
  if (!isDiscountable(benefit.reward, line)) return false
  if (line.own === 0) return true
  return benefit.existingDiscounts === 'add' || (benefit.existingDiscounts === 'replace' && removed)
}

/** Every way to apply a normal line-level benefit that takes something off, within `left` units of its limits. */
export function takesOf(benefit: Benefit, ground: Ground, left: number): Take[] {
  if (left <= 0) return []
  const { reward } = benefit
  if (reward.kind === 'buy_get') return buyGetTakes(benefit, reward, { ground, left })
  if (reward.kind === 'bundle_price') return bundleTakes(benefit, reward, { ground, left })
  if (reward.kind === 'free_product') return freeTakes(benefit, reward, { ground, left })
  return lineTakes(benefit, ground, left)
}

function isReplacing(benefit: Benefit, line: SentLine): boolean {
  return benefit.existingDiscounts === 'replace' && line.own > 0
}

function linesWhere(lines: readonly SentLine[], is: (line: SentLine, at: number) => boolean): number[] {
  return [...lines.keys()].filter((at) => is(lines[at]!, at))
}

function isRemoved(ground: Ground, at: number): boolean {
  return (ground.removed & (1 << at)) !== 0
}

/** Whether limits or costs count units: then weighed lines are passed over. */
export function countsUnits({ limits, costs }: Benefit): boolean {
  return costs?.per === 'unit' || limits.some((limit) => limit.counts === 'units')
}

/**
 * "A benefit may leave out any unit or line that it matches": any number of slots on each line. "A discount the service
 * adds is never 0" (wire decisions 9): what has nothing to get is not taken; a share of a maximum amount may come to 0.
 */
function lineTakes(benefit: Benefit, ground: Ground, left: number): Take[] {
  const { lines } = ground.basket
  const hasUnitLimit = countsUnits(benefit)
  const taken = selectLines(ground.basket, 'select' in benefit.reward ? benefit.reward.select : undefined)
  let partial: { use: number[]; off: number[]; units: number }[] = [{ use: [], off: [], units: 0 }]
  for (const [at, line] of lines.entries()) {
    const options = [{ slots: 0, off: 0, units: 0 }]
    const open = taken[at]! && mayDiscount(benefit, line, isRemoved(ground, at)) && !(hasUnitLimit && !line.whole)
    for (let slots = 1; open && slots <= line.slots; slots += 1) {
      const off = lineAmount(benefit.reward, { line, slots, holds: ground.holds[at]!, basket: ground.basket })
      if (off > 0) options.push({ slots, off, units: line.whole ? slots : 0 })
    }
    partial = partial.flatMap(({ use, off, units }) =>
      options
        .filter((option) => !hasUnitLimit || units + option.units <= left)
        .map((option) => ({ use: [...use, option.slots], off: [...off, option.off], units: units + option.units })),
    )
  }
  const maximum = benefit.reward.kind === 'line_percentage' ? benefit.reward.maximumAmount : undefined
  return partial
    .map(({ use, off, units }) => {
      return { use, off: capped(off, maximum), added: 0, paid: benefit.costs?.per === 'unit' ? units : 1 }
    })
    .filter(({ off }) => sumOf(off) > 0)
    .map((take) => ({
      ...take,
      replaces: bitsOf(linesWhere(lines, (line, at) => take.off[at]! > 0 && isReplacing(benefit, line))),
    }))
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

/** What a line reward takes off for so many slots of a line; 0 where it cannot take just these. */
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

/** The percentage of the highest tier that the whole units of all matching lines as sent reach; 0 below the first. */
export function tierOf(reward: Reward & { kind: 'volume_percentage' }, basket: SentBasket): number {
  const units = unitsOf(basket, reward.select)
  return reward.tiers.filter((tier) => tier.quantity <= units).at(-1)?.percentage ?? 0
}

interface Reach {
  readonly ground: Ground
  readonly left: number
}

/** One time of a `buy_get` or a bundle: units per line it uses, and those of them it gives a percentage off. */
export interface Time {
  readonly use: readonly number[]
  readonly get: readonly number[]
}

/**
 * "Among the units of one time that could be either, the cheapest (by the price that counts) are the `get` units": a unit
 * could be either when both selectors take it and it may get the percentage.
 */
function buyGetTakes(benefit: Benefit, reward: Reward & { kind: 'buy_get' }, { ground, left }: Reach): Take[] {
  const { lines } = ground.basket
  const timesMax = Math.min(reward.maximumTimes ?? Number.POSITIVE_INFINITY, Math.floor(left / reward.get.quantity))
  const mayGet = (line: SentLine) =>
    isDiscountable(reward, line) && !(benefit.existingDiscounts === 'keep' && line.own > 0)
  const times = buyGetTimes(ground.basket, reward, mayGet)
  return repeated(times, lines, timesMax).flatMap(({ time, times: count }) => {
    const off = lines.map((line, at) => {
      // A line that gets a discount from `replace` holds its gross; that it may keep its own where it gets 0 changes nothing here.
      const holds = isReplacing(benefit, line) ? line.gross : ground.holds[at]!
      return roundOf(floorOf(time.get[at]!, holds, line.slots), reward.get.percentage, whole)
    })
    if (sumOf(off) === 0) return []
    const replaces = bitsOf(linesWhere(lines, (line, at) => off[at]! > 0 && isReplacing(benefit, line)))
    if ((replaces & ~ground.removed) !== 0) return []
    const { per } = benefit.costs ?? {}
    const paid = per === 'unit' ? sumOf(time.get) : per === 'times' ? count : 1
    return [{ use: time.use, off, replaces, added: 0, paid }]
  })
}

/** Every way to deal units into one time of a `buy_get`. */
export function buyGetTimes(
  basket: SentBasket,
  reward: Reward & { kind: 'buy_get' },
  mayGet: (line: SentLine) => boolean,
): Time[] {
  const { lines } = basket
  const canBuy = selectLines(basket, reward.buy.select).map((taken, at) => taken && lines[at]!.whole)
  const canGet = selectLines(basket, reward.get.select).map(
    (taken, at) => taken && lines[at]!.whole && mayGet(lines[at]!),
  )
  const either = lines.map((_, at) => canBuy[at]! && canGet[at]!)
  const gets = picks(lines, canGet, reward.get.quantity)
  return picks(lines, canBuy, reward.buy.quantity).flatMap((buy) =>
    gets
      .filter((get) => lines.every((line, at) => buy[at]! + get[at]! <= line.slots))
      .filter((get) => {
        const bought = lines.filter((_, at) => either[at]! && buy[at]! > 0).map((line) => line.price)
        const got = lines.filter((_, at) => either[at]! && get[at]! > 0).map((line) => line.price)
        return bought.every((price) => got.every((other) => other <= price))
      })
      .map((get) => ({ use: buy.map((count, at) => count + get[at]!), get })),
  )
}

/**
 * "The taken units together cost the price": all times together, each line rounded once. Every unit taken is discounted,
 * so none is on a `noDiscount` line, and under `replace` its line loses its own discounts, or it would not cost the price.
 */
function bundleTakes(benefit: Benefit, reward: Reward & { kind: 'bundle_price' }, { ground, left }: Reach): Take[] {
  const { lines } = ground.basket
  const open = lines.map((line, at) => mayDiscount(benefit, line, isRemoved(ground, at)))
  const times = bundleTimes(ground.basket, reward.components, open)
  const timesMax = Math.min(reward.maximumTimes ?? Number.POSITIVE_INFINITY, left)
  return repeated(times, lines, timesMax).flatMap(({ time, times: count }) => {
    const holds = lines.map((line, at) => floorOf(time.use[at]!, ground.holds[at]!, line.slots))
    const saving = sumOf(holds) - count * reward.price
    if (saving <= 0) return []
    const replaces = bitsOf(linesWhere(lines, (line, at) => time.use[at]! > 0 && isReplacing(benefit, line)))
    const paid = benefit.costs?.per === 'basket' ? 1 : count
    return [{ use: time.use, off: spread(saving, holds), replaces, added: 0, paid }]
  })
}

/** Every way to fill the components of one bundle from the lines that are open. */
export function bundleTimes(
  basket: SentBasket,
  components: readonly SelectedUnits[],
  open: readonly boolean[],
): Time[] {
  const { lines } = basket
  const nothing = lines.map(() => 0)
  let filled: (readonly number[])[] = [nothing]
  for (const component of components) {
    const taken = selectLines(basket, component.select).map((flag, at) => flag && open[at]! && lines[at]!.whole)
    const parts = picks(lines, taken, component.quantity)
    const sums = filled.flatMap((use) => parts.map((part) => use.map((count, at) => count + part[at]!)))
    filled = distinct(sums.filter((use) => lines.every((line, at) => use[at]! <= line.slots)))
  }
  return filled.map((use) => ({ use, get: nothing }))
}

// Where each unit costs, fewer may be added.
function freeTakes(
  { costs }: Benefit,
  reward: Reward & { kind: 'free_product' },
  { ground, left }: Reach,
): Take[] {
  const product = ground.products.find((entry) => entry.productId === reward.productId)
  if (product === undefined || product.noDiscount || product.unitPrice === 0) return []
  const nothing = ground.basket.lines.map(() => 0)
  const most = Math.min(reward.quantity, left)
  const none = { use: nothing, off: nothing, replaces: 0 }
  if (costs?.per !== 'unit') return [{ ...none, added: most * product.unitPrice, paid: 1 }]
  return Array.from({ length: most }, (_, at) => ({ ...none, added: (at + 1) * product.unitPrice, paid: at + 1 }))
}

/** Every way to pick exactly so many units from the lines that are open, as units per line. */
function picks(lines: readonly SentLine[], open: readonly boolean[], quantity: number): number[][] {
  let partial: number[][] = [[]]
  for (const [at, line] of lines.entries()) {
    const most = open[at]! ? Math.min(line.slots, quantity) : 0
    partial = partial.flatMap((chosen) => {
      const room = Math.min(most, quantity - sumOf(chosen))
      return Array.from({ length: room + 1 }, (_, units) => [...chosen, units])
    })
  }
  return partial.filter((chosen) => sumOf(chosen) === quantity)
}

/** Every sum of one or more times that the lines have the units for, with how many times it is. */
function repeated(
  times: readonly Time[],
  lines: readonly SentLine[],
  timesMax: number,
): { time: Time; times: number }[] {
  const all: { time: Time; times: number }[] = []
  let level: readonly Time[] = [{ use: lines.map(() => 0), get: lines.map(() => 0) }]
  for (let count = 1; count <= timesMax && level.length > 0; count += 1) {
    const next = new Map<string, Time>()
    for (const before of level) {
      for (const time of times) {
        const use = before.use.map((units, at) => units + time.use[at]!)
        if (use.some((units, at) => units > lines[at]!.slots)) continue
        const get = before.get.map((units, at) => units + time.get[at]!)
        next.set(`${use.join()}/${get.join()}`, { use, get })
      }
    }
    level = [...next.values()]
    all.push(...level.map((time) => ({ time, times: count })))
  }
  return all
}

function distinct(vectors: readonly (readonly number[])[]): (readonly number[])[] {
  return [...new Map(vectors.map((vector) => [vector.join(), vector])).values()]
}
