import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import { aCase, aLine, anOrderDiscount, carrying, limitedTo } from '../../../oracle/a-case.js'
import { bestOutcome } from '../../../oracle/best-outcome.js'
import { padCase, searchFault } from '../../../oracle/pad-case.js'
import type { PricingCase } from '../../../oracle/pricing-case.js'
import { aBenefit } from '../builders.js'

const half = 500_000
const add: Partial<Benefit> = { existingDiscounts: 'add' }
const stackable: Partial<Benefit> = { combination: 'stackable' }
const budgets = [0, 20, 100, 1000, 20_000]
const productIds = (...ids: string[]) => ({ select: { productIds: ids } })

const orderOff = (percentage: number, other: Partial<Benefit> = {}, maximumAmount?: number) =>
  aBenefit(
    `order-${percentage}`,
    { kind: 'order_percentage', percentage, ...(maximumAmount === undefined ? {} : { maximumAmount }) },
    other,
  )

/** One unit of either line: the dearer one gains more, the other one leaves less than its share. */
const oneOfTwo = aBenefit(
  'one',
  { kind: 'line_percentage', ...productIds('carrier', 'dear'), percentage: 600_000 },
  { ...add, ...limitedTo(1) },
)
const noPercentage = { noPercentageDiscount: true }
const moving = [
  aLine('carrier', 1, 1000, carrying('pos', 800)),
  aLine('dear', 1, 1020),
  aLine('full', 1, 1000, { ...carrying('pos', 200), ...noPercentage }),
]
const pair = (price: number) =>
  aBenefit('pair', {
    kind: 'bundle_price',
    components: ['carrier', 'dear'].map((id) => ({ ...productIds(id), quantity: 1 })),
    price,
  })
const many = Array.from({ length: 9 }, (_, at) => aLine(`l${at}`, 2, 1000 + at, carrying('pos', 100)))
const limited = aBenefit('limited', { kind: 'line_percentage', percentage: half }, { ...add, ...limitedTo(3) })

interface Known {
  readonly about: string
  readonly question: PricingCase
}

const pos = { orderDiscounts: [anOrderDiscount('pos', 1000)] }
const known: readonly Known[] = [
  {
    about: 'an amount that moves to a line which percentages pass over may be worth more than a greater gain',
    question: aCase(moving, [oneOfTwo, orderOff(half, add)], pos),
  },
  {
    about: 'no line takes what moves where the others take no discounts',
    question: aCase(
      [moving[0]!, moving[1]!, { ...moving[2]!, ...noPercentage, noDiscount: true }],
      [oneOfTwo, orderOff(half, add)],
      pos,
    ),
  },
  {
    about: 'a bundle may leave a line nothing to hold an order discount with',
    question: aCase(moving, [pair(900), oneOfTwo, orderOff(half, add)], pos),
  },
  {
    about: 'the discount of the POS stays, or goes for a benefit that replaces it',
    question: aCase(moving, [oneOfTwo, orderOff(half, add), orderOff(600_000)], pos),
  },
  {
    about: 'a stackable benefit replaces it below any normal one',
    question: aCase(moving, [oneOfTwo, orderOff(half, add), orderOff(100_000, stackable)], pos),
  },
  {
    about: 'percentages on the order look at different lines',
    question: aCase(
      moving,
      [
        oneOfTwo,
        orderOff(half, add),
        aBenefit(
          'some',
          { kind: 'order_percentage', ...productIds('dear', 'full'), percentage: 250_000, maximumAmount: 200 },
          { ...add, ...stackable },
        ),
      ],
      pos,
    ),
  },
  {
    about: 'an amount on the order is all that its lines cost',
    question: aCase(
      moving,
      [
        oneOfTwo,
        aBenefit('amount', { kind: 'order_amount', ...productIds('dear'), amount: 500 }, { ...add, ...stackable }),
      ],
      pos,
    ),
  },
  {
    about: 'a maximum amount on the order bites for some plans',
    question: aCase(moving, [oneOfTwo, orderOff(half, add, 400)], pos),
  },
]

for (const { about, question } of known) {
  t.test(`the search alone proves only what is true where ${about}`, async (t) => {
    t.equal(searchFault(question, budgets), null)
  })
}

t.test('an order discount that stays on all lines keeps no basket from being proven', async (t) => {
  const question = aCase(many, [limited, orderOff(100_000, add)], { orderDiscounts: [anOrderDiscount('pos', 900)] })
  const { benefits, input } = padCase(question)
  const { optimal, value } = calculate(compileProgramme(benefits), { ...input, stepsMax: 1000 })
  t.same([value, optimal], [bestOutcome(question).value, true])
})

const sixth = Array.from({ length: 6 }, (_, at) =>
  aLine(`l${at}`, 1, 1000 + 10 * at, { ...carrying('pos', 150), ...(at === 0 ? noPercentage : {}) }),
)
const rest = productIds('l1', 'l2', 'l3', 'l4', 'l5')

for (const { about, benefit } of [
  {
    about: 'that lines got for nothing leave',
    benefit: aBenefit('free', {
      kind: 'buy_get',
      buy: { ...rest, quantity: 1 },
      get: { ...rest, quantity: 1, percentage: 2 * half },
    }),
  },
  {
    about: 'that lines of a bundle still hold',
    benefit: aBenefit('three', {
      kind: 'bundle_price',
      components: ['l0', 'l1', 'l2'].map((id) => ({ ...productIds(id), quantity: 1 })),
      price: 2500,
    }),
  },
]) {
  t.test(`an order discount ${about} keeps no basket from being proven`, async (t) => {
    const question = aCase(sixth, [benefit, orderOff(100_000, add)], { orderDiscounts: [anOrderDiscount('pos', 900)] })
    const { benefits, input } = padCase(question)
    const { optimal, value } = calculate(compileProgramme(benefits), input)
    t.same([value, optimal], [bestOutcome(question).value, true])
  })
}
