import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme, aVenue, type JsonObject } from './a-programme.js'

/** Without those on names that selectors list: lint-names.test.ts has them. */
function warningsOf(...benefits: JsonObject[]): [string, string][] {
  const products: JsonObject[] = [
    { productId: 'p-1', name: 'One', unitPrice: 1000 },
    { productId: 'p-2', name: 'Two', unitPrice: 500, productMasterId: 'm-2', productGroupId: 'g' },
    { productId: 'p-3', name: 'Deposit', unitPrice: 200, noDiscount: true },
  ]
  const numbered = benefits.map((benefit, at) => ({ ...benefit, benefitId: benefit['benefitId'] ?? `b-${at}` }))
  const read = readProgramme(JSON.stringify({ ...aProgramme(...numbered), venues: [aVenue({ products })] }))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  const named = read.warnings.filter(({ path, word }) => {
    return word !== 'amount_below_one' && !/\.select(\.not)*\.\w+$/.test(path)
  })
  return named.map((warning) => [warning.word, warning.path])
}

const off = (percentage: number, fields: JsonObject = {}): JsonObject => ({
  text: 't',
  reward: { kind: 'line_percentage', percentage },
  ...fields,
})
const rewarded = (reward: JsonObject, fields: JsonObject = {}): JsonObject => ({ text: 't', reward, ...fields })
const limit = (limitId: string, scope: string, period: string, counts: string, maximum: number): JsonObject => ({
  limitId,
  scope,
  period,
  counts,
  maximum,
})

t.test('a benefit that can never apply is named', (t) => {
  const never: JsonObject[] = [
    rewarded({ kind: 'line_percentage', select: { not: {} }, percentage: 5 }),
    rewarded({ kind: 'line_percentage', select: { eans: ['a'], not: { eans: ['a', 'b'] } }, percentage: 5 }),
    rewarded({ kind: 'line_amount', amount: 0, per: 'unit' }),
    rewarded({ kind: 'order_amount', amount: 0 }),
    rewarded({ kind: 'order_percentage', percentage: 5, maximumAmount: 0 }),
    rewarded({ kind: 'bundle_price', components: [{ quantity: 1 }, { select: { not: {} }, quantity: 1 }], price: 1 }),
    off(5, { channels: ['web'] }),
    off(5, { conditions: { requires: [{ select: { not: {} }, quantity: 1 }] } }),
    off(5, { conditions: { minimumSpend: { amount: 1, select: { not: {} } } } }),
    rewarded({ kind: 'bundle_discount', components: [{ quantity: 2 }], amount: 0 }),
    rewarded({ kind: 'free_product', productId: 'p-1', quantity: 1, per: { select: { not: {} }, quantity: 1 } }),
    rewarded(
      { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 2, percentage: 50 } },
      { limits: [limit('l', 'member', 'day', 'units', 1)] },
    ),
    off(5, {
      validFrom: '2026-11-23T12:00:00Z',
      validUntil: '2026-11-24T12:00:00Z',
      schedule: [{ days: ['thu', 'fri'], from: '00:00', until: '00:00' }],
    }),
  ]
  for (const benefit of never) t.same(warningsOf(benefit), [['never_applies', 'benefits[0]']], JSON.stringify(benefit))
  t.end()
})

