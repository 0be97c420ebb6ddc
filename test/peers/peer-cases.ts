import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { aBenefit, type LineSketch, percent } from '../engine/core/builders.js'

/** A case with numbers that a peer's public tests hold, where it means the same under our rules. Amounts in minor units. */
export interface PeerCase {
  readonly peer: 'Medusa' | 'Odoo' | 'Saleor' | 'Solidus' | 'Sylius' | 'Vendure'
  /** Their own test of it. */
  readonly tests: string
  readonly lines: readonly LineSketch[]
  readonly benefits: readonly Benefit[]
  /** The discount of each line, in their order. */
  readonly off: readonly number[]
}

const priced = (...prices: number[]): LineSketch[] => prices.map((price) => ({ price }))

const amountOff = (amount: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(`amount-${amount}`, { kind: 'order_amount', amount }, overrides)

const percentOff = (value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(`percent-${value}`, { kind: 'order_percentage', percentage: percent(value) }, overrides)

const linePercent = (value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(`line-percent-${value}`, { kind: 'line_percentage', percentage: percent(value) }, overrides)

const spendingAtLeast = (amount: number): Partial<Benefit> => ({ conditions: { minimumSpend: { amount } } })

const stackable: Partial<Benefit> = { combination: 'stackable' }

interface Grouping {
  readonly buy: number
  readonly get: number
  readonly maximumTimes: number
}

/** Buy `buy` units of product `shirt` and get `get` of them free. */
function sameProduct(benefitId: string, { buy, get, maximumTimes }: Grouping): Benefit {
  const select = { productIds: ['shirt'] }
  const reward: Reward = {
    kind: 'buy_get',
    buy: { select, quantity: buy },
    get: { select, quantity: get, percentage: percent(100) },
    maximumTimes,
  }
  return aBenefit(benefitId, reward)
}

const spreading: readonly PeerCase[] = [
  {
    peer: 'Vendure',
    tests: 'prorate, not neatly divisible',
    lines: priced(4300, 1400, 2300),
    benefits: [amountOff(299)],
    off: [161, 52, 86],
  },
  {
    peer: 'Vendure',
    tests: 'prorate, many weights, not neatly divisible',
    lines: priced(10, 20, 10, 30, 50, 20, 10, 40),
    benefits: [amountOff(93)],
    off: [5, 10, 5, 15, 24, 10, 5, 19],
  },
  {
    peer: 'Vendure',
    tests: 'order calculator, fixed order discount on one line',
    lines: priced(1230),
    benefits: [amountOff(500)],
    off: [500],
  },
  {
    peer: 'Sylius',
    tests: 'integer distributor, four equal targets',
    lines: priced(1000, 1000, 1000, 1000),
    benefits: [amountOff(1000)],
    off: [250, 250, 250, 250],
  },
  {
    peer: 'Solidus',
    tests: 'distributed amount over 20, 30 and 100',
    lines: priced(2000, 3000, 10_000),
    benefits: [amountOff(1500)],
    off: [200, 300, 1000],
  },
  {
    peer: 'Solidus',
    tests: 'distributed amounts, unequal quantities',
    lines: [
      { price: 5000, quantity: 3 },
      { price: 5000, quantity: 1 },
      { price: 5000, quantity: 2 },
    ],
    benefits: [amountOff(1500)],
    off: [750, 250, 500],
  },
  {
    peer: 'Medusa',
    tests: 'two fixed promotions across items, the second on what is left',
    lines: priced(5000, 15_000),
    benefits: [amountOff(3000, stackable), amountOff(5000, stackable)],
    off: [2000, 6000],
  },
  {
    peer: 'Medusa',
    tests: 'fixed promotion across items of more than they cost, and one after it',
    lines: priced(5000, 15_000),
    benefits: [amountOff(100_000, stackable), amountOff(5000, stackable)],
    off: [5000, 15_000],
  },
]

const percentages: readonly PeerCase[] = [
  {
    peer: 'Saleor',
    tests: 'rounding of a percentage promotion, each line up',
    lines: priced(106, 206, 306, 406),
    benefits: [linePercent(10)],
    off: [11, 21, 31, 41],
  },
  {
    peer: 'Saleor',
    tests: 'rounding of a percentage promotion, each line down',
    lines: priced(104, 204, 304, 404),
    benefits: [linePercent(10)],
    off: [10, 20, 30, 40],
  },
  { peer: 'Saleor', tests: 'percentage discount', lines: priced(1000), benefits: [linePercent(50)], off: [500] },
  {
    peer: 'Saleor',
    tests: 'fixed discount',
    lines: priced(1000),
    benefits: [aBenefit('five', { kind: 'line_amount', amount: 500, per: 'unit' })],
    off: [500],
  },
  {
    peer: 'Saleor',
    tests: 'a sale applies to its products only',
    lines: [
      { product: 'first', price: 1000 },
      { product: 'second', price: 1000 },
    ],
    benefits: [aBenefit('three', { kind: 'line_amount', select: { productIds: ['first'] }, amount: 300, per: 'unit' })],
    off: [300, 0],
  },
  {
    peer: 'Medusa',
    tests: 'a percentage promotion finds nothing left by one of 100 %',
    lines: priced(5000, 15_000),
    benefits: [linePercent(100, stackable), linePercent(50, stackable)],
    off: [5000, 15_000],
  },
  {
    peer: 'Odoo',
    tests: '100 % off the order leaves nothing to pay',
    lines: priced(560, 892, 4491, 21_726, 240_000),
    benefits: [percentOff(100)],
    off: [560, 892, 4491, 21_726, 240_000],
  },
  {
    peer: 'Odoo',
    tests: 'a promotion on a product passes over a line that is free already',
    lines: [
      { product: 'a', price: 10_000 },
      { product: 'a', price: 10_000, own: [10_000] },
    ],
    benefits: [linePercent(10, { existingDiscounts: 'add' })],
    off: [1000, 10_000],
  },
  {
    peer: 'Odoo',
    tests: '20 % on eight of one product, another in the cart',
    lines: [
      { product: 'cabinet', price: 32_000, quantity: 8 },
      { product: 'drawer', price: 2500, quantity: 10 },
    ],
    benefits: [cabinetPercent()],
    off: [51_200, 0],
  },
  { peer: 'Sylius', tests: '20 % off every order', lines: priced(10_000), benefits: [percentOff(20)], off: [2000] },
]

function cabinetPercent(): Benefit {
  const reward: Reward = { kind: 'line_percentage', select: { productIds: ['cabinet'] }, percentage: percent(20) }
  return aBenefit('cabinet', reward, spendingAtLeast(32_000))
}

/** Percentages of the order by its amount: without a minimum, from 20 and from 30. */
const tiers = [percentOff(10), percentOff(15, spendingAtLeast(2000)), percentOff(20, spendingAtLeast(3000))]

const conditions: readonly PeerCase[] = [
  { peer: 'Solidus', tests: 'tiered percent, first tier', lines: priced(1000), benefits: tiers, off: [100] },
  { peer: 'Solidus', tests: 'tiered percent, second tier', lines: priced(2000), benefits: tiers, off: [300] },
  { peer: 'Solidus', tests: 'tiered percent, third tier', lines: priced(3000), benefits: tiers, off: [600] },
  {
    peer: 'Solidus',
    tests: 'tiered percent, third tier over three lines',
    lines: priced(1000, 1000, 1000),
    benefits: tiers,
    off: [200, 200, 200],
  },
  {
    peer: 'Sylius',
    tests: 'items total just reached',
    lines: priced(8000),
    benefits: [amountOff(1000, spendingAtLeast(8000))],
    off: [1000],
  },
  {
    peer: 'Saleor',
    tests: 'minimum spent not reached',
    lines: priced(500),
    benefits: [amountOff(1000, spendingAtLeast(700))],
    off: [0],
  },
  {
    peer: 'Saleor',
    tests: 'minimum quantity of items not reached',
    lines: [{ price: 1000, quantity: 2 }],
    benefits: [amountOff(1000, { conditions: { requires: [{ quantity: 3 }] } })],
    off: [0],
  },
]

const shirts = (quantity: number, price = 50_000): LineSketch => ({ product: 'shirt', price, quantity })
const twoPlusOne = sameProduct('two-plus-one', { buy: 2, get: 1, maximumTimes: 10 })
const twiceAndOnce = [
  sameProduct('first', { buy: 2, get: 1, maximumTimes: 2 }),
  sameProduct('second', { buy: 2, get: 1, maximumTimes: 1 }),
]

const groupings: readonly PeerCase[] = [
  {
    peer: 'Medusa',
    tests: 'buy x get x, one item, another product in the cart',
    lines: [shirts(4, 25_000), { product: 'other', price: 100_000, quantity: 2 }],
    benefits: [sameProduct('two-plus-two', { buy: 2, get: 2, maximumTimes: 1 })],
    off: [50_000, 0],
  },
  { peer: 'Medusa', tests: '2+1 on two units', lines: [shirts(2)], benefits: [twoPlusOne], off: [0] },
  { peer: 'Medusa', tests: '2+1 on five units', lines: [shirts(5)], benefits: [twoPlusOne], off: [50_000] },
  { peer: 'Medusa', tests: '2+1 on six units', lines: [shirts(6)], benefits: [twoPlusOne], off: [100_000] },
  { peer: 'Medusa', tests: 'two 2+1 on seven units', lines: [shirts(7)], benefits: twiceAndOnce, off: [100_000] },
  { peer: 'Medusa', tests: 'two 2+1 on nine units', lines: [shirts(9)], benefits: twiceAndOnce, off: [150_000] },
  { peer: 'Medusa', tests: 'two 2+1 on 1,000 units', lines: [shirts(1000)], benefits: twiceAndOnce, off: [150_000] },
]

/** Every case, by its topic. Left out: features that mean something else here (negative amounts, floor prices, tax, shipping). */
export const peerCases: readonly PeerCase[] = [...spreading, ...percentages, ...conditions, ...groupings]
