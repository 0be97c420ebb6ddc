import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type * as Format from '../../console/src/i18n/format-message.js'
import { load } from './load.js'

const root = join(import.meta.dirname, '..', '..', '..')
const { formatMessage } = await load<typeof Format>('i18n/format-message.ts')
// Their own types name the catalogue of messages, which only the console's compiler reads.
type CreateSaying = (parts: object) => object
type SummaryOf = (saying: object, base: object | null, changed: object) => readonly { readonly text: string }[]
const { createSaying } = await load<{ createSaying: CreateSaying }>('areas/programme/describe/saying.ts')
const { summaryOf } = await load<{ summaryOf: SummaryOf }>('areas/programme/describe/summary.ts')
const sample = JSON.parse(readFileSync(join(root, 'engine', 'programme', 'sample-programme.json'), 'utf8'))

type Document = { benefits: Record<string, unknown>[] } & Record<string, unknown>

function wordsOf(language: 'en' | 'nb') {
  const messages: Record<string, string> = JSON.parse(
    readFileSync(join(root, 'console', 'src', 'messages', `${language}.json`), 'utf8'),
  )
  const locale = language === 'en' ? 'en-GB' : 'nb-NO'
  const words = (key: string, values = {}) => formatMessage(messages[key] ?? key, values, locale)
  const of = (group: string, word: string) => messages[`${group}.${word}`] ?? word
  return Object.assign(words, { language, locale, of, meaningOf: () => undefined })
}

function said(language: 'en' | 'nb', base: Document | null, changed: Document): readonly string[] {
  const products = sample.venues.flatMap(({ products }: { products: object[] }) => products)
  const { venues, currencies } = sample
  const collections = [{ collectionId: 'seasonal', name: 'Season' }, { collectionId: 'new' }]
  const saying = createSaying({ t: wordsOf(language), venues, products, currencies, collections })
  return summaryOf(saying, base, changed).map(({ text }) => text)
}

const copy = (): Document => structuredClone(sample)
const benefit = (document: Document, id: string) => document.benefits.find(({ benefitId }) => benefitId === id)!

const happyHour = {
  benefitId: 'happy-hour',
  text: 'Happy hour',
  reward: { kind: 'line_percentage', select: { productGroupIds: ['bakery'] }, percentage: 30 },
  schedule: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '15:00', until: '17:00' }],
  venueIds: ['oslo-cafe'],
  validFrom: '2026-12-01T00:00:00+01:00',
}

t.test('a new benefit is said with what it gives, when, where, to whom and from when', (t) => {
  const draft = copy()
  draft.benefits.push(happyHour)
  t.same(said('en', sample, draft), [
    'Adds Happy hour: all members, Mon–Fri 15:00–17:00, at Northwind Kaffe, Oslo, get 30 % off bakery, from 1 December 2026.',
  ])
  t.same(said('nb', sample, draft), [
    'Legger til Happy hour: alle medlemmer, man–fre 15:00–17:00, på Northwind Kaffe, Oslo, får 30 % av på bakery, fra 1. desember 2026.',
  ])
  draft.benefits.push({ ...happyHour, benefitId: 'off', enabled: false })
  t.match(said('en', sample, draft)[1], /^Adds Happy hour, switched off: all members, Mon–Fri/)
  t.end()
})

t.test('a change says what is and what was; removals come last and by name', (t) => {
  const draft = copy()
  const bakery = benefit(draft, 'bakery-10')
  bakery['reward'] = { ...(bakery['reward'] as object), percentage: 15 }
  bakery['audience'] = { tiers: ['gold', 'silver'], segments: ['student'] }
  bakery['priority'] = 3
  benefit(draft, 'member-cappuccino')['enabled'] = false
  benefit(draft, 'opening-week')['validUntil'] = '2026-09-21T00:00:00+03:00'
  draft.benefits = draft.benefits.filter(({ benefitId }) => benefitId !== 'order-25-kr')
  t.same(said('en', sample, draft), [
    'Changes Member 10 % on the bakery: 15 % off bakery and bread instead of 10 % off bakery and bread; for members with the tier gold or silver and in the segment student instead of for every member; the field Priority.',
    'Changes Opening week 30 % on everything: from 7 September 2026 through 20 September 2026 instead of from 7 September 2026 through 13 September 2026.',
    'Turns off Cappuccino at member price (all members, Mon–Fri 06:00–10:00, at Northwind Kaffe, Oslo and Northwind Bakeri, Bergen, get Cappuccino for 39.00 NOK, at most 2 units a day for each member).',
    'Removes 25 kr off from 250 kr (all members, at Northwind Kaffe, Oslo and Northwind Bakeri, Bergen, get 25.00 NOK off the whole basket, for baskets from 250.00 NOK, after the POS’s own discounts, at most 1 basket a week for each member).',
  ])
  t.same(said('en', sample, copy()), [], 'nothing where nothing differs')
  t.end()
})