t.test('a benefit that may apply after all is not named', (t) => {
  const perhaps: JsonObject[] = [
    rewarded({ kind: 'line_percentage', select: { eans: ['a', 'c'], not: { eans: ['a', 'b'] } }, percentage: 5 }),
    rewarded({
      kind: 'line_percentage',
      select: { eans: ['a'], not: { eans: ['a'], not: { eans: ['a'] } } },
      percentage: 5,
    }),
    rewarded({ kind: 'line_percentage', select: { eans: ['a'], children: true, not: { eans: ['a'] } }, percentage: 5 }),
    rewarded({ kind: 'line_percentage', select: { productIds: ['a'], not: { eans: ['a'] } }, percentage: 5 }),
    off(5, { channels: ['web', 'mpos'] }),
    off(5, { conditions: { minimumSpend: { amount: 0, select: { not: {} } } } }),
    off(5, {
      validFrom: '2026-11-23T12:00:00Z',
      validUntil: '2026-11-24T12:00:00Z',
      schedule: [{ days: ['sun'], from: '22:00', until: '02:00' }],
    }),
    off(5, {
      validFrom: '2026-11-23T12:00:00Z',
      validUntil: '2026-12-24T12:00:00Z',
      schedule: [{ days: ['fri'], from: '22:00', until: '02:00' }],
    }),
  ]
  for (const benefit of perhaps) t.same(warningsOf(benefit), [], JSON.stringify(benefit))
  t.end()
})

t.test('a benefit that another one beats wherever it applies is named', (t) => {
  const beaten = [['always_beaten', 'benefits[1]']]
  t.same(warningsOf(off(20), off(10)), beaten)
  t.same(warningsOf(off(20), off(10, { venueIds: ['v-1'], audience: { tiers: ['gold'] } })), beaten)
  t.same(
    warningsOf(off(20, { validUntil: '2027-01-01T00:00:00Z' }), off(10, { validUntil: '2026-01-01T00:00:00Z' })),
    beaten,
  )
  t.same(warningsOf(off(10, { priority: 1 }), off(10)), beaten)
  t.same(warningsOf(off(20, { group: 'g' }), off(10, { group: 'g' })), beaten)
  t.same(warningsOf(off(20), off(10, { group: 'g' })), beaten)
  t.same(
    warningsOf(rewarded({ kind: 'order_amount', amount: 5 }), rewarded({ kind: 'order_amount', amount: 4 })),
    beaten,
  )
  t.end()
})

t.test('a benefit is named that another one beats on more lines, for more members or from less spend on', (t) => {
  const beaten = [['always_beaten', 'benefits[1]']]
  const on = (percentage: number, select: JsonObject) => rewarded({ kind: 'line_percentage', select, percentage })
  const spending = (percentage: number, amount: number, select: JsonObject = {}) =>
    off(percentage, { conditions: { minimumSpend: { amount, select }, requires: [{ quantity: amount / 100 }] } })
  const few = { productGroupIds: ['g'], productIds: ['p-1'] }
  t.same(warningsOf(off(20), on(10, few)), beaten)
  t.same(warningsOf(off(10), on(10, few)), beaten)
  t.same(warningsOf(on(20, { productIds: ['a', 'b'] }), on(10, { productIds: ['b', 'a'] })), beaten)
  t.same(
    warningsOf(off(20, { audience: { tiers: ['gold', 'silver'] } }), off(10, { audience: { tiers: ['gold'] } })),
    beaten,
  )
  t.same(warningsOf(spending(20, 100), spending(10, 200)), beaten)
  const audiences: readonly (readonly [wide: JsonObject, narrow: JsonObject])[] = [
    [{ visits: { from: 1 } }, { visits: { from: 1, to: 5 } }],
    [{ visits: { to: 9 } }, { visits: { from: 2, to: 5 } }],
    [{ birthday: { daysBefore: 2, daysAfter: 3 } }, { birthday: { daysBefore: 2, daysAfter: 2 } }],
    [{ anniversary: { daysBefore: 2, daysAfter: 3 } }, { anniversary: { daysBefore: 1, daysAfter: 3 } }],
    [{ joinedWithinDays: 30 }, { joinedWithinDays: 7 }],
    [{}, { lastVisit: { atLeastDays: 60 } }],
    [{ lastVisit: { atLeastDays: 60 } }, { lastVisit: { atLeastDays: 60 }, visits: { from: 1 } }],
  ]
  const beatenIn = (...benefits: JsonObject[]) =>
    warningsOf(...benefits).filter(([word]) => word !== 'birthday_without_limit')
  for (const [wide, narrow] of audiences) {
    t.same(beatenIn(off(20, { audience: wide }), off(10, { audience: narrow })), beaten)
    t.same(beatenIn(off(20, { audience: narrow }), off(10, { audience: wide })), [], JSON.stringify(wide))
    t.same(beatenIn(off(20, { audience: narrow }), off(10)), [])
  }
  t.same(warningsOf(spending(20, 200), spending(10, 100)), [])
  t.same(warningsOf(spending(20, 100, few), spending(10, 200)), [])
  t.same(warningsOf(on(20, few), off(10)), [])
  t.same(warningsOf(off(10, { benefitId: 'z' }), on(10, few)), [], 'in baskets of nothing else the smaller id wins')
  t.end()
})

