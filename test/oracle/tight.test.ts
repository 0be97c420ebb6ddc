import t from 'tap'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBenefit, aCase, aLine, anOrderDiscount, carrying } from './a-case.js'
import { bestOutcome } from './best-outcome.js'
import { padCase } from './pad-case.js'
import type { PricingCase } from './pricing-case.js'

/** What the search alone says wrongly of a basket within some budget; null where it is right. */
function faultOf(question: PricingCase, stepsMax: number): string | null {
  const { benefits, input } = padCase(question)
  const { value, gap } = calculate(compileProgramme(benefits), { ...input, stepsMax })
  const { value: best } = bestOutcome(question)
  const isRight = value <= best && best <= value + gap
  return isRight ? null : `${stepsMax} steps: ${value} + ${gap}, the best is ${best}`
}

const whole = 1_000_000
const either = { select: { productIds: ['a', 'b'] }, quantity: 1 }
const found: readonly { readonly story: string; readonly question: PricingCase }[] = [
  {
    story: 'an order discount of the POS in millions, below which a bundle does better on another line',
    question: aCase(
      [aLine('a', 1, 99_999_902, carrying('o', 49_999_951)), aLine('b', 2, 99_999_900)],
      [
        aBenefit(
          'c',
          { kind: 'bundle_price', components: [either, either], price: 999_998 },
          { existingDiscounts: 'add' },
        ),
      ],
      { orderDiscounts: [anOrderDiscount('o', 0)] },
    ),
  },
  {
    story: 'a whole order percentage up to a maximum, below which it matters what lines under it still cost',
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
]

for (const { story, question } of found) {
  t.test(`the search alone proves nothing that is not so: ${story}`, async (t) => {
    for (const stepsMax of [0, 12, 35, 100, 1000, 200_000]) t.equal(faultOf(question, stepsMax), null)
  })
}
