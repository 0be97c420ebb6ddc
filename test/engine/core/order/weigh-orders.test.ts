import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import { aCase, aLine } from '../../../oracle/a-case.js'
import { aBasket, aBenefit, percent, price } from '../builders.js'

const stackable: Partial<Benefit> = { combination: 'stackable' }

/** A percentage skips one of the lines of the bundle, so that the place of the gain matters. */
const pair = aBenefit('pair', {
  kind: 'bundle_price',
  components: ['l0', 'l1'].map((product) => ({ select: { productIds: [product] }, quantity: 1 })),
  price: 1500,
})
const linesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => aLine(`l${at}`, 1, 1000, { noPercentageDiscount: at === 0 }))
const small = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    aBenefit(`stack-${at}`, { kind: 'order_percentage', percentage: 100 }, stackable),
  )
const normals = [
  ...Array.from({ length: 20 }, (_, at) =>
    aBenefit(`percentage-${at}`, { kind: 'order_percentage', percentage: 50_000 }),
  ),
  aBenefit('amount', { kind: 'order_amount', amount: 100 }),
]

for (const { about, lines, benefits } of [
  { about: 'beside normal ones', lines: linesOf(12), benefits: [pair, ...small(60), ...normals] },
  { about: 'alone', lines: linesOf(60), benefits: [pair, ...small(200)] },
]) {
  t.test(`many percentages over the very same lines are weighed as one, ${about}`, async (t) => {
    const { benefits: all, input } = aCase(lines, benefits)
    const { optimal, value } = calculate(compileProgramme(all), input)
    t.ok(value > 500, `${value}`)
    t.equal(optimal, true)
  })
}

t.test('an order discount that keeps away from a line does not keep the search from a proof', async (t) => {
  const basket = aBasket([
    { price: 1000, noPercentageDiscount: true },
    { price: 900 },
    { price: 800, noPercentageDiscount: true },
    { price: 700 },
  ])
  const reward = { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: percent(100) } } as const
  const order = aBenefit('o', { kind: 'order_percentage', percentage: percent(10) })
  const result = price(basket, [aBenefit('b', reward), order])
  t.ok(result.optimal)
  t.equal(result.value, 900 + 700)
})

t.test('order benefits that each count in two or three ways are not combined in all of them', async (t) => {
  const orders = Array.from({ length: 30 }, (_, at) => {
    const select = { productIds: at % 3 === 0 ? ['l0'] : ['l0', 'l1'] }
    const reward = { kind: 'order_percentage', select, percentage: percent(2), maximumAmount: 40 } as const
    return aBenefit(`order-${at}`, reward, stackable)
  })
  const { benefits, input } = aCase([aLine('l0', 1, 1000), aLine('l1', 1, 1000)], [pair, ...orders])
  const { value, gap, steps } = calculate(compileProgramme(benefits), input)
  t.ok(value > 500 && value + gap <= 2000, `${value} + ${gap}`)
  t.ok(steps <= 1.1 * input.stepsMax, `${steps} steps`)
})