t.test('a benefit that leaves something for another of higher priority is not named as beaten', (t) => {
  const amounts = [50, 30].map((amount) => rewarded({ kind: 'line_amount', amount, per: 'unit' }))
  const voucher = (priority: number) =>
    rewarded({ kind: 'order_amount', amount: 20 }, { priority, combination: 'stackable' })
  t.same(warningsOf(...amounts, voucher(1)), [])
  t.same(warningsOf(...amounts, voucher(0)), [['always_beaten', 'benefits[1]']])
  t.end()
})

t.test('a benefit that wins or ties somewhere is not named as beaten', (t) => {
  t.same(warningsOf(off(20, { limits: [limit('l', 'member', 'day', 'baskets', 1)] }), off(10)), [])
  t.same(warningsOf(off(20, { venueIds: ['v-1'] }), off(10)), [])
  t.same(warningsOf(off(20, { audience: { tiers: ['gold'] } }), off(10)), [])
  t.same(warningsOf(off(20, { benefitId: 'z' }), off(10)), [])
  t.same(warningsOf(off(20, { existingDiscounts: 'keep' }), off(10)), [])
  t.same(warningsOf(off(20, { group: 'g' }), off(10)), [])
  t.same(warningsOf(off(20, { group: 'g' }), off(10, { group: 'h' })), [])
  t.same(warningsOf(off(20, { combination: 'stackable' }), off(10, { combination: 'stackable' })), [])
  t.same(warningsOf(rewarded({ kind: 'order_percentage', percentage: 20, maximumAmount: 5 }), off(10)), [])
  t.same(warningsOf(rewarded({ kind: 'line_percentage', percentage: 20, maximumUnits: 6 }), off(10)), [])
  t.end()
})

t.test('a priority that cannot help, and a sequence of what does not stack, are named', (t) => {
  t.same(warningsOf(off(20), off(10, { priority: 1 })), [['priority_without_effect', 'benefits[1].priority']])
  t.same(warningsOf(off(20, { priority: 1 }), off(10, { priority: 1 })), [])
  t.same(warningsOf(off(20, { limits: [limit('l', 'member', 'day', 'baskets', 1)] }), off(10, { priority: 1 })), [])
  t.same(warningsOf(off(20, { sequence: 1 })), [['sequence_without_effect', 'benefits[0].sequence']])
  t.same(warningsOf(off(20, { sequence: 1, combination: 'stackable' })), [])
  t.end()
})

t.test('two alike between which only the benefitId decides are named once', (t) => {
  const tie = [['tie_by_benefit_id', 'benefits[1]']]
  t.same(warningsOf(off(10), off(10)), tie)
  t.same(warningsOf(off(10, { benefitId: 'z' }), off(10, { benefitId: 'a' })), [['tie_by_benefit_id', 'benefits[0]']])
  t.same(warningsOf(off(10, { benefitId: 'z' }), off(10, { benefitId: 'a', venueIds: ['v-1'] })), tie)
  t.same(warningsOf(off(10, { priority: 5 }), off(10, { priority: 5 })), tie)
  t.same(warningsOf(off(10), off(10, { combination: 'stackable' })), [])
  t.end()
})

