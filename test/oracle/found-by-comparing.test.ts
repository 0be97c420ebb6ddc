import t from 'tap'
import type { Reward, RewardOf } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBenefit } from '../engine/core/builders.js'
import { aCase, aLine, anOrderDiscount, carrying, limitedTo, staff } from './a-case.js'
import { compareCase } from './compare-case.js'
import type { PricingCase } from './pricing-case.js'

const percent = 10_000
const dear = 24_999_999_994_250
const adding = { existingDiscounts: 'add' } as const
const onTop = { combination: 'stackable' } as const
const a = { select: { productIds: ['A'] } }
const withBelow = { select: { productIds: ['A'], children: true } }
const below = { parent: 0 }
const memberPrice = (unitPrice: number): Reward => ({ kind: 'member_price', unitPrice })
const orderAmount = (amount: number): Reward => ({ kind: 'order_amount', amount })
const perUnit = (amount: number): Reward => ({ kind: 'line_amount', amount, per: 'unit' })
const off = (percentage: number, maximumAmount?: number): RewardOf<'line_percentage'> => ({
  kind: 'line_percentage',
  percentage: percentage * percent,
  ...(maximumAmount === undefined ? {} : { maximumAmount }),
})

interface Found {
  readonly title: string
  readonly question: PricingCase
  readonly value: number
}

