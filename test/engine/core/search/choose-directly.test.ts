import t from 'tap'
import { heldBy, planLine } from '../../../../engine/core/lines/plan.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from '../builders.js'
import { offersOf } from '../offers-of.js'

const top = { combination: 'stackable' } as const

/** Adds lines that change nothing: small baskets are enumerated. */
function alone(lines: readonly LineSketch[]) {
  return aBasket([...lines, ...Array.from({ length: 9 }, () => ({ price: 1, noDiscount: true }))])
}

function limitedTo(maximum: number, percentage: number, products: readonly string[]) {
  const limits = [{ limitId: products.join(), scope: 'member', period: 'day', counts: 'units', maximum } as const]
  const select = { productIds: [...products] }
  return aBenefit(
    `limited-${products.join()}`,
    { kind: 'line_percentage', select, percentage: percent(percentage) },
    { limits },
  )
}

t.test('of a limit below stackable benefits no more is taken than it needs for the best', async (t) => {
  const basket = alone([{ product: 'a', price: 100, quantity: 10 }])
  for (const [amount, value, units] of [
    [940, 990, 5],
    [970, 1000, 3],
    [999, 1000, 1],
  ] as const) {
    const last = aBenefit('last', { kind: 'line_amount', amount, per: 'line' }, top)
    t.match(price(basket, [last, limitedTo(5, 10, ['a'])]), { value, optimal: true, wants: [{ units }] })
  }
  const all = aBenefit('last', { kind: 'line_amount', amount: 1000, per: 'line' }, top)
  t.match(price(basket, [all, limitedTo(5, 10, ['a'])]), { value: 1000, optimal: true, wants: { length: 0 } })
})

t.test('of every number of units of a limit below stackable benefits the best is found', async (t) => {
  for (const [unitPrice, quantity, share] of [
    [7, 40, 33],
    [101, 17, 10],
    [3, 60, 50],
    [999, 31, 1],
  ] as const) {
    const basket = alone([{ product: 'a', price: unitPrice, quantity }])
    const stacks = [13, 7, 29].map((each) =>
      aBenefit(`stack-${each}`, { kind: 'line_percentage', percentage: percent(each) }, top),
    )
    const benefits = [limitedTo(quantity - 2, share, ['a']), ...stacks]
    const { basis, offers } = offersOf(basket, benefits)
    const [limited, ...stacking] = offers
    const own = { untied: [], stacks: stacking }
    const [line] = basis.lines
    const gains = Array.from({ length: quantity - 1 }, (_, pieces) =>
      pieces === 0 ? planLine(line!, own) : planLine(line!, own, [{ offer: limited!, pieces, bought: 0 }]),
    ).map(({ rest }) => heldBy(line!) - rest)
    const most = Math.max(...gains)
    const units = gains.indexOf(most)
    t.match(price(basket, benefits), { value: most, optimal: true, wants: [{ units }] }, `${quantity} of ${unitPrice}`)
  }
})

t.test(
  'limits below more stackable benefits than can be worked out for every way are never denied what they gain',
  async (t) => {
    const pairs = 10
    const pair = (at: number): LineSketch[] => [
      { product: `a${at}`, price: 90_000, quantity: 200 },
      { product: `b${at}`, price: 60_000, quantity: 200 },
    ]
    const stacks = Array.from({ length: 800 }, (_, at) =>
      aBenefit(`stack-${at}`, { kind: 'line_percentage', percentage: 1000 + at }, top),
    )
    const limits = Array.from({ length: pairs }, (_, at) => limitedTo(170, 30, [`a${at}`, `b${at}`]))
    const one = price(alone(pair(0)), [limits[0]!, ...stacks])
    t.match(one, { optimal: true })
    const all = Array.from({ length: pairs }, (_, at) => pair(at)).flat()
    const { value, gap, optimal } = price(aBasket(all), [...limits, ...stacks])
    t.ok(value <= pairs * one.value && pairs * one.value <= value + gap, `${value} and at most ${gap} more`)
    t.notOk(optimal && value < pairs * one.value)
  },
)
