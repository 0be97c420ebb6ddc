import t from 'tap'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBenefit } from '../engine/core/builders.js'
import { firstSeed, sized } from '../support/sized.js'
import { aCase, aLine, anOrderDiscount, carrying, limitedTo, staff } from './a-case.js'
import { bestOutcome } from './best-outcome.js'
import { compareCase } from './compare-case.js'
import { padCase, searchFault } from './pad-case.js'
import type { PricingCase } from './pricing-case.js'
import { tightCases } from './tight-cases.js'

const cases = sized(6, 1_000)
const budgets = [0, 12, 35, 100, 1000, 12_000]
const adding = { existingDiscounts: 'add' } as const
const whole = 1_000_000
const either = { select: { productIds: ['a', 'b'] }, quantity: 1 }
const three = (percentage: number) =>
  ['b1', 'b2', 'b3'].map((id) => aBenefit(id, { kind: 'line_percentage', percentage }, adding))
const found: readonly { readonly title: string; readonly question: PricingCase }[] = [
  {
    title: 'an order discount of the POS in millions, below which a bundle does better on another line',
    question: aCase(
      [aLine('a', 1, 99_999_902, carrying('o', 49_999_951)), aLine('b', 2, 99_999_900)],
      [aBenefit('c', { kind: 'bundle_price', components: [either, either], price: 999_998 }, adding)],
      { orderDiscounts: [anOrderDiscount('o', 0)] },
    ),
  },
  {
    title: 'a whole order percentage up to a maximum, below which it matters what lines under it still cost',
    question: aCase(
      [aLine('a', 1, 1), aLine('b', 1, 10), aLine('d', 1, 1), aLine('e', 1, 10)],
      [
        aBenefit('c', {
          kind: 'buy_get',
          buy: { quantity: 1 },
          get: { quantity: 1, percentage: whole },
        }),
        aBenefit('o', {
          kind: 'order_percentage',
          select: { productIds: ['b', 'd', 'e'] },
          percentage: whole,
          maximumAmount: 19,
        }),
      ],
    ),
  },
  {
    title: 'stackable percentages that replace and add, of which a line that keeps its own discount has one alone',
    question: aCase(
      [aLine('b', 3, 10, { ...staff(16), ...carrying('o', 1) })],
      [
        aBenefit('a2', { kind: 'line_percentage', percentage: 750_000 }, { ...adding, ...limitedTo(2) }),
        aBenefit('a3', { kind: 'line_percentage', percentage: 150_000 }, { combination: 'stackable' }),
        aBenefit('c1', { kind: 'line_percentage', percentage: 750_000 }, { ...adding, combination: 'stackable' }),
      ],
      { orderDiscounts: [anOrderDiscount('o', 0)] },
    ),
  },
  {
    title: 'percentages of which only one takes the own discount off, and rounds as much as the others',
    question: aCase(
      [aLine('a', 4, 1, staff(1))],
      three(750_000).map((each) =>
        each.benefitId === 'b2' ? { ...each, existingDiscounts: 'replace' as const } : each,
      ),
    ),
  },
  {
    title: 'percentages that leave nothing to a stackable one, which alone takes the own discount off',
    question: aCase(
      [aLine('a', 3, 1, staff(1))],
      [
        ...three(500_000),
        aBenefit('c', { kind: 'line_percentage', percentage: 500_000 }, { combination: 'stackable' }),
      ],
    ),
  },
]

for (const { title, question } of found) {
  t.test(`the search alone proves only what is true: ${title}`, async (t) => {
    for (const stepsMax of [0, 12, 35, 100, 1000, 200_000]) t.equal(searchFault(question, [stepsMax]), null)
  })
}

for (const [named, caseOf] of Object.entries(tightCases)) {
  t.test(
    `${cases} baskets of ${named} in which roundings, ties and maxima decide, from seed ${firstSeed}`,
    async (t) => {
      for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
        const question = caseOf(seed)
        const mismatch = compareCase(question, ({ benefits, input }) => calculate(compileProgramme(benefits), input))
        if (mismatch !== null) t.fail(`seed ${seed}: ${mismatch.kind} ${mismatch.engine}, not ${mismatch.oracle}`)
        const fault = searchFault(question, budgets)
        if (fault !== null) t.fail(`seed ${seed}: ${fault}`)
      }
      t.pass('no mismatch')
    },
  )
}

