import t from 'tap'
import { searchStepsMax } from '../../../../engine/core/base/costs.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, aVenue, percent, price } from '../builders.js'

const on = (productId: string) => ({ select: { productIds: [productId] } })
const units = (maximum: number): Partial<Benefit> => ({
  limits: [{ limitId: `limit-${maximum}`, scope: 'everyone', period: 'ever', counts: 'units', maximum }],
})
const share = (benefitId: string, value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(benefitId, { kind: 'line_percentage', percentage: percent(value) }, overrides)
const amount = aBenefit('amount', { kind: 'line_amount', amount: 9, per: 'unit' })

const programmes: Readonly<Record<string, readonly Benefit[]>> = {
  'an amount and a member price': [amount, aBenefit('price', { kind: 'member_price', unitPrice: 31 })],
  'a lower price and a tier': [
    aBenefit('override', { kind: 'price_override', unitPrice: 30 }),
    aBenefit('tier', { kind: 'volume_percentage', tiers: [{ quantity: 6, percentage: percent(9.5) }] }),
  ],
  'percentages that differ by less than a rounding': [share('a', 33.3333), share('b', 33.3334)],
  'pairs of which one is half the price': [
    aBenefit('pairs', {
      kind: 'buy_get',
      buy: { quantity: 1 },
      get: { quantity: 1, percentage: percent(50) },
    }),
  ],
  'groups over two lines beside a percentage': [
    aBenefit('groups', {
      kind: 'buy_get',
      buy: { ...on('a'), quantity: 2 },
      get: { ...on('b'), quantity: 1, percentage: percent(100) },
    }),
    share('share', 20),
  ],
  'bundles beside a percentage': [
    aBenefit('bundle', {
      kind: 'bundle_price',
      components: [
        { ...on('a'), quantity: 2 },
        { ...on('b'), quantity: 1 },
      ],
      price: 90,
    }),
    aBenefit('share', { kind: 'line_percentage', ...on('a'), percentage: percent(10) }),
  ],
  'a limit of few units beside an amount': [share('few', 50, units(5)), amount],
  'a limit of many units beside an amount': [share('many', 50, units(1_000_000)), amount],
  'a maximum amount and an order discount': [
    aBenefit('maximum', { kind: 'line_percentage', percentage: percent(10), maximumAmount: 100 }),
    aBenefit('order', { kind: 'order_percentage', percentage: percent(5) }),
  ],
  'two order discounts': [
    aBenefit('order', { kind: 'order_percentage', percentage: percent(5) }),
    aBenefit('stack', { kind: 'order_amount', amount: 100 }, { combination: 'stackable' }),
  ],
  'a free product': [aBenefit('free', { kind: 'free_product', productId: 'gift', quantity: 2 })],
}

/** Steps that any quantity may take beyond those of 6 pieces. */
const stepsMore = 300

/** Minor units by which percentages within a rounding of each other may stay unproven. */
const gapMax = 1

for (const [name, benefits] of Object.entries(programmes)) {
  t.test(`${name}: 6,000 and 6,000,000 pieces of a product take the steps of 6, and are proven`, async (t) => {
    const [few, ...many] = [6, 6_000, 6_000_000].map((quantity) =>
      price(
        aBasket([
          { product: 'a', price: 33, quantity },
          { product: 'b', price: 50, quantity },
        ]),
        benefits,
        { venue: aVenue([{}]), stepsMax: searchStepsMax },
      ),
    )
    for (const each of many) {
      t.ok(each.steps <= few!.steps + stepsMore, `${each.steps} steps, ${few!.steps} for 6 pieces`)
      t.ok(each.gap <= gapMax, `${each.gap} unproven`)
      t.ok(each.value >= few!.value, 'more pieces give no less')
    }
  })
}
