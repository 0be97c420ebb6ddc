import t from 'tap'
import type { Basket } from '../../../../engine/core/base/basket.js'
import type { Benefit, Reward } from '../../../../engine/core/base/programme.js'
import { fc } from '../../../support/seeded.js'
import { aBasket, aBenefit, percent, price } from '../builders.js'
import { droppedAt } from './dropped-at.js'

const cases = 500

t.test('with one unit or one minor unit less than is missing it does not', async (t) => {
  const wanting: Benefit = {
    ...aBenefit('b', { kind: 'line_percentage', percentage: percent(10) }),
    conditions: { minimumSpend: { amount: 2500 }, requires: [{ select: { productIds: ['x'] }, quantity: 3 }] },
  }
  const spent = (net: number, units: number) =>
    aBasket([{ price: net }, ...(units > 0 ? [{ product: 'x', price: 0, quantity: units }] : [])])
  t.match(price(spent(2000, 1), [wanting]).benefits[0]!.dropped, {
    missing: [
      { kind: 'spend', amount: 500 },
      { kind: 'units', units: 2 },
    ],
  })
  const stage = (basket: Basket) => price(basket, [wanting]).benefits[0]!.dropped?.stage ?? 'applied'
  t.same([spent(2500, 3), spent(2499, 3), spent(2500, 2)].map(stage), [
    'applied',
    'conditions_not_met',
    'conditions_not_met',
  ])
})

t.test('missing conditions and missing rewards are reported together', async (t) => {
  const reward: Reward = {
    kind: 'volume_percentage',
    select: { productIds: ['x'] },
    tiers: [{ quantity: 3, percentage: percent(10) }],
  }
  const wanting = aBenefit('b', reward, { conditions: { minimumSpend: { amount: 1500 } } })
  t.match(price(aBasket([{}]), [wanting]).benefits[0]!.dropped, {
    missing: [
      { kind: 'spend', amount: 500 },
      { kind: 'units', units: 3 },
    ],
  })
  const elsewhere = aBenefit('b', { kind: 'free_product', productId: 'none', quantity: 1 })
  t.match(price(aBasket([{}]), [elsewhere]).benefits[0]!.dropped, { missing: [{ kind: 'product', productId: 'none' }] })
})

t.test('where nothing is to be gained a benefit names the lines whose discounts it keeps, too', async (t) => {
  const kept = [
    { kind: 'line_percentage', percentage: percent(20) },
    { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: percent(100) } },
    { kind: 'bundle_price', components: [{ quantity: 2 }], price: 1 },
  ] as const
  const sent = aBasket([{ own: [50] }, { price: 0, quantity: 2 }, { noDiscount: true }])
  for (const reward of kept) {
    const said = price(sent, [aBenefit('b', reward, { existingDiscounts: 'keep' })]).benefits[0]!.dropped
    t.strictSame(said, { stage: 'existing_discount_kept', lines: [0, 1] }, reward.kind)
  }
})

t.test(
  'a benefit that is beaten is in the outcome once it takes off a little more than those in its place do',
  async (t) => {
    fc.assert(
      fc.property(contest, ({ basket, benefits }) => {
        const before = price(basket, benefits)
        if (!before.optimal) return true
        return droppedAt('beaten', before.benefits, benefits).every(({ benefit, dropped: { gives, instead } }) => {
          const behind = instead! - gives!
          const raised = raisedBy(benefit.reward, behind + roundedMax)
          if (raised === null || behind > roomMin) return true
          const after = price(
            basket,
            benefits.map((each) => (each === benefit ? { ...each, reward: raised } : each)),
          )
          const report = after.benefits.find(({ benefitId }) => benefitId === benefit.benefitId)!
          return !after.optimal || report.dropped === null
        })
      }),
      { numRuns: cases },
    )
    t.pass()
  },
)

t.test('a beaten benefit names those in whose place it would stand', async (t) => {
  const lines = [{ product: 'a' }, { product: 'b' }]
  const tenA = aBenefit('ten', { kind: 'line_percentage', select: { productIds: ['a'] }, percentage: percent(10) })
  const fiveB = aBenefit('five', { kind: 'line_amount', select: { productIds: ['b'] }, amount: 5, per: 'line' })
  const amount = aBenefit('amount', { kind: 'line_amount', select: { productIds: ['a'] }, amount: 60, per: 'line' })
  const onLine = price(aBasket(lines), [tenA, fiveB, amount]).benefits
  t.match(droppedAt('beaten', onLine, [amount]), [{ dropped: { by: ['ten'], gap: 40, gives: 60, instead: 100 } }])
  const order = aBenefit('order', { kind: 'order_amount', amount: 200 })
  const less = aBenefit('less', { kind: 'order_amount', amount: 120 })
  t.match(droppedAt('beaten', price(aBasket(lines), [fiveB, order, less]).benefits, [less]), [
    { dropped: { by: ['order'], gap: 80, gives: 120, instead: 200 } },
  ])
  const alone = aBenefit('alone', { kind: 'line_amount', amount: 20, per: 'line' }, { combination: 'exclusive' })
  t.match(droppedAt('beaten', price(aBasket(lines), [tenA, fiveB, alone]).benefits, [alone]), [
    { dropped: { by: ['five', 'ten'], gap: 65, gives: 40, instead: 105 } },
  ])
})

