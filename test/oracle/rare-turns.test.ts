import t from 'tap'
import type { Benefit, Reward, RewardOf } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBenefit } from '../engine/core/builders.js'
import { aCase, aLine, anOrderDiscount, carrying, limitedTo, staff } from './a-case.js'
import { compareCase } from './compare-case.js'
import type { PricingCase } from './pricing-case.js'

const percent = 10_000
const onTop = { combination: 'stackable' } as const
const adding = { existingDiscounts: 'add' } as const
const on = (...productIds: string[]) => ({ select: { productIds } })
const orderAmount = (amount: number): Reward => ({ kind: 'order_amount', amount })
const off = (percentage: number, maximumAmount?: number): Reward => ({
  kind: 'line_percentage',
  percentage: percentage * percent,
  ...(maximumAmount === undefined ? {} : { maximumAmount }),
})
const orderOff = (percentage: number, ...productIds: string[]): Reward => ({
  kind: 'order_percentage',
  percentage: percentage * percent,
  ...on(...productIds),
})

const bundle = (price: number, ...productIds: string[]): Reward => ({
  kind: 'bundle_price',
  components: productIds.map((each) => ({ ...on(each), quantity: 1 })),
  price,
})
const buyGet = (buy: number, get: number): Reward => ({
  kind: 'buy_get',
  buy: { select: {}, quantity: buy },
  get: { select: {}, quantity: get, percentage: 100 * percent },
})

const withBelow = { select: { productIds: ['A'], children: true } }
const below = { parent: 0 }
const volume = (first: number, second: number, quantity: number): RewardOf<'volume_percentage'> => ({
  kind: 'volume_percentage',
  tiers: [
    { quantity: 1, percentage: first * percent },
    { quantity, percentage: second * percent },
  ],
})

interface Rare {
  readonly title: string
  readonly question: PricingCase
  readonly value: number
}

