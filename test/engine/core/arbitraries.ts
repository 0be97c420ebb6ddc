import type { Basket } from '../../../engine/core/base/basket.js'
import type { Benefit, Limit, Reward, Selector } from '../../../engine/core/base/programme.js'
import { fc } from '../../support/seeded.js'
import { aBasket, aBenefit, code, type LineSketch } from './builders.js'

const products = ['p0', 'p1', 'p2', 'p3']
const groups = ['g0', 'g1']

/** Small programmes and baskets in which everything meets everything. */
const amount = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 50, max: 2000 }))

const percentage = fc.oneof(
  fc.constantFrom(10, 20, 25, 33.3333, 50, 100).map((value) => Math.round(value * 10_000)),
  fc.integer({ min: 1, max: 1_000_000 }),
)

const quantity = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(0.5, 1.255, 0.001, 2.75) },
)

export const selector: fc.Arbitrary<Selector | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ productIds: fc.uniqueArray(fc.constantFrom(...products), { minLength: 1, maxLength: 3 }) }),
  fc.record({ productGroupIds: fc.uniqueArray(fc.constantFrom(...groups), { minLength: 1, maxLength: 2 }) }),
  fc.record({
    productIds: fc.uniqueArray(fc.constantFrom(...products), { minLength: 1, maxLength: 2 }),
    children: fc.boolean(),
    not: fc.record({ productGroupIds: fc.constantFrom(['g0'], ['g1']) }),
  }),
)

function withSelect<T extends object>(shape: fc.Arbitrary<T>): fc.Arbitrary<T & { select?: Selector }> {
  return fc.tuple(shape, selector).map(([rest, select]) => (select === undefined ? rest : { ...rest, select }))
}

function maybe<T extends object, K extends string, V>(
  shape: fc.Arbitrary<T>,
  key: K,
  value: fc.Arbitrary<V>,
): fc.Arbitrary<T & { [k in K]?: V }> {
  return fc
    .tuple(shape, fc.option(value, { nil: undefined }))
    .map(([rest, each]) => (each === undefined ? rest : { ...rest, [key]: each })) as fc.Arbitrary<T & { [k in K]?: V }>
}

const units = withSelect(fc.record({ quantity: fc.integer({ min: 1, max: 3 }) }))

/** Rewards by kind. */
export const rewards = {
  line_percentage: maybe(
    withSelect(fc.record({ kind: fc.constant('line_percentage' as const), percentage })),
    'maximumAmount',
    amount,
  ),
  line_amount: withSelect(
    fc.record({ kind: fc.constant('line_amount' as const), amount, per: fc.constantFrom('unit' as const, 'line') }),
  ),
  member_price: withSelect(fc.record({ kind: fc.constant('member_price' as const), unitPrice: amount })),
  price_override: withSelect(fc.record({ kind: fc.constant('price_override' as const), unitPrice: amount })),
  volume_percentage: withSelect(
    fc.record({
      kind: fc.constant('volume_percentage' as const),
      tiers: fc.tuple(percentage, percentage).map(([low, high]) => [
        { quantity: 2, percentage: low },
        { quantity: 5, percentage: high },
      ]),
    }),
  ),
  buy_get: maybe(
    fc.record({
      kind: fc.constant('buy_get' as const),
      buy: units,
      get: fc.tuple(units, percentage).map(([rest, each]) => ({ ...rest, percentage: each })),
    }),
    'maximumTimes',
    fc.integer({ min: 1, max: 3 }),
  ),
  bundle_price: maybe(
    fc.record({
      kind: fc.constant('bundle_price' as const),
      components: fc.array(units, { minLength: 1, maxLength: 3 }),
      price: amount,
    }),
    'maximumTimes',
    fc.integer({ min: 1, max: 3 }),
  ),
  order_percentage: maybe(
    withSelect(fc.record({ kind: fc.constant('order_percentage' as const), percentage })),
    'maximumAmount',
    amount,
  ),
  order_amount: withSelect(fc.record({ kind: fc.constant('order_amount' as const), amount })),
  free_product: fc.record({
    kind: fc.constant('free_product' as const),
    productId: fc.constant('gift'),
    quantity: fc.integer({ min: 1, max: 2 }),
  }),
} satisfies Record<Reward['kind'], fc.Arbitrary<Reward>>

