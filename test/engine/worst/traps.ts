import { fc } from '../../support/seeded.js'

/** A programme with one trap in it, and how it shows. */
export interface Trapped {
  readonly document: Doc
  /** Benefits of which a finding must name one; empty: any. */
  readonly benefitIds: readonly string[]
  readonly guardId: string | null
}

type Doc = Readonly<Record<string, unknown>> & { readonly benefits: readonly Benefit[] }
type Benefit = Readonly<Record<string, unknown>> & { readonly benefitId: string }

type Dice = (from: number, to: number) => number

/** Numbers of a programme: the same for the same seed. */
export function diceOf(seed: number): Dice {
  let at = 0
  const [numbers] = fc.sample(fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 200, maxLength: 200 }), {
    seed,
    numRuns: 1,
  })
  return (from, to) => from + Math.floor(numbers![at++ % numbers!.length]! * (to - from + 1))
}

const groups = ['coffee', 'bakery', 'bread', 'gear', 'tea'] as const

/** A shop without a trap: a price list and some benefits as merchants write them. */
export function cleanShop(dice: Dice): Doc {
  const products = Array.from({ length: 24 }, (_, at) => ({
    productId: `p${at}`,
    name: `${groups[at % groups.length]} ${at}`,
    unitPrice: at % groups.length === 3 ? dice(90, 900) * 1_000 : dice(25, 90) * 100,
    productGroupId: groups[at % groups.length]!,
  }))
  const flagged = [
    { productId: 'bag', name: 'Carrier bag', unitPrice: 200, productGroupId: 'bags', noDiscount: true },
    { productId: 'gift-card', name: 'Gift card', unitPrice: 50_000, productGroupId: 'gift-cards', noDiscount: true },
  ]
  const pool: readonly Benefit[] = [
    { benefitId: 'tea-10', text: 'Tea', reward: { kind: 'line_percentage', percentage: dice(5, 15), select: group('tea') } },
    { benefitId: 'order-50', text: 'Order', conditions: { minimumSpend: { amount: 60_000 } }, reward: { kind: 'order_amount', amount: 5_000 } },
    {
      ...{ benefitId: 'buns-3-for-2', text: 'Buns' },
      reward: {
        ...{ kind: 'buy_get', sameProduct: true },
        buy: { select: group('bakery'), quantity: 2 },
        get: { select: group('bakery'), quantity: 1, percentage: 100 },
      },
    },
    { benefitId: 'coffee-price', text: 'Coffee', reward: { kind: 'line_amount', amount: 500, per: 'unit', select: group('coffee') } },
    {
      ...{ benefitId: 'happy-hour', text: 'Happy hour' },
      schedule: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '15:00', until: '17:00' }],
      reward: { kind: 'line_percentage', percentage: dice(20, 30), select: group('bakery') },
    },
    { benefitId: 'bread-volume', text: 'Bread', reward: { kind: 'volume_percentage', select: group('bread'), tiers: [{ quantity: 3, percentage: 10 }] } },
  ]
  return {
    venues: [
      {
        ...{ venueId: 'oslo', name: 'Oslo', environment: 'staging', currency: 'NOK', timeZone: 'Europe/Oslo', baxIds: ['1'] },
        products: [...products, ...flagged],
      },
    ],
    currencies: [{ currencyId: 'stamps', name: 'Stamps' }],
    benefits: pool.filter(() => dice(0, 2) > 0),
  }
}

function group(productGroupId: string) {
  return { productGroupIds: [productGroupId] }
}

function planted(shop: Doc, ...benefits: readonly Benefit[]): Trapped {
  const benefitIds = benefits.map(({ benefitId }) => benefitId)
  return { document: { ...shop, benefits: [...shop.benefits, ...benefits] }, benefitIds, guardId: null }
}

const trap = { benefitId: 'trap', text: 'Trap' }

