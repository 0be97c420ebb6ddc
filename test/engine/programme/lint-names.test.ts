import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme, aVenue, type JsonObject } from './a-programme.js'

const products: JsonObject[] = [
  { productId: 'water', name: 'Water', unitPrice: 300, productGroupId: 'drinks' },
  { productId: 'deposit', name: 'Deposit', unitPrice: 20, noDiscount: true },
]

function warningsOf(benefit: JsonObject, more: JsonObject = {}): string[] {
  const document = { ...aProgramme({ ...aBenefit(), ...benefit }), venues: [aVenue({ products })], ...more }
  const read = readProgramme(JSON.stringify(document))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  return read.warnings.map(({ path, word, message }) => `${path} ${word}: ${message}`)
}

t.test('an audience of a tier or segment that nobody has, and a group that no list has, are named', async (t) => {
  const members = [{ memberId: 'm', loyaltyIds: ['c'], tier: 'gold', segments: ['staff'] }]
  const audience = { tiers: ['gold', 'glod', 'silver'], segments: ['staff', 'students'] }
  t.same(warningsOf({ audience }, { members }), [
    'benefits[0].audience.tiers tier_unknown: no tier and no member of this document has the tier glod, nor 1 more',
    'benefits[0].audience.segments segment_unknown: no member of this document has the segment students',
  ])
  const select = { productGroupIds: ['drinks'], not: { productGroupIds: ['drniks'] } }
  const found = ['benefits[0] group_unknown: no price list of this document has the product group drniks']
  t.same(warningsOf({ reward: { kind: 'line_percentage', percentage: 5, select } }), found)
  t.same(warningsOf({ conditions: { requires: [{ select: { productGroupIds: ['drniks'] }, quantity: 1 }] } }), found)
})

t.test('what the document says nothing of is not known', async (t) => {
  t.same(warningsOf({ audience: { tiers: ['glod'], segments: ['students'] } }), [])
  const select = { productGroupIds: ['drniks'] }
  t.same(warningsOf({ reward: { kind: 'line_percentage', percentage: 5, select } }, { venues: [] }), [])
})

t.test('a benefit that makes a basket free without asking for anything is named', async (t) => {
  const free = ['benefits[0] basket_free: every basket it applies to is free']
  const water = ['benefits[0] basket_free: a basket of one water at v-1 (300) is free']
  const order = (amount: number) => ({ kind: 'order_amount', amount })
  const rows: readonly (readonly [JsonObject, readonly string[]])[] = [
    [{ reward: { kind: 'line_percentage', percentage: 100 } }, free],
    [{ reward: { kind: 'order_percentage', percentage: 100 } }, free],
    [{ reward: { kind: 'order_percentage', percentage: 100, maximumAmount: 300 } }, water],
    [{ reward: { kind: 'order_percentage', percentage: 100, maximumAmount: 299 } }, []],
    [{ reward: order(300) }, water],
    [{ reward: order(299) }, []],
    [{ reward: { kind: 'line_amount', amount: 300, per: 'unit' } }, water],
    [{ reward: order(300), conditions: { minimumSpend: { amount: 1_000 } } }, []],
    [{ reward: order(300), venueIds: ['elsewhere'] }, []],
    [{ reward: { kind: 'line_percentage', percentage: 100, select: { productIds: ['water'] } } }, []],
    [{ reward: { kind: 'line_percentage', percentage: 99.9999 } }, []],
  ]
  for (const [benefit, expected] of rows) t.same(warningsOf(benefit), expected, JSON.stringify(benefit))
  const currencies = [{ currencyId: 'stamps', name: 'Stamps' }]
  const costs = { currencyId: 'stamps', amount: 10, per: 'basket', worth: 1 }
  t.same(warningsOf({ reward: order(300), costs }, { currencies }), [], 'what is paid for is meant')
})
