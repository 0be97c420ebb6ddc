import { aBenefit, aProgramme, aVenue, type Json, type JsonObject } from './a-programme.js'

/** A programme with every field and every reward. */
export const rich: JsonObject = {
  $schema: './programme.schema.json',
  description: 'Every field.',
  metadata: { owner: 'CRM', parts: [1, null] },
  currencies: [
    { currencyId: 'stamps', name: 'Stamps' },
    {
      currencyId: 'kroner',
      name: 'Bonus kroner',
      scale: 2,
      opensAfterDays: 27,
      expires: { afterMonths: 1 },
      onReturn: 'debt',
    },
    { currencyId: 'points', name: 'Points', opensAfterDays: 1, expires: { afterDays: 2, atEndOf: 'week' } },
  ],
  collections: [
    {
      collectionId: 'own',
      name: 'Our own brand',
      select: {
        productMasterIds: ['m'],
        fields: { brand: ['acme', 1.5, true] },
        fullPrice: false,
        not: { eans: ['e'] },
      },
    },
    { collectionId: 'all', select: {} },
  ],
  earning: [
    {
      ruleId: 'r-1',
      currencyId: 'kroner',
      give: 5,
      per: { amount: 10000 },
      select: { productGroupIds: ['g'], not: { eans: ['e'] } },
      includeNoDiscount: true,
      minimumSpend: { amount: 100, select: {} },
      cooldownMinutes: 60,
      maximum: { amount: 500, period: 'week' },
      multipliers: [
        {
          audience: { tiers: ['gold'], segments: ['student'], memberIds: ['m-1'] },
          schedule: [{ days: ['mon', 'sun'], from: '22:00', until: '02:00' }],
          factor: '1.5',
        },
        { factor: '100.0000' },
      ],
      audience: {
        tiers: ['gold'],
        segments: ['student'],
        memberIds: ['m-2'],
        visits: { from: 1, to: 2 },
        birthday: { daysBefore: 0, daysAfter: 366 },
        anniversary: { daysBefore: 366, daysAfter: 0 },
        joinedWithinDays: 0,
        lastVisit: { atLeastDays: 30, atMostDays: 60 },
        balances: [
          { currencyId: 'stamps', from: 5, to: 9 },
          { currencyId: 'points', to: 0 },
        ],
      },
      venueIds: ['v-1'],
      channels: ['pos', 'mpos'],
      schedule: [{ days: ['mon', 'sun'], from: '22:00', until: '02:00' }],
      validFrom: '2026-01-01T00:00:00+01:00',
      validUntil: '2026-02-01T00:00:00+01:00',
    },
    { ruleId: 'r-2', currencyId: 'stamps', give: 1, per: { units: 1 } },
    { ruleId: 'r-3', currencyId: 'stamps', give: 1, per: 'visit' },
  ],
  tiers: [
    { tierId: 'silver', rank: 1, currencyId: 'stamps', amount: 10, windowMonths: 12, keepMonths: 0 },
    { tierId: 'gold', rank: 2, currencyId: 'stamps', amount: 100, windowMonths: 12, keepMonths: 3 },
  ],
  exchanges: [
    {
      exchangeId: 'stamps-kroner',
      from: { currencyId: 'stamps', amount: 10 },
      to: { currencyId: 'kroner', amount: 500 },
      validDays: 90,
    },
  ],
  ...aProgramme(
    aBenefit({
      campaign: 'Autumn',
      priority: -3,
      sequence: 2,
      group: 'ladder',
      validFrom: '2026-01-01T00:00:00+01:00',
      validUntil: '2026-02-01T00:00:00+01:00',
      schedule: [{ days: ['mon', 'sun'], from: '22:00', until: '02:00' }],
      venueIds: ['v-1'],
      channels: ['pos', 'mpos'],
      audience: { tiers: ['gold'], segments: ['student'], memberIds: ['m-1'] },
      conditions: {
        minimumSpend: { amount: 100, select: {} },
        requires: [
          { select: { eans: ['e'], collections: ['own', 'all'] }, quantity: 2 },
          { quantity: 2.125, measure: true },
        ],
      },
      existingDiscounts: 'keep',
      combination: 'normal',
      reward: {
        kind: 'line_percentage',
        select: {
          productIds: ['p-1'],
          fields: { organic: [true, false], shelf: [7] },
          fullPrice: true,
          includeNoDiscount: false,
          children: true,
          not: { productGroupIds: ['g'], not: { productMasterIds: ['m'] } },
        },
        percentage: 33.3333,
        maximumAmount: 500,
      },
      limits: [{ limitId: 'l-1', scope: 'member', period: 'day', counts: 'units', maximum: 5 }],
      enabled: true,
      description: 'A note.',
      metadata: { budget: 1.5 },
    }),
    aBenefit({
      benefitId: 'b-2',
      reward: { kind: 'line_amount', amount: 100, per: 'unit' },
      costs: { currencyId: 'stamps', amount: 10, per: 'unit', worth: 100 },
    }),
    aBenefit({ benefitId: 'b-3', reward: { kind: 'member_price', unitPrice: 900, maximumUnits: 6 } }),
    aBenefit({
      benefitId: 'b-4',
      audience: { birthday: { daysBefore: 4, daysAfter: 4 } },
      reward: { kind: 'price_override', unitPrice: 900 },
      limits: [
        { limitId: 'l-4', scope: 'member', period: 'birthday', counts: 'baskets', maximum: 1 },
        { limitId: 'l-5', scope: 'everyone', period: 'year', counts: 'baskets', maximum: 500 },
      ],
    }),
    aBenefit({
      benefitId: 'b-5',
      reward: {
        kind: 'volume_percentage',
        tiers: [
          { quantity: 2, percentage: 5 },
          { quantity: 4, percentage: 10 },
        ],
        measure: false,
      },
    }),
    aBenefit({
      benefitId: 'b-6',
      reward: {
        kind: 'buy_get',
        buy: { quantity: 2 },
        get: { quantity: 1, percentage: 100 },
        maximumTimes: 3,
        sameProduct: true,
      },
      costs: { currencyId: 'kroner', amount: 9007199254740991, per: 'times' },
    }),
    aBenefit({
      benefitId: 'b-7',
      reward: {
        kind: 'bundle_price',
        components: [{ quantity: 1 }, { quantity: 2 }],
        price: 0,
        maximumTimes: 1,
        sameProduct: false,
      },
    }),
    aBenefit({ benefitId: 'b-8', reward: { kind: 'order_percentage', percentage: 100, maximumAmount: 1 } }),
    aBenefit({
      benefitId: 'b-9',
      reward: { kind: 'order_amount', amount: 9007199254740991 },
      costs: { currencyId: 'points', amount: 1, per: 'basket', worth: 0 },
    }),
    aBenefit({
      benefitId: 'b-10',
      reward: { kind: 'free_product', productId: 'p-1', quantity: 1, per: { select: {}, quantity: 3 } },
    }),
    aBenefit({
      benefitId: 'b-11',
      reward: {
        kind: 'bundle_discount',
        components: [{ select: {}, quantity: 1 }],
        amount: 100,
        maximumTimes: 2,
        sameProduct: true,
      },
      costs: { currencyId: 'points', amount: 1, per: 'times' },
    }),
    aBenefit({
      benefitId: 'b-12',
      reward: { kind: 'bundle_discount', components: [{ quantity: 1 }, { quantity: 2 }], percentage: 12.5 },
    }),
    aBenefit({
      benefitId: 'b-13',
      reward: { kind: 'order_amount', amount: 100, maximumTimes: 50 },
      costs: { currencyId: 'points', amount: 1, per: 'times', worth: 80 },
    }),
  ),
  venues: [
    aVenue({
      dayStartsAt: '06:00',
      products: [
        { productId: 'p-1', name: 'Product 1', unitPrice: 1000 },
        { productId: 'p-2', name: 'Product 2', unitPrice: 1000, ean: 'e', productGroupId: 'g' },
        { productId: 'p-3', name: 'Product 3', unitPrice: 1000, productMasterId: 'm' },
      ],
    }),
  ],
}

/** The path of every value inside a document. */
export function placesIn(value: Json, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([name, inner]) =>
    placesIn(inner, Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`),
  )
  return path === '' ? below : [path, ...below]
}