for (const [what, seed] of [
  ['a time that is only begun', 1148],
  ['a plan that takes more off than the search foresaw', 412],
] as const) {
  t.test(`money left does not pay for ${what}`, async (t) => {
    const question = tightCases['money']!(seed)
    t.equal(
      compareCase(question, ({ benefits, input }) => calculate(compileProgramme(benefits), input)),
      null,
    )
  })
}

t.test('units without a gain do not remove their own discount, and hide no proof', async (t) => {
  const b = { select: { productIds: ['b'] } }
  const got = (percentage: number) => ({ quantity: 1, percentage })
  const belowOrder = aCase(
    [aLine('a', 1, 1), aLine('b', 5, 2, staff(2))],
    [
      aBenefit('g', { kind: 'buy_get', buy: { ...b, quantity: 2 }, get: { ...b, ...got(100_000) } }),
      aBenefit('m', { kind: 'line_percentage', percentage: 333_333, maximumAmount: 2 }, adding),
      aBenefit('o', { kind: 'order_percentage', ...b, percentage: whole }, adding),
    ],
  )
  const belowStack = aCase(
    [aLine('a', 3, 1, staff(1)), aLine('b', 4, 3)],
    [
      aBenefit('g', { kind: 'buy_get', buy: { quantity: 2 }, get: got(333_333) }),
      aBenefit('k', { kind: 'bundle_price', components: [{ quantity: 1 }], price: 2 }, adding),
      aBenefit('s', { kind: 'line_percentage', ...b, percentage: whole }, { ...adding, combination: 'stackable' }),
    ],
  )
  for (const [question, value] of [
    [belowOrder, 8],
    [belowStack, 12],
  ] as const) {
    t.equal(searchFault(question, budgets), null)
    const { benefits, input } = padCase(question)
    t.match(calculate(compileProgramme(benefits), { ...input, stepsMax: 12_000 }), { value, optimal: true })
  }
})

t.test('the order of lines can decide the last minor unit', async (t) => {
  const [a, b] = [aLine('a', 2, 1), aLine('b', 2, 1)]
  const benefits = [
    aBenefit('most', { kind: 'order_percentage', percentage: 750_000 }),
    aBenefit(
      'top',
      { kind: 'order_amount', select: { productIds: ['a'] }, amount: 1 },
      { ...adding, combination: 'stackable' },
    ),
  ]
  // 75 % of 2 + 2 is 3: 1.5 for each line, so 2 for the earlier one. As the later one, a still costs 1, which the amount takes off.
  for (const [lines, value] of [
    [[a, b], 3],
    [[b, a], 4],
  ] as const) {
    const question = aCase(lines, benefits)
    t.equal(bestOutcome(question).value, value)
    t.equal(searchFault(question, budgets), null)
    t.match(calculate(compileProgramme(benefits), question.input), { value, optimal: true })
  }
})

t.test('amounts beyond the relaxation: a small maximum takes no unit from a benefit that gives more', async (t) => {
  const dear = 9_899_999_997_723
  const question = aCase(
    [aLine('a', 3, dear, carrying('o', 20))],
    [
      aBenefit('amount', { kind: 'line_amount', amount: 1000, per: 'unit' }, adding),
      aBenefit('free', { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: whole } }, adding),
      aBenefit('little', { kind: 'line_percentage', percentage: 1, maximumAmount: 3 }, adding),
    ],
    { orderDiscounts: [anOrderDiscount('o', 0)] },
  )
  const { benefits, input } = padCase(question)
  for (const stepsMax of [0, 12, 12_000])
    t.equal(calculate(compileProgramme(benefits), { ...input, stepsMax }).value, dear + 1000)
})

t.test(
  'amounts beyond the relaxation: a limit is short where only one of two lines is worth its own discount',
  async (t) => {
    const buy = { select: { productIds: ['a'] }, quantity: 1 }
    const get = { select: { productIds: ['b', 'c'] }, quantity: 2, percentage: whole / 10 }
    const question = aCase(
      [
        aLine('a', 1, 1),
        aLine('b', 2, 10_000_000_000),
        aLine('c', 2, 20_000_000_000, { ...staff(30_000_000_000), ...carrying('o', 9_999_999_999) }),
      ],
      [aBenefit('get', { kind: 'buy_get', buy, get }, limitedTo(1))],
      { orderDiscounts: [anOrderDiscount('o', 0)] },
    )
    t.equal(
      compareCase(question, ({ benefits, input }) => calculate(compileProgramme(benefits), input)),
      null,
    )
    t.match(calculate(compileProgramme(question.benefits), question.input).outcome, { reason: 'limit_exhausted' })
  },
)