t.test('stackable benefits stay on both sides where a benefit is beaten, and are not named', async (t) => {
  const lines = [{ product: 'a' }, { product: 'b' }]
  const half = aBenefit('half', { kind: 'line_percentage', select: { productIds: ['a'] }, percentage: percent(50) })
  const less = aBenefit('less', { kind: 'line_amount', select: { productIds: ['a'] }, amount: 100, per: 'line' })
  const stack = aBenefit('z', { kind: 'line_percentage', percentage: percent(10) }, { combination: 'stackable' })
  const gives = { gives: 100, instead: 500 }
  const beatenBy = (basket: Basket, benefits: readonly Benefit[], benefit: Benefit) =>
    droppedAt('beaten', price(basket, benefits).benefits, [benefit]).map(({ dropped }) => dropped)
  t.match(beatenBy(aBasket(lines), [half, less, stack], less), [{ by: ['half'], gap: 360, ...gives }])
  const order = aBenefit('y', { kind: 'order_amount', amount: 50 })
  t.match(beatenBy(aBasket(lines), [half, less, order, stack], less), [{ by: ['half'], gap: 360, ...gives }])
  const share = aBenefit('y', { kind: 'order_percentage', percentage: percent(50) })
  t.match(beatenBy(aBasket(lines), [half, less, share, stack], less), [{ by: ['half'], gap: 180, ...gives }])

  const [much, little] = [400, 100].map((amount) => aBenefit(`o${amount}`, { kind: 'order_amount', amount }))
  const tenth = aBenefit('z', { kind: 'order_percentage', percentage: percent(10) }, { combination: 'stackable' })
  t.match(beatenBy(aBasket(lines), [much!, little!, tenth], little!), [
    { by: ['o400'], gap: 270, gives: 100, instead: 400 },
  ])
  const sent = aBasket([{ product: 'a', own: [20] }])
  t.match(beatenBy(sent, [half, less, stack], less), [{ by: ['half', 'z'], gives: 80, instead: 530 }])
})

t.test('of two limits that each keep a benefit away the one that does so for longest is named', async (t) => {
  const limit = { scope: 'everyone', counts: 'units', maximum: 9 } as const
  const limits = [
    { ...limit, limitId: 'd', period: 'day' } as const,
    { ...limit, limitId: 'm', period: 'month' } as const,
    { ...limit, limitId: 'w', period: 'week' } as const,
  ]
  const benefit = aBenefit('b', { kind: 'line_percentage', percentage: percent(10) }, { limits })
  const used = { 'd\n\n2026-11-21': 0, 'm\n\n2026-11': 0, 'w\n\n2026-W47': 1 }
  const reported = (available: Record<string, number>, of: Benefit = benefit) =>
    price(aBasket([{ quantity: 3 }]), [of], { available }).benefits[0]!.dropped
  t.strictSame(reported(used), {
    stage: 'limit_exhausted',
    limitId: 'm',
    period: '2026-11',
    counts: 'units',
    left: 0,
    wanted: 3,
    backAt: Date.parse('2026-11-30T23:00:00Z'),
  })
  const tomorrow = { limitId: 'd', backAt: Date.parse('2026-11-21T23:00:00Z') }
  t.match(reported({ ...used, 'm\n\n2026-11': 3 }), tomorrow, 'then it gains with the unit that the week has left')
  const ever = { ...limit, limitId: 'e', period: 'ever', counts: 'baskets' } as const
  const forGood = { ...benefit, limits: [ever, ...limits] }
  t.match(reported({ ...used, 'e\n\n': 0 }, forGood), { limitId: 'e', wanted: 1, backAt: null })
})

/** Too many to compute the worth of each alone on this many lines. */
const rivals = 160
const longest = 200

