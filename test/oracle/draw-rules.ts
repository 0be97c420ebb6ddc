import type { Line } from '../../engine/core/base/basket.js'
import type { Benefit, RequiredQuantity, Reward, SelectedUnits, Selector } from '../../engine/core/base/programme.js'
import { aProduct } from '../engine/core/builders.js'
import { Dice } from '../support/dice.js'
import { withCosts } from './costs-case.js'
import { generateCase } from './generate-case.js'
import { mixedCase } from './mixed-case.js'
import { moneyCase } from './money-case.js'
import type { PricingCase } from './pricing-case.js'
import { tightCase, tightMaximaCase, tightOrdersCase, tightUnitsCase } from './tight-case.js'
import { type DrawnLine, withTotals } from './with-totals.js'

/** Shares of lines, selectors and benefits with each rule of page 3 that baskets of the other kinds have not. */
interface Habits {
  /** For lines. */
  readonly weighed: number
  readonly below: number
  readonly flagged: number
  readonly fields: number
  /** For selectors. */
  readonly children: number
  readonly includeNoDiscount: number
  readonly fullPrice: number
  readonly collections: number
  readonly not: number
  /** For rewards, conditions and benefits that may have it. */
  readonly maximumUnits: number
  readonly sameProduct: number
  readonly bundleDiscount: number
  readonly times: number
  readonly gifts: number
  readonly measure: number
  readonly group: number
  readonly sequence: number
}

const rare: Habits = {
  weighed: 0.05,
  below: 0.1,
  flagged: 0.1,
  fields: 0.1,
  children: 0.1,
  includeNoDiscount: 0.1,
  fullPrice: 0.1,
  collections: 0.1,
  not: 0.1,
  maximumUnits: 0.2,
  sameProduct: 0.2,
  bundleDiscount: 0.3,
  times: 0.3,
  gifts: 0.2,
  measure: 0.1,
  group: 0.15,
  sequence: 0.3,
}

/** A café sells extras below its drinks, a grocer weighs and has deposits and brands, a bar has rounds and gifts. */
export const shops: Readonly<Record<string, Habits>> = {
  cafe: { ...rare, below: 0.5, children: 0.6, gifts: 0.5, times: 0.6, sameProduct: 0.4 },
  grocer: {
    ...rare,
    weighed: 0.35,
    flagged: 0.25,
    fields: 0.4,
    collections: 0.3,
    not: 0.2,
    measure: 0.6,
    fullPrice: 0.3,
  },
  bar: { ...rare, gifts: 0.7, bundleDiscount: 0.7, maximumUnits: 0.5, group: 0.5, includeNoDiscount: 0.3 },
  hostile: {
    weighed: 0.2,
    below: 0.4,
    flagged: 0.2,
    fields: 0.4,
    children: 0.4,
    includeNoDiscount: 0.4,
    fullPrice: 0.25,
    collections: 0.25,
    not: 0.25,
    maximumUnits: 0.5,
    sameProduct: 0.4,
    bundleDiscount: 0.5,
    times: 0.6,
    gifts: 0.6,
    measure: 0.4,
    group: 0.4,
    sequence: 0.6,
  },
}

const draws = [
  tightCase,
  tightCase,
  tightUnitsCase,
  tightOrdersCase,
  tightMaximaCase,
  mixedCase,
  mixedCase,
  generateCase,
]

/** A basket of another kind with the rules that a shop uses, often with costs, or limits of money; seeded. */
export function shopCase(seed: number, habits: Habits): PricingCase {
  const dice = new Dice(seed)
  const ruled = (at: number) => withRules(dice, dice.pick(draws)(at), habits)
  if (dice.chance(0.2)) return moneyCase(seed, [ruled])
  return dice.chance(0.25) ? withCosts(dice, ruled(seed)) : ruled(seed)
}