/** Steps of the search that random baskets reach seldom; by the oracle each ends at the best outcome. */
const rare: readonly Rare[] = [
  {
    title: 'an amount a unit takes off as much as percentages that round up on one unit each',
    question: aCase(
      [aLine('A', 4, 19)],
      [
        aBenefit('a', { kind: 'line_amount', amount: 2, per: 'unit' }),
        ...['b', 'c', 'd'].map((id) => aBenefit(id, off(10))),
      ],
    ),
    value: 8,
  },
  {
    title: 'a maximum amount leaves nothing for a line whose own discount would go for it',
    question: aCase([aLine('A', 3, 99), aLine('B', 1, 50, staff(10))], [aBenefit('l', off(33.3333, 3))]),
    value: 3,
  },
  {
    title: 'a stackable maximum is followed by one percentage',
    question: aCase([aLine('A', 1, 1999)], [aBenefit('a', off(50, 101), onTop), aBenefit('b', off(30), onTop)]),
    value: 670,
  },
  {
    title: 'a stackable maximum is followed by two percentages',
    question: aCase(
      [aLine('A', 1, 1999)],
      [aBenefit('a', off(50, 101), onTop), aBenefit('b', off(30), onTop), aBenefit('c', off(20), onTop)],
    ),
    value: 936,
  },
  {
    title: 'a stackable maximum is followed by an amount',
    question: aCase(
      [aLine('A', 1, 1999)],
      [aBenefit('a', off(50, 101), onTop), aBenefit('b', { kind: 'line_amount', amount: 250, per: 'unit' }, onTop)],
    ),
    value: 351,
  },
  {
    title: 'a stackable maximum stands beside an order discount of the POS',
    question: aCase([aLine('A', 1, 33, carrying('o', 13))], [aBenefit('a', off(15, 3), { ...onTop, ...adding })], {
      orderDiscounts: [anOrderDiscount('o', 13)],
    }),
    value: 3,
  },
  {
    title: 'an amount before a percentage finds too little beside it and takes the cheapest line that makes up for it',
    question: aCase(
      [aLine('A', 1, 100), aLine('B', 1, 60), aLine('C', 1, 500)],
      [aBenefit('a', orderAmount(150)), aBenefit('s', orderOff(50, 'B', 'C'), onTop)],
    ),
    value: 402,
  },
  {
    title: 'an amount before a percentage is more than all lines together',
    question: aCase(
      [aLine('A', 1, 1), aLine('B', 1, 1)],
      [aBenefit('a', orderAmount(1000)), aBenefit('s', orderOff(50, 'B'), onTop)],
    ),
    value: 2,
  },
  {
    title: 'two order discounts that are alike weigh the lines the same',
    question: aCase(
      [aLine('A', 1, 10), aLine('B', 2, 10)],
      [
        aBenefit('a', orderOff(10, 'B')),
        aBenefit('b', orderOff(10, 'B')),
        aBenefit('m', { kind: 'member_price', unitPrice: 8 }, limitedTo(2)),
      ],
    ),
    value: 6,
  },
  {
    title: 'the order discount looks at lines that cost nothing',
    question: aCase(
      [aLine('A', 1, 2, carrying('o', 2)), aLine('B', 2, 0)],
      [
        aBenefit('b', { kind: 'bundle_price', components: [{ quantity: 2 }], price: 1 }, adding),
        aBenefit('o', { ...orderAmount(33), ...on('B') } as Reward, adding),
      ],
      { orderDiscounts: [anOrderDiscount('o', 2)] },
    ),
    value: 0,
  },
  {
    title:
      'an amount off the whole line, which has no part of it, would take its own discount off for percentages that add',
    question: aCase(
      [aLine('A', 4, 1, staff(1))],
      [
        ...['a', 'b', 'c'].map((id) => aBenefit(id, off(75), adding)),
        aBenefit('w', { kind: 'line_amount', amount: 3, per: 'line' }),
      ],
    ),
    value: 2,
  },
  {
    title:
      'two bundles would each have a discount of the POS go for one stackable maximum, which leaves nothing for the second',
    question: aCase(
      [aLine('A', 2, 100, staff(20)), aLine('B', 1, 5), aLine('C', 2, 10, staff(10))],
      [
        aBenefit('a', { kind: 'bundle_price', components: [{ ...on('A', 'B'), quantity: 1 }], price: 5 }, adding),
        aBenefit('b', bundle(1, 'C'), adding),
        aBenefit('o', orderOff(10, 'A'), adding),
        aBenefit('s', off(100, 3), onTop),
      ],
    ),
    value: 182,
  },
  {
    title: 'an order discount of the POS names a line twice',
    question: aCase(
      [
        aLine('A', 1, 30, {
          orderDiscountAllocations: [...carrying('o', 5).orderDiscountAllocations, { orderDiscountId: 'o', amount: 7 }],
        }),
      ],
      [aBenefit('l', off(80), adding)],
      { orderDiscounts: [anOrderDiscount('o', 12)] },
    ),
    value: 18,
  },
  {
    title: 'a maximum amount that is never reached is no reason to search a line apart from what follows it',
    question: aCase(
      [aLine('A', 1, 1000), aLine('B', 1, 1000, below)],
      [aBenefit('n', { ...off(10), ...withBelow }), aBenefit('s', off(5, 500), onTop)],
    ),
    value: 290,
  },
  {
    title: 'a benefit of higher priority takes nothing off a line or what follows it',
    question: aCase(
      [aLine('A', 1, 0), aLine('C', 2, 1), aLine('D', 1, 1, { ...staff(1), ...below })],
      [
        aBenefit('s', off(12.5, 5), { ...adding, ...onTop }),
        aBenefit('a', { ...off(15), ...withBelow }, { ...adding, priority: 1 }),
        aBenefit('b', off(25), adding),
      ],
    ),
    value: 1,
  },
  {
    title: 'a unit gains only by what follows it, beside a unit of its line that is bought',
    question: aCase(
      [aLine('B', 1, 2), aLine('A', 2, 3, staff(6)), aLine('C', 1, 2, { parent: 1 })],
      [
        aBenefit(
          'b',
          {
            kind: 'buy_get',
            buy: { quantity: 1 },
            get: { quantity: 1, percentage: 100 * percent, select: { productIds: ['B'] } },
          },
          adding,
        ),
        aBenefit('v', { ...volume(100, 15, 3), ...withBelow }, adding),
      ],
    ),
    value: 3,
  },
  {
    title: 'money that is left is worth more to a line if it leaves out what follows it, which another benefit takes',
    question: aCase(
      [aLine('A', 4, 10), aLine('B', 3, 10, below)],
      [
        aBenefit('p', { ...off(10), ...withBelow }),
        aBenefit(
          'v',
          { ...volume(12.5, 33.3333, 4), ...withBelow },
          { limits: limitedTo(11).limits.map((limit) => ({ ...limit, counts: 'amount' as const })) },
        ),
      ],
    ),
    value: 12,
  },
  {
    title: 'a limit is the reason where few of many units gain below order discounts of the POS',
    question: aCase(
      [
        aLine('a', 3, 2, carrying('o', 6)),
        aLine('b', 2, 1, { orderDiscountAllocations: ['o', 'p'].map((id) => ({ orderDiscountId: id, amount: 1 })) }),
        aLine('c', 1, 1),
        aLine('d', 1, 3, {
          orderDiscountAllocations: [1, 2].map((amount) => ({ orderDiscountId: 'op'[amount - 1]!, amount })),
        }),
        aLine('e', 1, 1),
      ],
      [
        aBenefit(
          'b',
          {
            kind: 'buy_get',
            buy: { quantity: 1, select: { productIds: ['b', 'c', 'e'] } },
            get: { quantity: 1, percentage: 100 * percent },
          },
          { ...adding, ...limitedTo(0) },
        ),
      ],
      { orderDiscounts: [anOrderDiscount('o', 8), anOrderDiscount('p', 3)] },
    ),
    value: 0,
  },
]