t.test('a price that is not below the list price is named', (t) => {
  const price = (kind: string, unitPrice: number, select: JsonObject = {}) =>
    warningsOf(rewarded({ kind, unitPrice, select })).map(([word]) => word)
  t.same(price('price_override', 1000, { productIds: ['p-1'] }), ['price_not_below_list'])
  t.same(price('price_override', 501, { productMasterIds: ['m-2'] }), ['price_not_below_list'])
  t.same(price('member_price', 501, { productGroupIds: ['g'] }), ['price_not_below_list'])
  t.same(price('price_override', 999, { productIds: ['p-1', 'p-2'] }), [], 'p-2 keys on its productMasterId')
  t.same(price('price_override', 499), [], 'lines without discount do not count')
  t.same(warningsOf(rewarded({ kind: 'price_override', unitPrice: 2000 }, { venueIds: ['elsewhere'] })), [])
  t.end()
})

t.test('a free product that no price list has is named', (t) => {
  const free = (productId: string, fields: JsonObject = {}) =>
    warningsOf(rewarded({ kind: 'free_product', productId, quantity: 1 }, fields))
  t.same(free('p-9'), [['product_unknown', 'benefits[0].reward.productId']])
  t.same(free('p-1', { venueIds: ['elsewhere'] }), [], 'the price list of another venue is not known')
  t.same(free('p-1'), [])
  t.end()
})

t.test('a limit that another one keeps from being reached is named', (t) => {
  const limited = (reward: JsonObject, ...limits: JsonObject[]) => warningsOf(rewarded(reward, { limits }))
  const percentage = { kind: 'line_percentage', percentage: 5 }
  const second = [['limit_never_reached', 'benefits[0].limits[1]']]
  const one = limit('a', 'everyone', 'ever', 'units', 5)
  t.same(limited(percentage, one, limit('b', 'member', 'day', 'units', 6)), second)
  t.same(limited(percentage, one, limit('b', 'venue', 'month', 'baskets', 6)), second)
  t.same(limited(percentage, one, limit('b', 'member', 'day', 'units', 5)), [], 'reached at the same time')
  t.same(limited(percentage, limit('a', 'member', 'ever', 'units', 5), limit('b', 'everyone', 'day', 'units', 6)), [])
  t.same(limited(percentage, limit('a', 'member', 'month', 'units', 5), limit('b', 'member', 'week', 'units', 6)), [])
  t.same(limited(percentage, limit('a', 'member', 'day', 'baskets', 1), limit('b', 'member', 'day', 'units', 900)), [])
  t.same(
    limited(percentage, limit('a', 'member', 'year', 'units', 5), limit('b', 'member', 'month', 'units', 6)),
    second,
  )
  t.same(limited(percentage, limit('a', 'member', 'year', 'units', 5), limit('b', 'member', 'week', 'units', 6)), [])
  const bundle = { kind: 'bundle_price', components: [{ quantity: 1 }], price: 1, maximumTimes: 3 }
  const baskets = limit('a', 'member', 'day', 'baskets', 2)
  t.same(limited(bundle, baskets, limit('b', 'member', 'day', 'units', 7)), second)
  t.same(limited(bundle, baskets, limit('b', 'member', 'day', 'units', 6)), [])
  const capped = { ...percentage, maximumAmount: 500 }
  t.same(limited(capped, baskets, limit('b', 'member', 'day', 'amount', 1001)), second)
  t.same(limited(capped, baskets, limit('b', 'member', 'day', 'amount', 1000)), [])
  t.same(limited(percentage, baskets, limit('b', 'member', 'day', 'amount', 1_000_000)), [])
  t.same(limited({ kind: 'order_amount', amount: 300 }, baskets, limit('b', 'member', 'day', 'amount', 601)), second)
  const perUnit = { kind: 'line_amount', amount: 300, per: 'unit' }
  t.same(limited(perUnit, one, limit('b', 'everyone', 'ever', 'amount', 1501)), second)
  t.same(limited(perUnit, one, limit('b', 'everyone', 'ever', 'amount', 1500)), [])
  t.same(limited(perUnit, baskets, limit('b', 'member', 'day', 'amount', 9000)), [], 'any units in a basket')
  const six = { ...percentage, maximumUnits: 6 }
  t.same(limited(six, baskets, limit('b', 'member', 'day', 'units', 13)), second)
  t.same(limited(six, baskets, limit('b', 'member', 'day', 'units', 12)), [])
  t.same(limited({ ...perUnit, maximumUnits: 6 }, baskets, limit('b', 'member', 'day', 'amount', 3601)), second)
  const money = limit('a', 'member', 'day', 'amount', 20)
  t.same(limited(percentage, money, limit('b', 'member', 'day', 'baskets', 21)), second)
  t.same(limited(percentage, money, limit('b', 'member', 'day', 'units', 21)), [], 'a unit may take less than 1')
  t.end()
})

