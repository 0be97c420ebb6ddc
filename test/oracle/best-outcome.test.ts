import t from 'tap'
import type { Reward } from '../../engine/core/base/programme.js'
import { aBenefit } from '../engine/core/builders.js'
import { aCase, aLine, anOrderDiscount, carrying, limitedTo, staff } from './a-case.js'
import { bestOutcome } from './best-outcome.js'
import type { PricingCase } from './pricing-case.js'
import { spread } from './spread.js'
import { unchangedReason } from './unchanged-reason.js'

const percent = 10_000
const tenPercent: Reward = { kind: 'line_percentage', percentage: 10 * percent }
const half: Reward = { kind: 'line_percentage', percentage: 50 * percent }
const onlyA = { productIds: ['A'] }

/** Worked out by hand from benefits 2 to 5. */
const worked: readonly { title: string; question: PricingCase; value: number }[] = [
  {
    title: 'a percentage is rounded half up',
    question: aCase([aLine('A', 1, 5)], [aBenefit('a', tenPercent)]),
    value: 1,
  },
  {
    title: 'two benefits share the units of a line where one is limited',
    question: aCase([aLine('A', 3, 100)], [aBenefit('a', half, limitedTo(1)), aBenefit('b', tenPercent)]),
    value: 70,
  },
  {
    title: 'an own discount that is larger stays',
    question: aCase([aLine('A', 1, 100, staff(30))], [aBenefit('a', tenPercent)]),
    value: 0,
  },
  {
    title: 'a replaced own discount counts against the benefit',
    question: aCase([aLine('A', 1, 100, staff(30))], [aBenefit('a', half)]),
    value: 20,
  },
  {
    title: 'where replace and add stand on one line, its own discounts go',
    question: aCase(
      [aLine('A', 1, 100, staff(30))],
      [aBenefit('a', half), aBenefit('b', tenPercent, { combination: 'stackable', existingDiscounts: 'add' })],
    ),
    value: 25,
  },
  {
    title: 'the cheapest of the units that could be either are free',
    question: aCase(
      [aLine('A', 1, 100), aLine('B', 1, 40)],
      [aBenefit('a', { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: 100 * percent } })],
    ),
    value: 40,
  },
  {
    title: 'units may form any times',
    question: aCase(
      [aLine('A', 2, 100), aLine('B', 2, 40)],
      [aBenefit('a', { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: 100 * percent } })],
    ),
    value: 140,
  },
  {
    title: 'a bundle leaves out the time that would cost more',
    question: aCase(
      [aLine('A', 2, 100), aLine('B', 2, 40)],
      [aBenefit('a', { kind: 'bundle_price', components: [{ quantity: 2 }], price: 150 })],
    ),
    value: 50,
  },
  {
    title: 'an order discount that no longer fits moves, and what fits nowhere is dropped',
    question: aCase(
      [aLine('A', 1, 100, carrying('o', 40)), aLine('B', 1, 100, carrying('o', 40))],
      [aBenefit('a', { kind: 'line_amount', amount: 90, per: 'line' })],
      { orderDiscounts: [anOrderDiscount('o', 80)] },
    ),
    value: 120,
  },
  {
    title: 'an exclusive benefit that takes off more stands alone',
    question: aCase(
      [aLine('A', 1, 100), aLine('B', 1, 100)],
      [
        aBenefit('a', { ...half, select: onlyA }),
        aBenefit('b', { kind: 'order_percentage', percentage: 30 * percent }, { combination: 'exclusive' }),
      ],
    ),
    value: 60,
  },
]

for (const { title, question, value } of worked) {
  t.test(title, async (t) => {
    t.equal(bestOutcome(question).value, value)
  })
}

t.test('the reason is the furthest stage that any benefit reached', async (t) => {
  const lines = [aLine('A', 2, 100, staff(110)), aLine('B', 1, 100, { noDiscount: true })]
  const elsewhere = aBenefit('x', tenPercent, { venueIds: ['V2'] })
  const missing = aBenefit('c', { ...tenPercent, select: { productIds: ['C'] } })
  const flagged = aBenefit('b', { ...tenPercent, select: { productIds: ['B'] } })
  const smaller = aBenefit('a', tenPercent)
  const scarce = aBenefit('l', { kind: 'member_price', unitPrice: 10 }, limitedTo(1))
  const steps = [elsewhere, missing, flagged, smaller, scarce]
  const said = steps.map((_, at) => unchangedReason(aCase(lines, steps.slice(0, at + 1))))
  t.same(said, ['no_benefits', 'conditions_not_met', 'not_discountable', 'existing_discount_kept', 'limit_exhausted'])
})

t.test('spreading rounds down and gives the rest to the largest remainders, earlier lines first', async (t) => {
  t.same(spread(2, [1, 1, 1]), [1, 1, 0])
  t.same(spread(5, [10, 0, 10]), [3, 0, 2])
  t.same(spread(100, [50, 30, 20]), [50, 30, 20])
})