/** The same basket and programme, with these rules too. */
export function withRules(dice: Dice, { benefits, input }: PricingCase, habits: Habits): PricingCase {
  const lines = input.basket.lines.map((line, at) => lineWithRules(dice, { line, at }, habits))
  const basket = withTotals({ ...input.basket, lines })!
  const products = dice
    .some(lines)
    .map(({ productId, unitPrice }) =>
      aProduct({ productId, unitPrice: dice.pick([unitPrice, unitPrice, 0, 10]), noDiscount: dice.chance(0.1) }),
    )
  const sold = [...new Map([...input.venue.products, ...products].map((each) => [each.productId, each])).values()]
  const ruled = benefits.map((benefit) => benefitWithRules(dice, benefit, { habits, lines }))
  return { benefits: ruled, input: { ...input, basket, venue: { ...input.venue, products: sold } } }
}

function lineWithRules(dice: Dice, { line, at }: { line: Line; at: number }, habits: Habits): DrawnLine {
  const brand = dice.pick(['"acme', '"', '"other'])
  const fields = dice.pick<Record<string, string>>([{ brand }, { brand, organic: 'true' }, { organic: 'false' }])
  return {
    ...line,
    ...(dice.chance(habits.weighed) ? { weighed: true } : {}),
    ...(dice.chance(habits.fields) ? { fields } : {}),
    noDiscount: line.noDiscount || dice.chance(habits.flagged),
    parent: at > 0 && dice.chance(habits.below) ? dice.between(0, at - 1) : line.parent,
  }
}

interface Drawn {
  readonly habits: Habits
  readonly lines: readonly Line[]
}

function benefitWithRules(dice: Dice, benefit: Benefit, so: Drawn): Benefit {
  const { habits } = so
  const selected = <Entry extends { select?: Selector }>({ select, ...entry }: Entry) => {
    const drawn = selectorWithRules(dice, select, so)
    return drawn === undefined ? entry : { ...entry, select: drawn }
  }
  const { minimumSpend, requires } = benefit.conditions ?? {}
  const conditions = {
    ...(minimumSpend === undefined ? {} : { minimumSpend: selected(minimumSpend) as typeof minimumSpend }),
    ...(requires === undefined
      ? {}
      : { requires: requires.map((entry) => measured(dice, selected(entry) as RequiredQuantity, habits)) }),
  }
  const reward = rewardWithRules(dice, { ...benefit, reward: withSelects(benefit.reward, selected) }, so)
  const isCounting = benefit.limits.some(({ counts }) => counts === 'units')
  const own = reward.kind === 'free_product' ? [{ select: { productIds: [reward.productId] }, quantity: 1 }] : []
  const isAsking = own.length > 0 && dice.chance(habits.gifts / 3)
  return {
    ...benefit,
    conditions: isAsking ? { requires: own } : benefit.conditions === null ? null : conditions,
    reward,
    limits: reward.kind === 'line_amount' && reward.per === 'line' && isCounting ? [] : benefit.limits,
    group: dice.chance(habits.group) ? dice.pick(['g', 'h']) : null,
    sequence: dice.chance(habits.sequence) ? dice.between(-1, 2) : 0,
  }
}

type Select = <Entry extends { select?: Selector }>(entry: Entry) => Omit<Entry, 'select'> & { select?: Selector }

function withSelects(reward: Reward, selected: Select): Reward {
  switch (reward.kind) {
    case 'buy_get':
      return { ...reward, buy: selected(reward.buy), get: selected(reward.get) }
    case 'bundle_price':
    case 'bundle_discount':
      return { ...reward, components: reward.components.map(selected) }
    case 'free_product':
      return reward
    default:
      return selected(reward) as Reward
  }
}

function measured(dice: Dice, entry: RequiredQuantity, { measure }: Habits): RequiredQuantity {
  if (!dice.chance(measure)) return entry
  return { ...entry, measure: true, quantity: dice.pick([1, 500, 1000, 1500, 2000, 2718, 3000]) }
}

function selectorWithRules(dice: Dice, select: Selector | undefined, { habits, lines }: Drawn): Selector | undefined {
  const narrowed: Selector = {
    ...select,
    ...(dice.chance(habits.fields) ? { fields: dice.pick(fieldTests) } : {}),
    ...(dice.chance(habits.fullPrice) ? { fullPrice: true } : {}),
    ...(dice.chance(habits.not) ? { not: notOf(dice, lines) } : {}),
  }
  const { children, ...bare } = narrowed
  const drawn: Selector = {
    ...(dice.chance(habits.collections) ? collectionsOf(dice, bare, lines) : bare),
    ...(children === true || dice.chance(habits.children) ? { children: true } : {}),
    ...(dice.chance(habits.includeNoDiscount) ? { includeNoDiscount: true } : {}),
  }
  return Object.keys(drawn).length === 0 ? undefined : drawn
}

