import t from 'tap'
import { pricedFromJson } from '../../../engine/programme/benefits-from-json.js'
import { hideIds } from '../../../engine/programme/hide-ids.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme, changed, type Json, type JsonObject } from './a-programme.js'
import { rich } from './rich-programme.js'

function readWhole(document: JsonObject) {
  const read = readProgramme(JSON.stringify(document))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  return read
}

t.test('the rules of a programme that was read are the rules of its published JSON', async (t) => {
  const { rules, benefits, benefitsJson } = readWhole(rich).programme
  t.same(pricedFromJson(benefitsJson), { benefits, rules, policy: 'reprice', experiments: [], hasTiers: true })
  t.match(rules, [
    {
      ruleId: 'r-1',
      currencyId: 'kroner',
      give: 5,
      per: { kind: 'amount', every: 10_000 },
      includeNoDiscount: true,
      cooldownMinutes: 60,
      maximum: { amount: 500, period: 'week' },
      multipliers: [{ factor: 15_000 }, { factor: 1_000_000, audience: null, schedule: null }],
      opensAfterDays: 27,
      onReturn: 'debt',
      expires: { unit: 'months', after: 1, atEndOf: null },
    },
    {
      ruleId: 'r-2',
      per: { kind: 'units', every: 1 },
      select: null,
      maximum: null,
      onReturn: 'to_zero',
      expires: null,
    },
    { ruleId: 'r-3', per: { kind: 'visit' } },
  ])
})

t.test('without currencies and collections the published JSON is an array of benefits', async (t) => {
  const withoutRules = changed(changed(rich, 'earning', []), 'tiers', [])
  const spending = readWhole(withoutRules).programme
  t.same(Object.keys(JSON.parse(spending.benefitsJson)), ['benefits', 'currencies', 'collections'])
  t.same(pricedFromJson(spending.benefitsJson), {
    ...{ benefits: spending.benefits, rules: [], policy: 'reprice', experiments: [], hasTiers: false },
  })
  const { benefitsJson } = readWhole(aProgramme(aBenefit())).programme
  t.ok(Array.isArray(JSON.parse(benefitsJson)))
  t.same(pricedFromJson(benefitsJson).rules, [])
})

t.test('members in the audiences of rules and multipliers are named, and hidden', async (t) => {
  const document = changed(rich, 'earning[0].multipliers[0].audience.memberIds', ['m-3'])
  const { named, benefitsJson } = readWhole(document).programme
  t.same(named.memberIds.toSorted(), ['m-1', 'm-2', 'm-3'])
  const texts = { document: JSON.stringify(document), benefits: benefitsJson }
  const hidden = hideIds(texts, { memberIds: ['m-2', 'm-3'], loyaltyIds: [] })
  for (const text of Object.values(hidden)) {
    t.notMatch(text, /"m-[23]"/)
    t.match(text, '"m-1"')
  }
  t.equal(readWhole(JSON.parse(hidden.document) as JsonObject).programme.rules.length, 3)
})

t.test('a rule that counts nothing of any basket is named', async (t) => {
  const never: readonly (readonly [path: string, value: Json])[] = [
    ['earning[1].select', { not: {} }],
    ['earning[1].minimumSpend', { amount: 1, select: { not: {} } }],
    ['earning[1].channels', ['web']],
  ]
  for (const [path, value] of never) {
    const read = readProgramme(JSON.stringify(changed(rich, path, value)))
    const warnings = read.kind === 'read' ? read.warnings.filter((each) => each.path.startsWith('earning')) : []
    t.match(warnings, [{ path: 'earning[1]', word: 'never_applies' }], path)
  }
  const read = readProgramme(
    JSON.stringify(changed(rich, 'earning[1].minimumSpend', { amount: 0, select: { not: {} } })),
  )
  t.same(read.kind === 'read' && read.warnings.filter((each) => each.path.startsWith('earning[1]')), [])
})

t.test('tiers are read in the order of the document, and price with the benefits', async (t) => {
  const { programme } = readWhole(rich)
  t.same(
    programme.tiers.map(({ tierId, rank, keepMonths }) => [tierId, rank, keepMonths]),
    [
      ['silver', 1, 0],
      ['gold', 2, 3],
    ],
  )
  t.equal(pricedFromJson(programme.benefitsJson).hasTiers, true)
  t.equal(pricedFromJson(readWhole(changed(rich, 'earning', [])).programme.benefitsJson).hasTiers, true)
  t.equal(pricedFromJson(readWhole(changed(rich, 'tiers', null)).programme.benefitsJson).hasTiers, false)
})