t.test('very many benefits that are beaten alike get the same report', async (t) => {
  const basket = aBasket(Array.from({ length: longest }, () => ({ price: 100 })))
  const pair = { kind: 'bundle_price', components: [{ quantity: 2 }], price: 100, maximumTimes: 1 } as const
  const { value, benefits } = price(basket, [
    ...Array.from({ length: rivals }, (_, at) => aBenefit(`b${at}`, pair)),
    aBenefit('capped', { kind: 'line_percentage', percentage: percent(1), maximumAmount: 150 }),
    aBenefit('half', { kind: 'line_percentage', percentage: percent(50) }, { combination: 'exclusive' }),
  ])
  const worthAlone = (benefitId: string) => (benefitId === 'capped' ? 150 : 100)
  t.equal(value, 10_000)
  t.same(
    benefits.map(({ benefitId, dropped }) => ({ benefitId, dropped })),
    benefits.map(({ benefitId }) => ({
      benefitId,
      dropped:
        benefitId === 'half'
          ? null
          : {
              stage: 'beaten',
              by: ['half'],
              gap: value - worthAlone(benefitId),
              gives: worthAlone(benefitId),
              instead: value,
            },
    })),
  )
})

/** The reward with a larger discount everywhere; null where no single figure sets it. */
function raisedBy(reward: Reward, amount: number): Reward | null {
  switch (reward.kind) {
    case 'line_amount':
    case 'order_amount':
      return { ...reward, amount: reward.amount + amount }
    case 'member_price':
    case 'price_override':
      return reward.unitPrice < amount ? null : { ...reward, unitPrice: reward.unitPrice - amount }
    case 'bundle_price':
      return reward.price < amount ? null : { ...reward, price: reward.price - amount }
    default:
      return null
  }
}

/** The amount that each line can still give in addition to everything given already. */
const roomMin = 80_000
/** Each line costs less by this much, whatever stackable benefits take of the rest and round. */
const roundedMax = 5

const dear = fc.integer({ min: 100_000, max: 150_000 })
const part = fc.integer({ min: 1, max: 3000 })
const anyReward: fc.Arbitrary<Reward> = fc.oneof(
  fc.record({ kind: fc.constant('line_percentage' as const), percentage: fc.integer({ min: 1, max: 30_000 }) }),
  fc.record({ kind: fc.constant('line_amount' as const), amount: part, per: fc.constantFrom('unit' as const, 'line') }),
  fc.record({
    kind: fc.constantFrom('member_price' as const, 'price_override'),
    unitPrice: fc.integer({ min: 95_000, max: 149_999 }),
  }),
  fc.record({ kind: fc.constant('order_amount' as const), amount: part }),
  fc.record({ kind: fc.constant('order_percentage' as const), percentage: fc.integer({ min: 1, max: 20_000 }) }),
  fc.record({
    kind: fc.constant('bundle_price' as const),
    components: fc.constant([{ quantity: 2 }]),
    price: fc.integer({ min: 199_000, max: 300_000 }),
  }),
  fc.record({
    kind: fc.constant('buy_get' as const),
    buy: fc.constant({ quantity: 1 }),
    get: fc.record({ quantity: fc.constant(1), percentage: fc.integer({ min: 1, max: 30_000 }) }),
  }),
) as fc.Arbitrary<Reward>

/** Dear lines with small discounts, so that every benefit has room for more. */
const contest = fc
  .record({
    lines: fc.array(
      fc.record({ price: dear, quantity: fc.integer({ min: 1, max: 3 }), own: fc.constantFrom([], [], [500]) }),
      { minLength: 1, maxLength: 3 },
    ),
    carried: fc.constantFrom(0, 0, 700),
    rewards: fc.array(
      fc.tuple(
        anyReward,
        fc.constantFrom('normal' as const, 'normal', 'stackable', 'exclusive'),
        fc.constantFrom('replace' as const, 'add', 'keep'),
        fc.constantFrom(0, 0, 2),
      ),
      { minLength: 2, maxLength: 4 },
    ),
  })
  .map(({ lines, carried, rewards }) => ({
    basket: aBasket(
      lines.map((line) => ({
        ...line,
        allocations: { ...(carried > 0 ? { o: carried } : {}) } as Record<string, number>,
      })),
    ),
    benefits: rewards.map(([reward, combination, mode, maximum], at): Benefit => {
      const isStack = ['line_percentage', 'line_amount', 'order_amount', 'order_percentage'].includes(reward.kind)
      const onUnits = !reward.kind.startsWith('order') && combination !== 'stackable'
      const isPerLine = reward.kind === 'line_amount' && reward.per === 'line'
      const limit = { limitId: `l${at}`, scope: 'everyone', period: 'ever', maximum } as const
      return aBenefit(`b${at}`, reward, {
        combination: combination === 'stackable' && !isStack ? 'normal' : combination,
        existingDiscounts: reward.kind === 'price_override' && mode === 'add' ? 'replace' : mode,
        limits: maximum === 0 ? [] : [{ ...limit, counts: onUnits && !isPerLine ? 'units' : 'baskets' }],
      })
    }),
  }))
