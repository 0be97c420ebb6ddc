import type { Line, LineDiscount, OrderDiscount } from '../../engine/core/base/basket.js'
import { moneyMax } from '../../engine/core/base/money.js'
import type { Benefit, Limit, Reward, SelectedUnits, Selector } from '../../engine/core/base/programme.js'
import { aBenefit, aDiscount, aProduct, code } from '../engine/core/builders.js'
import type { Dice } from '../support/dice.js'
import { aCase, aLine } from './a-case.js'
import type { RewardKind } from './generate-benefit.js'
import type { PricingCase } from './pricing-case.js'
import { roundOf, sumOf } from './spread.js'

/** One for each line. */
export const products = ['a', 'b', 'c', 'd', 'e']
const halves = [500_000, 250_000, 125_000, 333_333, 100_000, 150_000, 750_000, 900_000, 50_000, 990_000, 1_000_000]
export const orderKinds: readonly RewardKind[] = ['order_amount', 'order_percentage']
const stackableKinds: readonly RewardKind[] = ['line_percentage', 'line_amount', ...orderKinds]

/** Parameters of drawn baskets and programmes: few values at once, so that they interact. */
export interface Theme {
  readonly kinds: readonly RewardKind[]
  /** Prices are these and their neighbours. */
  readonly prices: readonly number[]
  readonly scale: number
  /** Most lines; absent: as many as the oracle can enumerate. */
  readonly lines?: number
  /** Most units of a line; absent: a few. */
  readonly units?: number
  /** Share of lines and benefits with each feature. */
  readonly own: number
  readonly orders: number
  readonly stackable: number
  readonly limited: number
  readonly maxima: number
  readonly weighed: number
  readonly overrides: number
  readonly flags: number
  readonly ours: number
}

const someKinds: readonly (readonly RewardKind[])[] = [
  ['line_percentage', 'line_amount', 'order_amount', 'order_percentage'],
  ['bundle_price', 'buy_get', 'line_percentage', 'order_percentage'],
  ['bundle_price', 'line_percentage', 'order_amount'],
  ['buy_get', 'line_amount', 'order_percentage'],
  ['price_override', 'member_price', 'line_percentage', 'order_amount'],
  ['price_override', 'bundle_price', 'order_percentage'],
  ['volume_percentage', 'line_percentage', 'bundle_price'],
  ['order_amount', 'order_percentage'],
  ['free_product', 'buy_get', 'order_amount', 'line_amount'],
  ['line_percentage'],
  ['bundle_price', 'buy_get'],
  ['member_price', 'line_amount', 'price_override'],
]

/** Draws a theme: a few kinds of reward that compete, and a share of every other feature. */
export function themeOf(dice: Dice): Theme {
  const share = (often: number) => (dice.chance(often) ? dice.pick([0.2, 0.5, 0.8]) : 0)
  return {
    kinds: dice.pick(someKinds),
    prices: dice.pick([[1, 2, 3], [3, 5, 7], [10, 10, 11], [1, 100], [33, 50, 99, 100], [0, 1, 5], [7]]),
    scale: dice.chance(0.85) ? 1 : dice.pick([1000, 999_999, 10_000_019, 10 ** 12, 5 * 10 ** 14]),
    own: share(0.6),
    orders: share(0.35),
    stackable: share(0.7),
    limited: share(0.3),
    maxima: share(0.6),
    weighed: share(0.2),
    overrides: share(0.15),
    flags: share(0.2),
    ours: share(0.08),
  }
}

/**
 * A basket and programme of a theme, small enough for full enumeration; null where the amounts have no room for the additions.
 *
 * @param count of benefits, 1 to 6: more benefits, smaller baskets
 */