t.test('the visits and dates of an audience are read with the rules', async (t) => {
  const { audience } = readWhole(rich).programme.rules[0]!
  t.match(audience, { visits: { from: 1, to: 2 }, birthday: { daysBefore: 0, daysAfter: 366 }, joinedWithinDays: 0 })
})

t.test('the dates of a member are read, and go from the document with its name', async (t) => {
  const dates = { birthday: '02-29', joinedOn: '2024-02-29' }
  const member: JsonObject = { ...(rich['members'] as JsonObject[])[0]!, ...dates }
  const document = changed(rich, 'members[0]', member)
  t.match(readWhole(document).programme.members, [dates])
  const hidden = hideIds({ document: JSON.stringify(document) }, { memberIds: ['m-1'], loyaltyIds: [] })
  t.notMatch(hidden.document, /02-29/)
  const [left] = readWhole(JSON.parse(hidden.document) as JsonObject).programme.members
  t.same(Object.keys(left!).sort(), ['blocked', 'loyaltyIds', 'memberId', 'segments', 'tier'])
  const other = hideIds({ document: JSON.stringify(document) }, { memberIds: ['m-2'], loyaltyIds: [] })
  t.match(other.document, '"birthday":"02-29","joinedOn":"2024-02-29"')
})

t.test('a tier that no member can get is named', async (t) => {
  const warningsOf = (path: string, value: Json) =>
    readWhole(changed(rich, path, value))
      .warnings.filter((each) => each.path.startsWith('tiers'))
      .map(({ path: at, word }) => `${at} ${word}`)
  t.same(warningsOf('tiers[1].amount', 11), [])
  t.same(warningsOf('tiers[1].amount', 10), ['tiers[0] never_applies'])
  t.same(warningsOf('tiers[0].windowMonths', 13), [])
  t.same(warningsOf('tiers[1]', { ...tierOf(1), amount: 10, windowMonths: 11 }), [])
  t.same(warningsOf('tiers[1].currencyId', 'points'), ['tiers[1] never_applies'])
})

function tierOf(place: number): JsonObject {
  return (rich['tiers'] as JsonObject[])[place]!
}

const currencies = ['stamps', 'coffees'].map((currencyId) => ({ currencyId, name: currencyId }))
const anExchange = (more: object = {}) => ({
  ...{ exchangeId: 'ten', from: { currencyId: 'stamps', amount: 10 }, to: { currencyId: 'coffees', amount: 1 } },
  ...more,
})

function faultsOf(...exchanges: readonly object[]): readonly string[] {
  const read = readProgramme(JSON.stringify({ ...aProgramme(aBenefit({})), currencies, exchanges }))
  return read.kind === 'read' ? [] : read.faults.map(({ path, expected }) => `${path}: ${expected}`)
}

t.test('an exchange is read with its defaults, in both directions', async (t) => {
  const back = anExchange({ exchangeId: 'back', from: anExchange().to, to: anExchange().from, validDays: 7 })
  const document = { ...aProgramme(aBenefit({})), currencies, exchanges: [anExchange(), back] }
  t.match(readProgramme(JSON.stringify(document)), {
    programme: {
      exchanges: [
        { ...anExchange(), validDays: null },
        { ...back, validDays: 7 },
      ],
    },
  })
})

t.test('every fault of an exchange is named by its path', async (t) => {
  const coins = { currencyId: 'coins', amount: 1 }
  const wrong: readonly (readonly [readonly object[], string])[] = [
    [
      [anExchange(), anExchange()],
      'exchanges[1].exchangeId: a exchangeId of its own: exchanges[0].exchangeId has it already',
    ],
    [[anExchange({ from: coins })], 'exchanges[0].from.currencyId: the currencyId of one of the currencies'],
    [[anExchange({ to: coins })], 'exchanges[0].to.currencyId: the currencyId of one of the currencies'],
    [[anExchange({ to: anExchange().from })], 'exchanges[0].to.currencyId: another currency than in from'],
    [
      [anExchange(), anExchange({ exchangeId: 'x' })],
      'exchanges[1].to.currencyId: a currency that no exchange before gives for stamps',
    ],
    [[anExchange({ validDays: 0 })], 'exchanges[0].validDays: an integer from 1 to 36500'],
    [
      [anExchange({ from: { currencyId: 'stamps', amount: 0 } })],
      'exchanges[0].from.amount: an integer from 1 to 9007199254740991',
    ],
    [[anExchange({ days: 1 })], 'exchanges[0].days: no field of this name; known are exchangeId, from, to, validDays'],
  ]
  for (const [exchanges, fault] of wrong) t.ok(faultsOf(...exchanges).includes(fault), fault)
})