t.test('products that no price list has are named once, with their number', (t) => {
  const listed = [{ productId: 'p-1', name: 'One', unitPrice: 1000 }]
  const warned = (productIds: string[], products: JsonObject[] = listed) => {
    const benefits = productIds.map((productId, at) =>
      aBenefit({ benefitId: `b-${at}`, reward: { kind: 'free_product', productId, quantity: 1 } }),
    )
    const read = readProgramme(JSON.stringify({ ...aProgramme(...benefits), venues: [aVenue({ products })] }))
    if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
    return read.warnings
  }
  const [first, ...others] = warned(['p-8', 'p-9', 'p-7'])
  t.match(first, { path: 'benefits[0].reward.productId', word: 'product_unknown' })
  t.match(first?.message, /p-8 .*; and at 2 more places$/)
  t.same(others, [])
  t.match(warned(['p-8', 'p-9'])[0]?.message, /; and at 1 more place$/)
  t.same(warned(['p-8', 'p-9'], []), [], 'without a price list nothing is known')
  t.end()
})

t.test('an amount off the order below one of the currency is named', (t) => {
  const words = (amount: number, fields: JsonObject = {}, currency = 'NOK') => {
    const benefit = aBenefit({ reward: { kind: 'order_amount', amount, ...fields } })
    const document = { ...aProgramme(benefit), venues: [aVenue({ currency })] }
    const read = readProgramme(JSON.stringify(document))
    return read.kind === 'read' ? read.warnings.map(({ path, word }) => [word, path]) : read.faults
  }
  t.same(words(99), [['amount_below_one', 'benefits[0].reward.amount']])
  t.same(words(100), [])
  t.same(words(10, { maximumTimes: 9 }), [['amount_below_one', 'benefits[0].reward.amount']])
  t.same(words(10, { maximumTimes: 10 }), [])
  t.same(words(25, {}, 'JPY'), [])
  t.same(words(999, {}, 'KWD'), [['amount_below_one', 'benefits[0].reward.amount']])
  t.end()
})