export type Kind = keyof typeof rewards

/** A benefit whose parts agree with each other, as publishing requires (3-benefits 2, 3 and 5). */
function benefit(kinds: readonly Kind[]): fc.Arbitrary<Omit<Benefit, 'benefitId'>> {
  const reward: fc.Arbitrary<Reward> = fc.oneof(...kinds.map((kind) => rewards[kind] as fc.Arbitrary<Reward>))
  return fc
    .record({
      reward,
      existingDiscounts: fc.constantFrom('replace' as const, 'keep' as const, 'add' as const),
      combination: fc.constantFrom('normal' as const, 'normal', 'normal', 'stackable', 'exclusive'),
      priority: fc.integer({ min: -1, max: 2 }),
      limit: fc.option(
        fc.record({ counts: fc.constantFrom('baskets' as const, 'units'), maximum: fc.integer({ min: 1, max: 5 }) }),
      ),
      spend: fc.option(fc.integer({ min: 1, max: 3000 }), { freq: 4 }),
    })
    .map(({ limit, spend, ...rest }) => {
      const stackable = ['line_percentage', 'line_amount', 'order_percentage', 'order_amount'].includes(
        rest.reward.kind,
      )
      const combination = rest.combination === 'stackable' && !stackable ? 'normal' : rest.combination
      const existingDiscounts =
        rest.reward.kind === 'price_override' && rest.existingDiscounts === 'add' ? 'replace' : rest.existingDiscounts
      const onUnits =
        combination !== 'stackable' &&
        !rest.reward.kind.startsWith('order_') &&
        !(rest.reward.kind === 'line_amount' && rest.reward.per === 'line')
      const counts = limit?.counts === 'units' && onUnits ? 'units' : 'baskets'
      const limits: Limit[] =
        limit === null ? [] : [{ limitId: 'limit', scope: 'everyone', period: 'ever', maximum: limit.maximum, counts }]
      const conditions = spend === null ? null : { minimumSpend: { amount: spend } }
      return { ...aBenefit('', rest.reward), ...rest, combination, existingDiscounts, limits, conditions }
    })
}

/** A programme of a few benefits, each with limits of its own. */
export function programme(kinds: readonly Kind[], maxLength = 4): fc.Arbitrary<Benefit[]> {
  return fc.array(benefit(kinds), { minLength: 1, maxLength }).map((benefits) =>
    benefits.map((each, position) => ({
      ...each,
      benefitId: `b${position}`,
      text: `b${position}`,
      limits: each.limits.map((limit) => ({ ...limit, limitId: `limit-${position}` })),
    })),
  )
}

const sketch: fc.Arbitrary<LineSketch & { keeps: number; ours: boolean; carried: number }> = fc.record({
  product: fc.constantFrom(...products),
  group: fc.constantFrom(...groups),
  quantity,
  price: fc.oneof(amount, amount, fc.constant(0)),
  noDiscount: fc.integer({ min: 0, max: 7 }).map((value) => value === 0),
  noPercentageDiscount: fc.integer({ min: 0, max: 7 }).map((value) => value === 0),
  keeps: fc.oneof(fc.constant(0), fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  carried: fc.oneof(fc.constant(0), fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  ours: fc.integer({ min: 0, max: 7 }).map((value) => value === 0),
})

/** A basket that adds up, with discounts of the POS, order discounts and remains of an earlier answer. */
export function basket(maxLength = 4): fc.Arbitrary<Basket> {
  return fc.array(sketch, { minLength: 1, maxLength }).map((sketches) =>
    aBasket(
      sketches.map(({ keeps, ours, carried, ...line }, position) => {
        const gross = Math.floor((line.quantity ?? 1) * (line.price ?? 0))
        const own = Math.floor(gross * keeps * 0.6)
        const carries = Math.floor((gross - own) * carried * 0.9)
        return {
          ...line,
          parent: position > 0 && position % 2 === 0 ? position - 1 : -1,
          own: own > 0 ? [ours ? { amount: own, lineDiscountCode: code } : own] : [],
          allocations: carries > 0 ? { [position % 2 === 0 ? 'even' : 'odd']: carries } : {},
        }
      }),
    ),
  )
}
