import t from 'tap'
import type { Line } from '../../../../engine/core/base/basket.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import type { Offer } from '../../../../engine/core/offers/offer.js'
import { chooseOrders, orderBound } from '../../../../engine/core/order/choose-orders.js'
import { aCase, aLine } from '../../../oracle/a-case.js'
import { aBasket, aBenefit } from '../builders.js'
import { offersOf } from '../offers-of.js'
import { anAmount, aShare } from './order-offers.js'

// Over this many lines, more than a basket has, not every choice of order benefits is computed or closely bounded.

const linesTo = (count: number) => Array.from({ length: count }, (_, at) => at)
/** One line that costs a million, and others that cost nothing. */
const roomOf = (count: number) => linesTo(count).map((at) => (at === 0 ? 1_000_000 : 0))

const basket = aBasket([{ price: 1_000_000 }])
const { basis } = offersOf(basket, [])

/** An order discount over the first `count` lines. */
function over(count: number, benefit: Benefit): Offer {
  return { ...offersOf(basket, [benefit]).offers[0]!, lines: linesTo(count) }
}

const share = (count: number, value: number) => over(count, aShare('share', value))
const amount = (count: number, off: number) => over(count, anAmount('amount', off))

for (const { about, lines, normals, stacks, net, isFound } of [
  {
    about: 'without stackable ones',
    lines: 200_001,
    normals: [share(200_001, 10)],
    stacks: [],
    net: 900_000,
    isFound: true,
  },
  {
    about: 'of which the first has a lower bound than the best',
    lines: 40_001,
    normals: [share(39_990, 10), amount(1, 120_000)],
    stacks: [share(1, 10)],
    net: 792_000,
    isFound: true,
  },
  {
    about: 'of which many look at the very same lines',
    lines: 40_001,
    normals: [amount(40_000, 100_000), share(40_001, 10.5)],
    stacks: [share(40_000, 10)],
    net: 805_500,
    isFound: true,
  },
  {
    about: 'of which the first take all the time there is',
    lines: 40_001,
    normals: [share(40_000, 10), amount(1, 120_000)],
    stacks: [share(1, 10)],
    net: 792_000,
    isFound: false,
  },
  {
    about: 'too many to be bounded closely',
    lines: 100_000,
    normals: [amount(1, 50)],
    stacks: [share(100_000, 10)],
    net: 899_955,
    isFound: true,
  },
]) {
  t.test(`order discounts over very many lines, ${about}: the lowest net is bounded`, async (t) => {
    const all = { normals, stacks, hasOrderDiscounts: false }
    const choice = chooseOrders(basis, roomOf(lines), all)
    const bound = orderBound(basis, roomOf(lines), all)
    t.ok(isFound ? choice.net === net : choice.net >= net, `${choice.net}`)
    t.ok(bound <= net && bound >= net - 2 * lines, `${bound}`)
  })
}

/** Too many to bound all of them closely, or to compute all. */
const normals = 600
const free = Array.from({ length: 198 }, (_, at) => aLine(`free-${at}`, 1, 0))
const add = { existingDiscounts: 'add' } as const

/** The same lines and benefits among many free lines and many order benefits. */
function amongMany(lines: readonly Line[], benefits: readonly Benefit[], many: (benefitId: string) => Benefit) {
  const all = Array.from({ length: normals }, (_, at) => many(`many-${String(at).padStart(3, '0')}`))
  return aCase([...lines, ...free], [...benefits, ...all])
}

function including(...productIds: string[]) {
  return { productIds: [...productIds, ...free.map(({ productId }) => productId)] }
}

t.test('the bound of very many order benefits holds for lines that cost more than they could', (t) => {
  const { benefits, input } = amongMany(
    [aLine('a', 1, 1), aLine('b', 1, 3)],
    [
      aBenefit('line', { kind: 'member_price', select: { productIds: ['a'] }, unitPrice: 0 }, add),
      aBenefit(
        'off',
        { kind: 'order_amount', select: including('a'), amount: 2 },
        { ...add, combination: 'stackable' },
      ),
    ],
    (benefitId) => aBenefit(benefitId, { kind: 'order_percentage', percentage: 150_000 }, add),
  )
  const { value, gap } = calculate(compileProgramme(benefits), input)
  // 15 % of 4 takes 1 off b, because a has the smaller remainder; the amount then takes a.
  t.ok(value + gap >= 2, `${value} + ${gap}`)
  t.end()
})

t.test('where not all order benefits are worked out, no plans are proven by what those do that are', (t) => {
  const select = including('a')
  const both = { select: { productIds: ['a', 'b'] } }
  const order = (percentage: number) => ({ kind: 'order_percentage', select, percentage }) as const
  const { benefits, input } = amongMany(
    [aLine('a', 2, 20), aLine('b', 1, 10)],
    [
      aBenefit(
        'group',
        { kind: 'buy_get', buy: { ...both, quantity: 2 }, get: { ...both, quantity: 1, percentage: 1_000_000 } },
        add,
      ),
      aBenefit('on-top', order(750_000), { ...add, combination: 'stackable' }),
      aBenefit('the-best', order(990_000), add),
    ],
    (benefitId) => aBenefit(benefitId, order(300_000), add),
  )
  const { value, gap } = calculate(compileProgramme(benefits), { ...input, stepsMax: 1_000_000 })
  // b for nothing, 99 % of the two a take 40.
  t.ok(value + gap >= 50, `${value} + ${gap}`)
  t.end()
})