t.test('audiences of dates, visits and balances, and their periods, are said in words', (t) => {
  const draft = copy()
  const audience = {
    anniversary: { daysBefore: 0, daysAfter: 7 },
    lastVisit: { atLeastDays: 60 },
    balances: [
      { currencyId: 'stamps', from: 5 },
      { currencyId: 'points', from: 100, to: 200 },
    ],
  }
  const limits = [{ limitId: 'years', scope: 'member', period: 'birthday', counts: 'baskets', maximum: 1 }]
  draft.benefits.push({ benefitId: 'years', text: 'Years', audience, limits, reward: happyHour.reward })
  t.same(said('en', sample, draft), [
    'Adds Years: members from 0 days before to 7 days after the anniversary of their joining, not seen for 60 days, with 5 Coffee stamps or more and with 100 Points to 200 Points get 30 % off bakery, at most 1 basket a birthday for each member.',
  ])
  t.match(said('nb', sample, draft)[0], /ikke sett på 60 dager, med 5 Coffee stamps eller mer og med 100 Points til/)
  t.end()
})

t.test('every reward, rule, currency, exchange, tier, venue and member has words in both languages', (t) => {
  const whole: Document = {
    ...copy(),
    tiers: [{ tierId: 'gold', rank: 1, currencyId: 'points', amount: 1000, windowMonths: 12, keepMonths: 1 }],
  }
  for (const language of ['en', 'nb'] as const) {
    const sentences = said(language, null, whole)
    t.equal(sentences.length, whole.benefits.length + 4 + 2 + 1 + 1 + 4 + 1)
    for (const sentence of sentences) {
      t.notMatch(sentence, /[{}]|undefined|NaN|null|says\./, sentence)
      t.match(sentence, /[.]$/)
    }
  }
  const english = said('en', null, whole)
  for (const expected of [
    'Adds Cinnamon buns 3 for 2: all members, at Northwind Kaffe, Oslo and Northwind Bakeri, Bergen, get 1 of Cinnamon bun free for 2 of Cinnamon bun bought, at most 2 times a basket.',
    'Adds More bread, more off: all members, at Northwind Bakeri, Bergen, get 15 % off from 3 units and 25 % off from 6 units on bread.',
    'Adds the earning rule coffee-stamps: 1 Coffee stamps for each unit of hot-drinks, for every member, at most 10 Coffee stamps a day.',
    'Adds the exchange ten-stamps: 10 Coffee stamps for 1 Free coffee, valid for 90 days.',
    'Adds the tier gold: 1,000 Points within 12 months, kept for 1 month.',
    'Adds the currency Bonus kroner.',
    'Enrols 10 members, where unknown.',
  ]) {
    t.ok(english.includes(expected), `${expected}\n${english.join('\n')}`)
  }
  t.end()
})

t.test('maxima, products, groups and sequences of a benefit are said', (t) => {
  const draft = copy()
  const select = { productGroupIds: ['bakery'] }
  const threeForTwo = { kind: 'buy_get', buy: { select, quantity: 2 }, get: { select, quantity: 1, percentage: 100 } }
  draft.benefits.push(
    { benefitId: 'a', reward: { ...threeForTwo, sameProduct: true }, group: 'autumn' },
    {
      benefitId: 'b',
      reward: { kind: 'line_percentage', select, percentage: 5, maximumAmount: 500, maximumUnits: 6 },
      sequence: 2,
    },
  )
  t.same(said('en', sample, draft), [
    'Adds a: all members get 1 of bakery free for 2 of bakery bought, each time of one product, the best of the group autumn.',
    'Adds b: all members get 5 % off bakery, at most 5.00 EUR/NOK a basket, at most 6 units a basket, stacked by number 2.',
  ])
  t.end()
})