export function drawTightCase(dice: Dice, theme: Theme, count: number): PricingCase | null {
  const waysMax = [0, 220, 160, 90, 48, 24, 16][count]!
  const lines: Line[] = []
  for (let ways = 1; lines.length < (theme.lines ?? products.length); ) {
    const line = lineOf(dice, theme, lines.length)
    ways *= line.quantity % 1000 === 0 ? line.quantity / 1000 + 1 : 2
    if (ways > waysMax && lines.length > 0) break
    lines.push(line)
    if (dice.chance(0.1)) break
  }
  if (sumOf(lines.map(({ totals }) => totals.gross)) > moneyMax / 2) return null
  const orders = dice.chance(theme.orders) ? ordersOn(dice, lines) : { lines, orderDiscounts: [] }
  const benefits = Array.from({ length: count }, (_, at) => benefitOf(dice, theme, { at, lines: orders.lines }))
  const question = aCase(orders.lines, benefits, { orderDiscounts: orders.orderDiscounts })
  const unitPrice = dice.pick([0, 1, 3]) * Math.min(theme.scale, 10 ** 12)
  const venue = { ...question.input.venue, products: [aProduct({ productId: 'F', unitPrice })] }
  return { benefits, input: { ...question.input, venue } }
}

function priceOf(dice: Dice, { prices, scale }: Theme): number {
  const near = scale > 1 && dice.chance(0.5) ? dice.between(-2, 2) : 0
  return Math.min(10 ** 15, Math.max(0, dice.pick(prices) * scale + near))
}

function lineOf(dice: Dice, theme: Theme, at: number): Line {
  const unitPrice = priceOf(dice, theme)
  const units = () => (theme.units === undefined ? dice.pick([1, 1, 1, 2, 2, 3]) : dice.between(2, theme.units))
  const quantity = dice.chance(theme.weighed) ? dice.pick([500, 1500, 333, 2718]) : 1000 * units()
  const override = dice.chance(theme.overrides) ? Math.min(unitPrice, priceOf(dice, theme)) : null
  const gross = roundOf(quantity, override ?? unitPrice, 1000)
  const discounts: LineDiscount[] = []
  for (let left = gross; left > 0 && dice.chance(theme.own); ) {
    const lineDiscountCode = dice.chance(theme.ours) ? code : null
    const amount = Math.min(left, dice.pick([1, 2, Math.floor(gross / 2), Math.ceil(gross / 3), gross - 1, left]))
    left -= amount
    if (amount > 0) discounts.push(aDiscount({ amount, lineDiscountCode }))
  }
  return aLine(products[at]!, 1, unitPrice, {
    quantity,
    productGroupId: at < 3 ? 'G1' : 'G2',
    overrideUnitPrice: override,
    splitFromLineId: override !== null && dice.chance(theme.ours) ? products[0]! : null,
    noDiscount: dice.chance(theme.flags / 2),
    noPercentageDiscount: dice.chance(theme.flags / 2),
    parent: at > 0 && dice.chance(theme.flags / 3) ? at - 1 : -1,
    discounts,
    totals: { gross, lineDiscount: 0, orderDiscount: 0, net: 0 },
  })
}

function ordersOn(dice: Dice, sent: readonly Line[]): { lines: Line[]; orderDiscounts: OrderDiscount[] } {
  const left = sent.map((line) => line.totals.gross - sumOf(line.discounts.map(({ amount }) => amount)))
  let lines = [...sent]
  const orderDiscounts: OrderDiscount[] = []
  for (let order = 0; order < dice.between(1, 2); order += 1) {
    const orderDiscountId = `o${order}`
    lines = lines.map((line, at) => {
      const most = left[at]!
      const amount = Math.min(most, dice.pick([0, 0, 1, 2, Math.floor(most / 2), most]))
      left[at] = most - amount
      if (amount === 0) return line
      return { ...line, orderDiscountAllocations: [...line.orderDiscountAllocations, { orderDiscountId, amount }] }
    })
    if (lines.some((line) => line.orderDiscountAllocations.some((part) => part.orderDiscountId === orderDiscountId)))
      orderDiscounts.push({
        orderDiscountId,
        type: 'amount',
        percentage: null,
        amount: 0,
        lineDiscountCode: null,
        text: null,
        campaign: null,
      })
  }
  return { lines, orderDiscounts }
}

/** The benefit's index from 0, and the lines that it may use. */
export interface Place {
  readonly at: number
  readonly lines: readonly Line[]
}

