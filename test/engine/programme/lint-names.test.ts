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

const tierOf = 'expected a tier of this document or of a member in it'
const segmentOf = 'expected a segment of a member in this document'
const groupOf = 'expected a product group of a price list'

t.test('an audience of a tier or segment without members, and a group that no list has, are named', async (t) => {
  const members = [{ memberId: 'm', loyaltyIds: ['c'], tier: 'gold', segments: ['staff'] }]
  const audience = { tiers: ['gold', 'glod', 'silver'], segments: ['staff', 'students'] }
  t.same(warningsOf({ audience }, { members }), [
    `benefits[0].audience.tiers tier_unknown: ${tierOf}, received glod (did you mean gold?), and 1 more`,
    `benefits[0].audience.segments segment_unknown: ${segmentOf}, received students`,
  ])
  const select = { productGroupIds: ['drinks'], not: { productGroupIds: ['drniks'] } }
  const found = (path: string) => [
    `benefits[0].${path}.productGroupIds group_unknown: ${groupOf}, received drniks (did you mean drinks?)`,
  ]
  t.same(warningsOf({ reward: { kind: 'line_percentage', percentage: 5, select } }), found('reward.select.not'))
  const wrong = { select: { productGroupIds: ['drniks'] }, quantity: 1 }
  t.same(warningsOf({ conditions: { requires: [wrong] } }), found('conditions.requires[0].select'))
  const bundle = { kind: 'bundle_price', components: [{ quantity: 1 }, wrong], price: 100 }
  t.same(warningsOf({ reward: bundle }), found('reward.components[1].select'))
  const buyGet = { kind: 'buy_get', buy: { quantity: 1 }, get: { ...wrong, percentage: 50 } }
  t.same(warningsOf({ reward: buyGet }), found('reward.get.select'))
})

t.test('earning rules are looked at as benefits are', async (t) => {
  const currencies = [{ currencyId: 'stamps', name: 'Stamps' }]
  const members = [{ memberId: 'm', loyaltyIds: ['c'], tier: 'gold' }]
  const rule: JsonObject = {
    ...{ ruleId: 'r', currencyId: 'stamps', give: 1, per: 'visit' },
    select: { productGroupIds: ['drniks'] },
    multipliers: [{ factor: '2' }, { factor: '3', audience: { tiers: ['glod'] } }],
  }
  t.same(warningsOf({}, { currencies, members, earning: [rule] }), [
    `earning[0].multipliers[1].audience.tiers tier_unknown: ${tierOf}, received glod (did you mean gold?)`,
    `earning[0].select.productGroupIds group_unknown: ${groupOf}, received drniks (did you mean drinks?)`,
  ])
})

t.test(
  'a product that no price list has, and one named by an id that no line is looked up by, are named',
  async (t) => {
    const more = {
      venues: [aVenue({ products: [...products, { ...products[0], productId: 'cola', productMasterId: 'm-cola' }] })],
    }
    const said = (select: JsonObject, venueIds: string[] | null = null) =>
      warningsOf({ reward: { kind: 'line_percentage', percentage: 5, select }, venueIds }, more)
    const at = 'benefits[0].reward.select'
    t.same(said({ productIds: ['water'], productMasterIds: ['m-cola'] }), [])
    t.same(said({ productIds: ['watre', 'x', 'water'] }), [
      `${at}.productIds product_unknown: expected a product of a price list, received watre (did you mean water?), and 1 more`,
    ])
    t.same(said({ eans: ['640'] }), [`${at}.eans product_unknown: expected a product of a price list, received 640`])
    t.same(said({ productIds: ['cola'] }), [
      `${at}.productIds product_unknown: expected its productMasterIds m-cola, by which its lines are looked up, received productIds cola`,
    ])
    t.same(said({ productIds: ['cola'], productMasterIds: ['m-cola'] }), [], 'both do no harm')
    t.same(said({ productIds: ['x'] }, ['elsewhere']), [], 'the price list of another venue is not known')
  },
)

t.test('a kind that the document does not name is not checked', async (t) => {
  t.same(warningsOf({ audience: { tiers: ['glod'], segments: ['students'] } }), [])
  const select = { productGroupIds: ['drniks'], productIds: ['x'] }
  const benefit = { reward: { kind: 'line_percentage', percentage: 5, select } }
  t.same(warningsOf(benefit, { venues: [] }), [])
  t.same(warningsOf(benefit, { venues: [aVenue({ products: [] })] }), [])
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
    [{ reward: { kind: 'volume_percentage', tiers: [{ quantity: 9, percentage: 100 }] } }, free],
    [{ reward: { kind: 'volume_percentage', tiers: [{ quantity: 9, percentage: 99 }] } }, []],
  ]
  for (const [benefit, expected] of rows) t.same(warningsOf(benefit), expected, JSON.stringify(benefit))
  const currencies = [{ currencyId: 'stamps', name: 'Stamps' }]
  const costs = { currencyId: 'stamps', amount: 10, per: 'basket', worth: 1 }
  t.same(warningsOf({ reward: order(300), costs }, { currencies }), [], 'what is paid for is meant')
})