for (const { title, question, value } of rare) {
  t.test(`${title}: the best outcome is found`, async (t) => {
    t.equal(compareCase(question, engine), null)
    t.match(engine(question), { value, optimal: true })
  })
}

/** Bounds that a larger budget would tighten: each must hold with any smaller budget. */
const short: readonly { readonly title: string; readonly question: PricingCase }[] = [
  {
    title: 'a bundle costs more than its lines do, and the line that it makes dearer counts half in the order',
    question: aCase(
      [aLine('A', 1, 100), aLine('B', 1, 100, staff(80))],
      [aBenefit('b', bundle(121, 'A', 'B')), aBenefit('n1', orderAmount(15)), aBenefit('n2', orderOff(50, 'B'))],
    ),
  },
  {
    title: 'of two exclusive benefits that are worth the same the first has exhausted the budget',
    question: aCase(
      [aLine('A', 3, 1)],
      [
        aBenefit('a', buyGet(2, 1), { combination: 'exclusive', priority: -1 }),
        aBenefit('b', { kind: 'member_price', unitPrice: 150 }),
        aBenefit('c', buyGet(2, 1), { combination: 'exclusive' }),
      ],
    ),
  },
  {
    title: 'a discount of the POS would go for a maximum that a bundle leaves nothing of',
    question: aCase(
      [aLine('A', 2, 33, staff(1)), aLine('B', 3, 100, staff(3)), aLine('C', 2, 1000)],
      [
        aBenefit('b', bundle(5, 'A'), adding),
        aBenefit('a', { ...on('A', 'C'), kind: 'line_percentage', percentage: 10 * percent, maximumAmount: 5 }, onTop),
      ],
    ),
  },
  {
    title: 'limits that are not short leave nothing to gain where the POS has taken everything off',
    question: aCase([aLine('A', 3, 7, carrying('o', 21))], ['a', 'b', 'c'].map(oncePerBasket), {
      orderDiscounts: [anOrderDiscount('o', 21)],
    }),
  },
  {
    title: 'a maximum amount leaves nothing for a line whose own discount would go for what follows it',
    question: aCase(
      [aLine('A', 1, 100_000, staff(99_999)), aLine('B', 1, 10, below)],
      [aBenefit('s', off(10, 3), { ...adding, ...onTop }), aBenefit('m', { ...off(50, 2), ...withBelow })],
    ),
  },
]

function oncePerBasket(benefitId: string): Benefit {
  const limit = { limitId: benefitId, scope: 'everyone', period: 'ever', counts: 'baskets', maximum: 1 } as const
  return aBenefit(benefitId, orderAmount(3), { ...adding, limits: [limit] })
}

for (const { title, question } of short) {
  t.test(`${title}: what is reported as best is best, with any budget`, async (t) => {
    for (let stepsMax = 1; stepsMax <= 100; stepsMax += 1) {
      const { benefits, input } = question
      t.equal(compareCase({ benefits, input: { ...input, stepsMax } }, engine), null, `${stepsMax} steps`)
    }
  })
}

function engine({ benefits, input }: PricingCase) {
  return calculate(compileProgramme(benefits), input)
}