/** A benefit of the theme, valid by benefits 1, 2 and 5. */
export function benefitOf(dice: Dice, theme: Theme, place: Place): Benefit {
  const kind = dice.pick(theme.kinds)
  const reward = rewardOf(dice, { theme, kind, lines: place.lines })
  const isStackable = stackableKinds.includes(kind) && dice.chance(theme.stackable)
  const combination = isStackable ? 'stackable' : dice.chance(0.04) ? 'exclusive' : 'normal'
  const modes =
    kind === 'price_override' ? (['replace', 'keep'] as const) : (['replace', 'replace', 'add', 'add', 'keep'] as const)
  const isUnitless =
    isStackable || orderKinds.includes(kind) || (reward.kind === 'line_amount' && reward.per === 'line')
  const limits: Limit[] = []
  while (limits.length < 2 && dice.chance(theme.limited)) {
    const counts = isUnitless || dice.chance(0.3) ? 'baskets' : 'units'
    limits.push({
      limitId: `l${place.at}-${limits.length}`,
      scope: 'everyone',
      period: 'ever',
      counts,
      maximum: dice.pick([1, 1, 2, 3]),
    })
  }
  const conditions = dice.chance(0.05) ? { requires: [unitsOf(dice, place.lines)] } : null
  // Stackable ones apply in the order of benefitId: a random id makes the order of kinds random.
  const benefitId = `${dice.pick(['a', 'b', 'c'])}${place.at}`
  return aBenefit(benefitId, reward, {
    combination,
    existingDiscounts: dice.pick(modes),
    limits,
    conditions,
    priority: dice.chance(0.85) ? 0 : dice.between(-1, 1),
  })
}

/** Often all lines; else a group, some products, or all but some. */
export function selectOf(dice: Dice, lines: readonly Line[]): { select?: Selector } {
  if (dice.chance(0.35)) return {}
  if (dice.chance(0.15)) return { select: { productGroupIds: [dice.pick(['G1', 'G2'])] } }
  const select = { productIds: dice.some(lines.map((line) => line.productId)) }
  return { select: dice.chance(0.1) ? { not: select } : dice.chance(0.1) ? { ...select, children: true } : select }
}

function unitsOf(dice: Dice, lines: readonly Line[]): SelectedUnits {
  return { ...selectOf(dice, lines), quantity: dice.pick([1, 1, 1, 2]) }
}

function rewardOf(dice: Dice, so: { theme: Theme; kind: RewardKind; lines: readonly Line[] }): Reward {
  const { theme, kind, lines } = so
  const select = selectOf(dice, lines)
  const percentage = dice.pick(halves)
  const gross = Math.max(1, sumOf(lines.map((line) => line.totals.gross)))
  const held = lines.map((line) => line.totals.gross - sumOf(line.discounts.map(({ amount }) => amount)))
  const small = () =>
    Math.max(
      1,
      dice.pick([1, 2, 3, dice.pick(held), Math.ceil(gross / 3), Math.ceil(gross / 10), priceOf(dice, theme)]) +
        dice.pick([0, 0, -1, 1]),
    )
  const maximum = dice.chance(theme.maxima) ? { maximumAmount: small() } : {}
  const times = dice.chance(0.3) ? { maximumTimes: dice.between(1, 2) } : {}
  switch (kind) {
    case 'line_percentage':
    case 'order_percentage':
      return { kind, ...select, percentage, ...maximum }
    case 'line_amount':
      return { kind, ...select, amount: small(), per: dice.chance(0.6) ? 'unit' : 'line' }
    case 'member_price':
    case 'price_override':
      return { kind, ...select, unitPrice: Math.max(0, priceOf(dice, theme) - dice.pick([0, 1])) }
    case 'volume_percentage':
      return {
        kind,
        ...select,
        tiers: [
          { quantity: 1, percentage },
          { quantity: dice.between(2, 4), percentage: dice.pick(halves) },
        ],
      }
    case 'buy_get':
      return {
        kind,
        buy: unitsOf(dice, lines),
        get: { ...unitsOf(dice, lines), percentage: dice.chance(0.5) ? 1_000_000 : percentage },
        ...times,
      }
    case 'bundle_price': {
      const components = Array.from({ length: dice.between(1, 2) }, () => unitsOf(dice, lines))
      const all = [...held, gross, ...lines.map((line) => line.unitPrice), held[0]! + (held[1] ?? 0)]
      return { kind, components, price: Math.max(0, dice.pick(all) - dice.pick([0, 1, 1, 2, small()])), ...times }
    }
    case 'order_amount':
      return { kind, ...select, amount: small() }
    case 'free_product':
      return { kind, productId: 'F', quantity: dice.between(1, 2) }
  }
}
