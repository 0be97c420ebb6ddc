import type { Reason } from '../../../engine/worst/finding.js'
import { fc } from '../../support/seeded.js'

/** A programme with one trap in it. */
export interface Trapped {
  readonly document: Doc
  /** Benefits and rules of which a finding must name one. */
  readonly trapIds: readonly string[]
}

export interface Trap {
  /** Reasons of which the finding must have one. */
  readonly reasons: readonly Reason[]
  readonly plant: (shop: Doc, dice: Dice) => Trapped
}

type Doc = Readonly<Record<string, unknown>> & { readonly benefits: readonly Benefit[] }
type Benefit = Readonly<Record<string, unknown>> & { readonly benefitId: string }

type Dice = (from: number, to: number) => number

/** Numbers of a programme: the same for the same seed. */
export function diceOf(seed: number): Dice {
  let at = 0
  // Doubles would mostly be next to 0.
  const parts = fc.noBias(fc.array(fc.nat({ max: wholeMax }), { minLength: 200, maxLength: 200 }))
  const [numbers] = fc.sample(parts, { seed, numRuns: 1 })
  return (from, to) => from + Math.floor((numbers![at++ % numbers!.length]! / (wholeMax + 1)) * (to - from + 1))
}

const wholeMax = 999_999

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
    {
      benefitId: 'tea-10',
      text: 'Tea',
      reward: { kind: 'line_percentage', percentage: dice(5, 15), select: group('tea') },
    },
    {
      benefitId: 'order-50',
      text: 'Order',
      conditions: { minimumSpend: { amount: 60_000 } },
      reward: { kind: 'order_amount', amount: 5_000 },
    },
    {
      ...{ benefitId: 'buns-3-for-2', text: 'Buns' },
      reward: {
        ...{ kind: 'buy_get', sameProduct: true },
        buy: { select: group('bakery'), quantity: 2 },
        get: { select: group('bakery'), quantity: 1, percentage: 100 },
      },
    },
    {
      benefitId: 'coffee-price',
      text: 'Coffee',
      reward: { kind: 'line_amount', amount: 500, per: 'unit', select: group('coffee') },
    },
    {
      ...{ benefitId: 'happy-hour', text: 'Happy hour' },
      schedule: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '15:00', until: '17:00' }],
      reward: { kind: 'line_percentage', percentage: dice(20, 30), select: group('bakery') },
    },
    {
      benefitId: 'bread-volume',
      text: 'Bread',
      reward: { kind: 'volume_percentage', select: group('bread'), tiers: [{ quantity: 3, percentage: 10 }] },
    },
  ]
  return {
    venues: [
      {
        ...{
          venueId: 'oslo',
          name: 'Oslo',
          environment: 'staging',
          currency: 'NOK',
          timeZone: 'Europe/Oslo',
          baxIds: ['1'],
        },
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
  const trapIds = benefits.map(({ benefitId }) => benefitId)
  return { document: { ...shop, benefits: [...shop.benefits, ...benefits] }, trapIds }
}

const trap = { benefitId: 'trap', text: 'Trap' }

const ofUnits = (percentage: number, groupId: string) => ({
  kind: 'line_percentage',
  ...{ percentage, select: group(groupId) },
})

/** The fifteen traps, as a merchant falls into them. */
export const traps: Readonly<Record<string, Trap>> = {
  'excluded goods as bought': {
    reasons: ['excluded_goods_count'],
    plant: (shop) =>
      planted(shop, {
        ...trap,
        reward: {
          kind: 'buy_get',
          buy: { select: { includeNoDiscount: true }, quantity: 2 },
          get: { quantity: 1, percentage: 100 },
        },
      }),
  },
  'a threshold that defeats itself': {
    reasons: ['cheaper_with_more'],
    plant: (shop, dice) =>
      planted(shop, {
        ...trap,
        conditions: { minimumSpend: { amount: dice(20, 60) * 1_000 } },
        reward: { kind: 'order_percentage', percentage: dice(30, 50) },
      }),
  },
  'free with a bag': {
    reasons: ['excluded_goods_count'],
    plant: (shop) =>
      planted(shop, {
        ...trap,
        conditions: { requires: [{ select: { ...group('bags'), includeNoDiscount: true }, quantity: 1 }] },
        reward: { ...ofUnits(100, 'gear'), maximumUnits: 1 },
      }),
  },
  'a gift ladder that adds up': {
    reasons: ['gifts_add_up'],
    plant: (shop, dice) =>
      planted(
        shop,
        ...[1, 2, 3].map((step) => ({
          ...{ benefitId: `trap-${step}`, text: `Gift ${step}` },
          conditions: { minimumSpend: { amount: step * dice(5, 8) * 1_000 } },
          reward: { kind: 'free_product', productId: `p${step}`, quantity: 1 },
        })),
      ),
  },
  'two stackables to everything': {
    reasons: ['benefits_add_up', 'amount_near_the_price'],
    plant: (shop) =>
      planted(
        shop,
        ...['trap-a', 'trap-b'].map((benefitId) => ({
          ...{ benefitId, text: benefitId, combination: 'stackable' },
          reward: { kind: 'line_amount', amount: 4_500, per: 'unit', select: group('coffee') },
        })),
      ),
  },
  'an override below cost': {
    reasons: ['price_far_below'],
    plant: (shop, dice) =>
      planted(shop, {
        ...trap,
        reward: { kind: 'price_override', unitPrice: dice(1, 5) * 100, select: group('gear') },
      }),
  },
  'stamps worth more than the coffee': {
    reasons: ['earned_pays_for_itself'],
    plant: (shop) => {
      const { document } = planted(shop, {
        ...trap,
        costs: { currencyId: 'stamps', amount: 2, per: 'unit' },
        reward: { ...ofUnits(100, 'gear'), maximumUnits: 1 },
      })
      const rule = { ruleId: 'trap-rule', currencyId: 'stamps', give: 1, per: { units: 1 }, select: group('coffee') }
      return { document: { ...document, earning: [rule] }, trapIds: ['trap-rule'] }
    },
  },
  'a birthday each day': {
    reasons: ['again_each_day'],
    plant: (shop) =>
      planted(shop, {
        ...trap,
        audience: { birthday: { daysBefore: 4, daysAfter: 4 } },
        reward: { kind: 'free_product', productId: 'p1', quantity: 1 },
      }),
  },
  "a night's limit at midnight": {
    reasons: ['limit_new_at_midnight'],
    plant: (shop) =>
      planted(shop, {
        ...trap,
        schedule: [{ days: ['fri', 'sat'], from: '20:00', until: '03:00' }],
        limits: [{ limitId: 'night', scope: 'member', period: 'day', counts: 'units', maximum: 1 }],
        reward: ofUnits(100, 'coffee'),
      }),
  },
  'a currency mix': {
    reasons: ['amount_of_another_currency'],
    plant: (shop, dice) => {
      const { document, ...rest } = planted(shop, {
        ...trap,
        reward: { kind: 'order_amount', amount: dice(10, 20) * 100 },
      })
      return { ...rest, document: { ...document, venues: [...(document['venues'] as object[]), inEuro(document)] } }
    },
  },
  'a wrong minor unit': {
    reasons: ['amount_near_the_price'],
    plant: (shop, dice) =>
      planted(shop, {
        ...trap,
        conditions: { minimumSpend: { amount: dice(3, 9) * 100 } },
        reward: { kind: 'order_amount', amount: dice(40, 80) * 100 },
      }),
  },
  'a group listed twice': {
    reasons: ['benefits_add_up'],
    plant: (shop) =>
      planted(
        shop,
        ...['trap-a', 'trap-b'].map((benefitId) => ({
          ...{ benefitId, text: benefitId, combination: 'stackable' },
          reward: ofUnits(50, 'bread'),
        })),
      ),
  },
  'a discounted guarded product': {
    reasons: ['guard_broken'],
    plant: (shop, dice) => {
      const { document, trapIds } = planted(shop, {
        ...trap,
        reward: { kind: 'order_percentage', percentage: dice(5, 20) },
      })
      const guard = { guardId: 'gear', select: group('gear'), never: 'discounted' }
      return { document: { ...document, guards: [guard] }, trapIds }
    },
  },
  'split receipts': {
    reasons: ['cheaper_on_two_receipts'],
    plant: (shop, dice) =>
      planted(shop, {
        ...trap,
        conditions: { minimumSpend: { amount: 3_000 } },
        reward: { kind: 'order_amount', amount: dice(10, 20) * 100 },
      }),
  },
  'an order discount on what is free': {
    reasons: ['benefits_add_up'],
    plant: (shop) =>
      planted(
        shop,
        { ...trap, benefitId: 'trap-gift', combination: 'stackable', reward: ofUnits(90, 'tea') },
        {
          ...{ ...trap, benefitId: 'trap-order', combination: 'stackable' },
          reward: { kind: 'order_percentage', percentage: 50 },
        },
      ),
  },
}

/** The shop once more in Helsinki, at a tenth of the prices. */
export function inEuro(document: Doc): object {
  const [oslo] = document['venues'] as readonly { readonly products: readonly { readonly unitPrice: number }[] }[]
  const products = oslo!.products.map((product) => ({ ...product, unitPrice: Math.ceil(product.unitPrice / 11) }))
  const place = { venueId: 'helsinki', name: 'Helsinki', currency: 'EUR', timeZone: 'Europe/Helsinki', baxIds: ['2'] }
  return { ...oslo, ...place, products }
}