t.test('bundle discounts, gifts for each and amounts in times are said', (t) => {
  const draft = copy()
  const components = [
    { select: { productGroupIds: ['bakery'] }, quantity: 1 },
    { select: { productGroupIds: ['hot-drinks'] }, quantity: 1 },
  ]
  const per = { select: { productGroupIds: ['hot-drinks'] }, quantity: 2 }
  const costs = { currencyId: 'points', amount: 10, per: 'times', worth: 80 }
  const venueIds = ['oslo-cafe']
  draft.benefits.push(
    { benefitId: 'a', venueIds, reward: { kind: 'bundle_discount', components, amount: 1000, maximumTimes: 2 } },
    { benefitId: 'b', venueIds, reward: { kind: 'bundle_discount', components, percentage: 12.5 } },
    { benefitId: 'c', venueIds, reward: { kind: 'free_product', productId: 'oat-milk', quantity: 1, per } },
    { benefitId: 'd', venueIds, reward: { kind: 'order_amount', amount: 100, maximumTimes: 50 }, costs },
  )
  t.same(said('en', sample, draft), [
    'Adds a: all members, at Northwind Kaffe, Oslo, get 10.00 NOK off 1 of bakery and 1 of hot-drinks together, at most 2 times a basket.',
    'Adds b: all members, at Northwind Kaffe, Oslo, get 12.5 % off 1 of bakery and 1 of hot-drinks together.',
    'Adds c: all members, at Northwind Kaffe, Oslo, get 1 Oat milk free in the basket, for each 2 of hot-drinks.',
    'Adds d: all members, at Northwind Kaffe, Oslo, get 1.00 NOK off the whole basket, at most 50 times a basket, costs 10 Points each time.',
  ])
  t.match(
    said('nb', sample, draft)[2],
    /^Legger til c: alle medlemmer, på Northwind Kaffe, Oslo, får 1 Oat milk gratis i kurven, for hver 2 av hot-drinks/,
  )
  t.end()
})

t.test('what narrows a selector, and what is measured, is said', (t) => {
  const draft = copy()
  const off = (select: object) => ({ kind: 'line_percentage', select, percentage: 5 })
  const cheese = { productGroupIds: ['weighed'] }
  const tiers = [
    { quantity: 0.5, percentage: 10 },
    { quantity: 2, percentage: 15 },
  ]
  draft.benefits.push(
    { benefitId: 'a', reward: off({ collections: ['seasonal', 'new'], fullPrice: true, not: cheese }) },
    { benefitId: 'b', reward: off({ fields: { brand: ['acme', 'zen'], organic: [true] }, children: true }) },
    { benefitId: 'c', reward: { kind: 'volume_percentage', select: cheese, measure: true, tiers } },
    {
      benefitId: 'd',
      conditions: {
        minimumSpend: { amount: 100, select: { ...cheese, includeNoDiscount: true } },
        requires: [{ select: cheese, quantity: 1.5, measure: true }],
      },
      reward: off({}),
    },
  )
  t.same(said('en', sample, draft), [
    'Adds a: all members get 5 % off Season and new at full price except weighed.',
    'Adds b: all members get 5 % off everything with brand acme or zen and organic true with what follows it.',
    'Adds c: all members get 10 % off from 0.5 and 15 % off from 2 on weighed, weighed or by the piece.',
    'Adds d: all members get 5 % off everything, for baskets with weighed, also with no discount on it for 1.00 EUR/NOK or more, with 1.5 of weighed, weighed or by the piece in the basket.',
  ])
  t.match(
    said('nb', sample, draft)[2],
    /^Legger til c: alle medlemmer får 10 % av fra 0,5 og 15 % av fra 2 på weighed, veid eller i stykk/,
  )
  t.end()
})

t.test('a price list that changes is counted, and a venue that is left out stays', (t) => {
  const draft = copy()
  const [oslo, bergen] = draft['venues'] as { name: string; products: { unitPrice: number }[] }[]
  oslo!.products[0]!.unitPrice += 100
  oslo!.products.pop()
  bergen!.name = 'Bergen'
  ;(draft['venues'] as object[]).pop()
  t.same(said('en', sample, draft), [
    'Changes the venue Northwind Kaffe, Oslo: price list (0 new, 1 changed, 1 gone).',
    'Changes the venue Bergen: Name.',
  ])
  t.end()
})