/** The fifteen traps, as a merchant falls into them. */
export const traps: Readonly<Record<string, (shop: Doc, dice: Dice) => Trapped>> = {
  'excluded goods as bought': (shop) =>
    planted(shop, {
      ...trap,
      reward: {
        kind: 'buy_get',
        buy: { select: { includeNoDiscount: true }, quantity: 2 },
        get: { quantity: 1, percentage: 100 },
      },
    }),
  'a threshold that defeats itself': (shop, dice) =>
    planted(shop, {
      ...trap,
      conditions: { minimumSpend: { amount: dice(20, 60) * 1_000 } },
      reward: { kind: 'order_percentage', percentage: dice(30, 50) },
    }),
  'free with a bag': (shop) =>
    planted(shop, {
      ...trap,
      conditions: { requires: [{ select: { ...group('bags'), includeNoDiscount: true }, quantity: 1 }] },
      reward: { kind: 'line_percentage', percentage: 100, select: group('gear'), maximumUnits: 1 },
    }),
  'a gift ladder that adds up': (shop, dice) =>
    planted(
      shop,
      ...[1, 2, 3].map((step) => ({
        ...{ benefitId: `trap-${step}`, text: `Gift ${step}` },
        conditions: { minimumSpend: { amount: step * dice(5, 8) * 1_000 } },
        reward: { kind: 'free_product', productId: `p${step}`, quantity: 1 },
      })),
    ),
  'two stackables to everything': (shop) =>
    planted(
      shop,
      ...['trap-a', 'trap-b'].map((benefitId) => ({
        ...{ benefitId, text: benefitId, combination: 'stackable' },
        reward: { kind: 'line_amount', amount: 4_500, per: 'unit', select: group('coffee') },
      })),
    ),
  'an override below cost': (shop, dice) =>
    planted(shop, { ...trap, reward: { kind: 'price_override', unitPrice: dice(1, 5) * 100, select: group('gear') } }),
  'stamps worth more than the coffee': (shop) => ({
    ...planted(shop, {
      ...trap,
      costs: { currencyId: 'stamps', amount: 2, per: 'unit' },
      reward: { kind: 'line_percentage', percentage: 100, select: group('gear'), maximumUnits: 1 },
    }),
    document: {
      ...planted(shop, {
        ...trap,
        costs: { currencyId: 'stamps', amount: 2, per: 'unit' },
        reward: { kind: 'line_percentage', percentage: 100, select: group('gear'), maximumUnits: 1 },
      }).document,
      earning: [{ ruleId: 'trap-rule', currencyId: 'stamps', give: 1, per: { units: 1 }, select: group('coffee') }],
    },
    benefitIds: ['trap-rule'],
  }),
  'a birthday each day': (shop) =>
    planted(shop, {
      ...trap,
      audience: { birthday: { daysBefore: 4, daysAfter: 4 } },
      reward: { kind: 'free_product', productId: 'p1', quantity: 1 },
    }),
  "a night's limit at midnight": (shop) =>
    planted(shop, {
      ...trap,
      schedule: [{ days: ['fri', 'sat'], from: '20:00', until: '03:00' }],
      limits: [{ limitId: 'night', scope: 'member', period: 'day', counts: 'units', maximum: 1 }],
      reward: { kind: 'line_percentage', percentage: 100, select: group('coffee') },
    }),
  'a currency mix': (shop, dice) => {
    const { document, ...rest } = planted(shop, { ...trap, reward: { kind: 'order_amount', amount: dice(40, 80) * 100 } })
    const [oslo] = document['venues'] as readonly { readonly products: readonly { readonly unitPrice: number }[] }[]
    const products = oslo!.products.map((product) => ({ ...product, unitPrice: Math.ceil(product.unitPrice / 11) }))
    const helsinki = { ...oslo, venueId: 'helsinki', name: 'Helsinki', currency: 'EUR', timeZone: 'Europe/Helsinki', baxIds: ['2'], products }
    return { ...rest, document: { ...document, venues: [oslo, helsinki] } }
  },
  'a wrong minor unit': (shop, dice) =>
    planted(shop, {
      ...trap,
      conditions: { minimumSpend: { amount: dice(3, 9) * 100 } },
      reward: { kind: 'order_amount', amount: dice(40, 80) * 100 },
    }),
  'a group listed twice': (shop) =>
    planted(
      shop,
      ...['trap-a', 'trap-b'].map((benefitId) => ({
        ...{ benefitId, text: benefitId, combination: 'stackable' },
        reward: { kind: 'line_percentage', percentage: 50, select: group('bread') },
      })),
    ),
  'a discounted guarded product': (shop, dice) => ({
    ...planted(shop, { ...trap, reward: { kind: 'order_percentage', percentage: dice(5, 20) } }),
    document: {
      ...planted(shop, { ...trap, reward: { kind: 'order_percentage', percentage: dice(5, 20) } }).document,
      guards: [{ guardId: 'gear', select: group('gear'), never: 'discounted' }],
    },
    guardId: 'gear',
  }),
  'split receipts': (shop, dice) =>
    planted(shop, { ...trap, conditions: { minimumSpend: { amount: 3_000 } }, reward: { kind: 'order_amount', amount: dice(10, 20) * 100 } }),
  'an order discount on what is free': (shop) =>
    planted(
      shop,
      { benefitId: 'trap-gift', text: 'Gift', combination: 'stackable', reward: { kind: 'line_percentage', percentage: 90, select: group('tea') } },
      { benefitId: 'trap-order', text: 'Order', combination: 'stackable', reward: { kind: 'order_percentage', percentage: 50 } },
    ),
}