t.test('costs without worth are a warning, and a benefit that costs beats none', (t) => {
  const costs = { currencyId: 'stamps', amount: 1, per: 'unit' }
  const wordsOf = (...benefits: JsonObject[]) => {
    const currencies = [{ currencyId: 'stamps', name: 'Stamps' }]
    const named = benefits.map((benefit, at) => ({ ...aBenefit({ benefitId: `b-${at}` }), ...benefit }))
    const read = readProgramme(JSON.stringify({ ...aProgramme(...named), currencies }))
    return read.kind === 'read' ? read.warnings.map(({ path, word }) => [path, word]) : read.faults
  }
  t.same(wordsOf({ costs }), [['benefits[0].costs', 'cost_without_worth']])
  t.same(wordsOf({ costs: { ...costs, worth: 0 } }), [['benefits[0].costs', 'cost_without_worth']])
  const worthy = { ...costs, worth: 1 }
  t.same(wordsOf({ costs: worthy }), [])
  const off = (reward: JsonObject, worth: number, per: string) => wordsOf({ reward, costs: { ...costs, per, worth } })
  const near = [['benefits[0].costs.worth', 'worth_near_value']]
  const kroner = { reward: { kind: 'order_amount', amount: 100, maximumTimes: 9 } }
  const points = { ...aBenefit(kroner), costs: { ...costs, per: 'times', worth: 99 } }
  const said = readProgramme(
    JSON.stringify({ ...aProgramme(points), currencies: [{ currencyId: 'stamps', name: 'Stamps' }] }),
  )
  t.match(said, {
    warnings: [
      { message: 'worth 99 is so near to the 100 that it buys that a card is spent to save 1: write 80, four fifths' },
    ],
  })
  const krone = { kind: 'order_amount', amount: 100, maximumTimes: 100 }
  const pair = { kind: 'bundle_discount', components: [{ quantity: 2 }], amount: 1000 }
  for (const [reward, value, per] of [
    [krone, 100, 'times'],
    [{ kind: 'order_amount', amount: 4000 }, 4000, 'basket'],
    [pair, 1000, 'times'],
    [{ kind: 'line_amount', amount: 500, per: 'unit' }, 500, 'unit'],
  ] as const) {
    t.same(off(reward, value * 0.8, per), [])
    t.same(off(reward, value * 0.8 + 1, per), near)
    t.same(off(reward, value - 1, per), near)
    t.same(off(reward, value, per), [['benefits[0]', 'never_applies']])
  }
  const dearer = { reward: { kind: 'line_percentage', percentage: 50 }, costs: worthy }
  t.same(wordsOf(dearer, {}), [])
  t.same(wordsOf({}, { costs: worthy }), [['benefits[1]', 'always_beaten']])
  t.end()
})

t.test('a gift around a birthday without a limit of each member is named', (t) => {
  const words = (...limits: JsonObject[]) =>
    ['birthday', 'anniversary'].map((date) =>
      warningsOf(
        off(50, { audience: { [date]: { daysBefore: 4, daysAfter: 4 } }, ...(limits.length > 0 && { limits }) }),
      ),
    )
  const named = [['birthday_without_limit', 'benefits[0]']]
  t.same(words(), [named, named])
  t.same(words(limit('l', 'everyone', 'day', 'units', 5)), [named, named])
  t.same(words(limit('l', 'member', 'birthday', 'baskets', 1)), [[], []])
  t.same(warningsOf(off(50, { audience: { joinedWithinDays: 9 } })), [])
  t.end()
})

t.test('a discount that a kept basket would not get is a warning if returns are refunded as paid', (t) => {
  const wordsOf = (policy: string, benefit: JsonObject) => {
    const read = readProgramme(JSON.stringify({ ...aProgramme({ ...aBenefit(), ...benefit }), returns: { policy } }))
    return read.kind === 'read' ? read.warnings.map(({ path, word }) => [path, word]) : read.faults
  }
  const warned = [['benefits[0]', 'returned_as_paid']]
  const pair = { reward: { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: 50 } } }
  const threshold = { conditions: { minimumSpend: { amount: 100 } } }
  for (const benefit of [pair, threshold]) {
    t.same(wordsOf('as_paid', benefit), warned)
    t.same(wordsOf('reprice', benefit), [])
  }
  t.same(wordsOf('as_paid', {}), [])
  t.end()
})

t.test('ten thousand equal benefits are compared without comparing every pair', (t) => {
  const many = Array.from({ length: 10_000 }, (_, at) => off(10 + (at % 50)))
  t.ok(warningsOf(...many).length > 9_000)
  t.end()
})