const fieldTests = [
  [{ name: 'brand', values: ['"acme'] }],
  [{ name: 'brand', values: ['"acme', '"'] }],
  [{ name: 'organic', values: ['true'] }],
  [
    { name: 'brand', values: ['"acme', '"other'] },
    { name: 'organic', values: ['true', 'false'] },
  ],
]

function notOf(dice: Dice, lines: readonly Line[]): Selector {
  const ids = { productIds: [dice.pick(lines).productId] }
  return dice.pick<Selector>([ids, { ...ids, children: true }, { fullPrice: true }, { fields: fieldTests[0]! }])
}

/** A selector by one or two collections: its narrowing fields are in the first, or outside. */
function collectionsOf(dice: Dice, select: Selector, lines: readonly Line[]): Selector {
  const { includeNoDiscount: _, collections: __, ...plain } = select
  const other: Selector = { productIds: [dice.pick(lines).productId] }
  const collections = dice.pick([[plain], [plain, other], [{ ...other, fullPrice: true }, plain]])
  if (dice.chance(0.6)) return { collections }
  return { ...other, collections, ...(plain.not === undefined ? {} : { not: plain.not }) }
}

function rewardWithRules(dice: Dice, { reward, combination, limits, costs }: Benefit, so: Drawn): Reward {
  const { habits, lines } = so
  const maximumUnits = dice.between(1, 4)
  const isCapped = combination !== 'stackable' && dice.chance(habits.maximumUnits)
  const capped = isCapped ? { maximumUnits } : {}
  const same = dice.chance(habits.sameProduct) ? { sameProduct: true } : {}
  const isGift = combination !== 'stackable' && limits.every(({ counts }) => counts !== 'amount') && costs === null
  switch (reward.kind) {
    case 'line_percentage':
    case 'price_override':
      return { ...reward, ...capped }
    case 'member_price':
      return isGift && dice.chance(habits.gifts / 4) ? giftOf(dice, so) : { ...reward, ...capped }
    case 'line_amount':
      return reward.per === 'line' ? reward : { ...reward, ...capped }
    case 'volume_percentage': {
      if (!dice.chance(habits.measure)) return { ...reward, ...capped }
      const tiers = reward.tiers.map(({ quantity, percentage }) => ({ quantity: quantity * 1000 - 250, percentage }))
      return { ...reward, ...capped, tiers, measure: true }
    }
    case 'buy_get':
      return isGift && dice.chance(habits.gifts / 4) ? giftOf(dice, so) : { ...reward, ...same }
    case 'bundle_price': {
      if (!dice.chance(habits.bundleDiscount)) return { ...reward, ...same }
      const { components, maximumTimes, price } = reward
      const times = maximumTimes === undefined ? {} : { maximumTimes }
      const amount = Math.max(1, dice.pick([1, 2, 3, price, dice.pick(lines).unitPrice]))
      const percentage = dice.pick([100_000, 333_333, 500_000, 1_000_000])
      return { kind: 'bundle_discount', components, off: dice.pick([{ amount }, { percentage }]), ...times, ...same }
    }
    case 'order_amount':
      return dice.chance(habits.times) ? { ...reward, maximumTimes: dice.between(1, 3) } : reward
    case 'free_product':
      return dice.chance(habits.gifts) ? giftOf(dice, so) : reward
    default:
      return reward
  }
}

/** A free product that is often in the basket, and often `per` units of something. */
function giftOf(dice: Dice, { habits, lines }: Drawn): Reward {
  const productId = dice.pick(lines).productId
  const per = dice.pick<SelectedUnits>([
    { quantity: 1 },
    { quantity: 2, select: { productIds: [productId] } },
    { quantity: 1, select: { productIds: [dice.pick(lines).productId] } },
    { quantity: 2, ...(dice.chance(habits.includeNoDiscount) ? { select: { includeNoDiscount: true } } : {}) },
  ])
  return { kind: 'free_product', productId, quantity: dice.between(1, 2), ...(dice.chance(0.5) ? { per } : {}) }
}