/** Every case in which the engine was once wrong against the oracle, at its smallest. */
const found: readonly Found[] = [
  {
    title: 'a capped stackable benefit that may leave out the line whose own discount it would cost threw',
    question: aCase([aLine('A', 1, 10, staff(5)), aLine('B', 1, 100)], [aBenefit('b', off(100, 3), onTop)]),
    value: 3,
  },
  {
    title: 'what a maximum amount leaves on a line was lost to stackable benefits',
    question: aCase([aLine('A', 1, 100)], [aBenefit('n', off(100, 20)), aBenefit('s', off(15), onTop)]),
    value: 32,
  },
  {
    title: 'a capped line benefit did not leave a line to the order benefit',
    question: aCase(
      [aLine('B', 2, 250), aLine('A', 2, 10)],
      [aBenefit('l', off(10, 50)), aBenefit('o', { kind: 'order_percentage', percentage: 50 * percent, ...a })],
    ),
    value: 60,
  },
  {
    title: 'limited units went to the line that the order benefit takes anyway',
    question: aCase(
      [aLine('A', 1, 1), aLine('B', 4, 1)],
      [aBenefit('l', perUnit(3), limitedTo(4)), aBenefit('o', { ...orderAmount(250), ...a })],
    ),
    value: 5,
  },
  {
    title: 'limited units went to a line where an order discount of the POS only shrinks',
    question: aCase(
      [aLine('A', 1, 333, carrying('o', 333)), aLine('B', 1, 10)],
      [aBenefit('m', memberPrice(5), limitedTo(1))],
      { orderDiscounts: [anOrderDiscount('o', 333)] },
    ),
    value: 5,
  },
  {
    title: 'a maximum amount was spread over a line where an order discount of the POS only shrinks',
    question: aCase([aLine('A', 2, 2, carrying('o', 4)), aLine('B', 3, 33)], [aBenefit('l', off(100, 101), adding)], {
      orderDiscounts: [anOrderDiscount('o', 4)],
    }),
    value: 99,
  },
  {
    title: 'the bound on a better outcome was too low where a capped stackable benefit came first',
    question: aCase(
      [aLine('A', 2, 100), aLine('B', 1, 1)],
      [
        aBenefit('b1', off(100, 50), onTop),
        aBenefit('b10', off(100), onTop),
        aBenefit('b2', { ...memberPrice(32), ...a }, limitedTo(1)),
      ],
    ),
    value: 201,
  },
  {
    title: 'a benefit that would lose by its own maximum amount was called limited',
    question: aCase([aLine('A', 1, 100, staff(30))], [aBenefit('l', off(50, 2), limitedTo(1))]),
    value: 0,
  },
  {
    title: 'a bundle did not know that a stackable benefit takes the own discount of its line off',
    question: aCase(
      [aLine('A', 1, 99, staff(99)), aLine('B', 1, 100), aLine('C', 4, 33)],
      [
        aBenefit('b', { kind: 'bundle_price', components: [{ quantity: 6 }], price: 200 }, adding),
        aBenefit('s', perUnit(50), onTop),
      ],
    ),
    value: 212,
  },
  {
    title: 'a bundle of dear units was lost where figures leave the whole numbers of a double',
    question: aCase(
      [aLine('A', 3, dear, carrying('o', 3 * dear)), aLine('B', 3, 3_299_999_999_241, carrying('o', 989_999_999_772))],
      [aBenefit('b', { kind: 'bundle_price', components: [{ quantity: 2 }], price: 1, maximumTimes: 1 }, adding)],
      { orderDiscounts: [anOrderDiscount('o', 75_989_999_982_522)] },
    ),
    value: 8_909_999_997_951,
  },
  {
    title: 'a buy_get used more units of a line than it has',
    question: aCase(
      [aLine('D', 2, 100), aLine('C', 4, 99), aLine('A', 2, 100, { productGroupId: 'G1' })],
      [
        aBenefit('b1', {
          kind: 'volume_percentage',
          select: { not: { productGroupIds: ['G1'] } },
          tiers: [
            { quantity: 1, percentage: 75 * percent },
            { quantity: 4, percentage: 10 * percent },
          ],
        }),
        aBenefit('b2', { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: 333_333 } }),
        aBenefit('b3', perUnit(10)),
        aBenefit('B', { kind: 'line_amount', amount: 1, per: 'unit', select: { productIds: ['C'] } }, onTop),
      ],
    ),
    value: 90,
  },
  {
    title: 'a bundle of two was applied to one unit',
    question: aCase(
      [aLine('E', 1, 250, staff(83)), aLine('C', 3, 100, staff(300)), aLine('B', 1, 33)],
      [
        aBenefit(
          'b1',
          { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: 100 * percent } },
          adding,
        ),
        aBenefit('b2', perUnit(10)),
        aBenefit('b3', { kind: 'bundle_price', components: [{ quantity: 1 }, { quantity: 1 }], price: 1 }, adding),
      ],
    ),
    value: 199,
  },
  {
    title: 'a bundle that takes all of one line blocked a stackable benefit that replaces on another',
    question: aCase(
      [aLine('B', 2, 199_899_999_954_023, staff(2)), aLine('C', 1, 3_299_999_999_241)],
      [
        aBenefit('b', { kind: 'bundle_price', components: [{ quantity: 1 }, { quantity: 1 }], price: 0 }, adding),
        aBenefit('s', perUnit(50), onTop),
      ],
    ),
    value: 399_799_999_908_094,
  },
  {
    title: 'a replacing bundle could not take a unit that its own discount had eaten and whose share is 0',
    question: aCase(
      [aLine('D', 1, 1, staff(1)), aLine('A', 2, 100, { productGroupId: 'G1' }), aLine('E', 1, 1)],
      [
        aBenefit('b', {
          kind: 'bundle_price',
          components: [{ select: { productGroupIds: ['G1'] }, quantity: 1 }, { quantity: 3 }],
          price: 200,
        }),
      ],
    ),
    value: 1,
  },
  {
    title: 'the same where some units of the eaten line stay out',
    question: aCase(
      [
        aLine('M', 1, 250, { productMasterId: 'M2' }),
        aLine('A', 1, 100),
        aLine('E', 3, 1, { ...staff(3), productMasterId: 'M2' }),
      ],
      [
        aBenefit('b', {
          kind: 'bundle_price',
          components: [
            { quantity: 1 },
            { select: { productMasterIds: ['M2'], productIds: ['A'] }, quantity: 2 },
            { quantity: 1 },
          ],
          price: 333,
        }),
      ],
    ),
    value: 16,
  },
  {
    title: 'a normal order discount did not leave a line to a stackable one that takes more of it',
    question: aCase(
      [aLine('C', 3, 99), aLine('B', 0.5, 50)],
      [
        aBenefit('b1', { kind: 'order_percentage', percentage: 333_333, maximumAmount: 101 }, adding),
        aBenefit(
          'b2',
          { kind: 'order_percentage', percentage: 75 * percent, select: { productIds: ['C'] } },
          { ...adding, ...onTop },
        ),
      ],
    ),
    value: 254,
  },
  {
    title: 'a unit got for nothing off had to give up the own discount of its line',
    question: aCase(
      [aLine('B', 2, 10), aLine('C', 1, 1, staff(1))],
      [
        aBenefit('b', {
          kind: 'buy_get',
          buy: { select: { productIds: ['B'] }, quantity: 1 },
          get: { quantity: 2, percentage: 12.5 * percent },
        }),
      ],
    ),
    value: 1,
  },
  {
    title: 'a short search that found no gain without the limit hid that only the limit was short',
    question: aCase(
      [aLine('E', 5, 250, staff(1250)), aLine('D1', 3, 7, staff(21)), aLine('D2', 4, 7, staff(28)), aLine('D3', 1, 1)],
      [
        aBenefit(
          'b1',
          {
            kind: 'buy_get',
            buy: { select: { productIds: ['D1', 'D2', 'D3'] }, quantity: 1 },
            get: { quantity: 3, percentage: 100 * percent },
          },
          { ...adding, ...limitedTo(1) },
        ),
      ],
    ),
    value: 0,
  },
  {
    title: 'a search exhausted by what a benefit would gain without its limit left it unknown what it gains with it',
    question: aCase(
      [aLine('C', 3, 99, carrying('o', 297)), aLine('A1', 2, 2), aLine('A2', 5, 100, carrying('o', 500))],
      [
        aBenefit(
          'b1',
          { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: 12.5 * percent } },
          { ...adding, ...limitedTo(1) },
        ),
      ],
      { orderDiscounts: [anOrderDiscount('o', 797)] },
    ),
    value: 0,
  },
  {
    title: 'a unit that a buy_get gives for nothing off was taken to cost its line the discount that it has',
    question: aCase(
      [aLine('A', 2, 2, staff(3)), aLine('B', 3, 10, carrying('o', 5)), aLine('C', 1, 10)],
      [aBenefit('b', { kind: 'buy_get', buy: { quantity: 3 }, get: { quantity: 2, percentage: 10 * percent } })],
      { orderDiscounts: [anOrderDiscount('o', 5)] },
    ),
    value: 1,
  },
  {
    title: 'a discount went for a unit that gets nothing, and the basket threw',
    question: aCase(
      [aLine('A', 7, 1, staff(1))],
      [...['b', 'c', 'd', 'e'].map((id) => aBenefit(id, off(50), adding)), aBenefit('z', off(25, 3))],
    ),
    value: 4,
  },
  {
    title: 'a bound took own discounts to stay that a benefit with a maximum amount takes off for others',
    question: aCase(
      [aLine('A', 7, 1, staff(1))],
      [...['b', 'c', 'd', 'e'].map((id) => aBenefit(id, off(50), adding)), aBenefit('a', off(50, 1))],
    ),
    value: 5,
  },
  {
    title: 'a buy_get was said to have bought a unit that no time needs',
    question: aCase(
      [
        aLine('A', 2, 11, staff(21)),
        aLine('B', 1, 11),
        aLine('C', 2, 10, staff(20)),
        aLine('D', 1, 11),
        aLine('E', 3, 10, staff(30)),
      ],
      [
        aBenefit(
          'b',
          {
            kind: 'buy_get',
            buy: { quantity: 1 },
            get: { select: { productIds: ['A', 'B', 'C', 'D', 'E'] }, quantity: 1, percentage: 100 * percent },
          },
          adding,
        ),
      ],
    ),
    value: 11,
  },
  {
    title: 'a follower of a benefit with a maximum amount served another one instead',
    question: aCase(
      [aLine('A', 0.333, 1), aLine('D', 1, 99, below)],
      [aBenefit('b', { ...off(99, 57), ...withBelow }, adding), aBenefit('c', off(12.5), adding)],
    ),
    value: 57,
  },
  {
    title: 'the same where money left is the maximum amount',
    question: aCase(
      [aLine('A', 1, 7), aLine('B', 1, 10, below)],
      [
        aBenefit(
          'b',
          { ...off(33.3333), ...withBelow },
          { limits: [{ limitId: 'm', scope: 'everyone', period: 'ever', counts: 'amount', maximum: 4 }] },
        ),
        aBenefit('c', off(10)),
      ],
    ),
    value: 4,
  },
  {
    title: 'what follows a unit made it too dear to be the one that a buy_get gives',
    question: aCase(
      [aLine('A', 1, 1), aLine('B', 1, 5, staff(2)), aLine('C', 1, 3, below)],
      [
        aBenefit(
          'b',
          {
            kind: 'buy_get',
            buy: { quantity: 1 },
            get: { quantity: 1, percentage: 90 * percent, select: { productIds: ['A', 'B'], children: true } },
          },
          adding,
        ),
      ],
    ),
    value: 4,
  },
  {
    title: 'a percentage with a maximum of units was worth nothing where only a follower with a discount gains',
    question: aCase(
      [aLine('A', 1, 1), aLine('B', 2, 3, { ...staff(2), ...below })],
      [aBenefit('b', { ...off(12.5), ...withBelow, maximumUnits: 4 }, { ...adding, ...limitedTo(1) })],
    ),
    value: 1,
  },
  {
    title: 'a line kept its own discount for its follower to gain under a benefit that takes it off',
    question: aCase(
      [aLine('A', 6, 10, staff(60)), aLine('B', 1, 10, { ...staff(2), ...below })],
      [aBenefit('b', { ...off(99), ...withBelow })],
    ),
    value: 7,
  },
  {
    title: 'a percentage with a maximum of units applied twice for a follower below a stackable maximum amount',
    question: aCase(
      [aLine('A', 2, 1), aLine('B', 1, 99, below)],
      [aBenefit('a', off(75, 51), onTop), aBenefit('b', { ...off(100), ...withBelow, maximumUnits: 1 })],
    ),
    value: 89,
  },
  {
    title: 'a follower took of a maximum amount what other lines could have had',
    question: aCase(
      [aLine('A', 1, 7), aLine('A', 1, 7, { lineId: 'a2' }), aLine('D', 1, 2, { parent: 1 })],
      [
        aBenefit('b', { ...off(100, 15), ...withBelow }),
        aBenefit('c', { kind: 'line_amount', amount: 21, per: 'unit', select: { productIds: ['D'] } }, onTop),
      ],
    ),
    value: 16,
  },
]

function engine({ benefits, input }: PricingCase) {
  return calculate(compileProgramme(benefits), input)
}

for (const { title, question, value } of found) {
  t.test(`it no longer happens that ${title}`, async (t) => {
    t.equal(engine(question).value, value)
    t.equal(compareCase(question, engine), null)
  })
}
