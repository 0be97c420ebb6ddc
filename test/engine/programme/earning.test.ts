import t from 'tap'
import { pricedFromJson } from '../../../engine/programme/benefits-from-json.js'
import { hideIds } from '../../../engine/programme/hide-ids.js'
import { type Programme, readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme, changed, type Json, type JsonObject } from './a-programme.js'
import { rich } from './rich-programme.js'

function readWhole(document: JsonObject): Programme {
  const read = readProgramme(JSON.stringify(document))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  return read.programme
}

t.test('the rules of a programme that was read are the rules of its published JSON', async (t) => {
  const { rules, benefits, benefitsJson } = readWhole(rich)
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
  const spending = readWhole(withoutRules)
  t.same(Object.keys(JSON.parse(spending.benefitsJson)), ['benefits', 'currencies', 'collections'])
  t.same(pricedFromJson(spending.benefitsJson), {
    ...{ benefits: spending.benefits, rules: [], policy: 'reprice', experiments: [], hasTiers: false },
  })
  const { benefitsJson } = readWhole(aProgramme(aBenefit()))
  t.ok(Array.isArray(JSON.parse(benefitsJson)))
  t.same(pricedFromJson(benefitsJson).rules, [])
})

t.test('members in the audiences of rules and multipliers are named, and hidden', async (t) => {
  const document = changed(rich, 'earning[0].multipliers[0].audience.memberIds', ['m-3'])
  const { named, benefitsJson } = readWhole(document)
  t.same(named.memberIds.toSorted(), ['m-1', 'm-2', 'm-3'])
  const texts = { document: JSON.stringify(document), benefits: benefitsJson }
  const hidden = hideIds(texts, { memberIds: ['m-2', 'm-3'], loyaltyIds: [] })
  for (const text of Object.values(hidden)) {
    t.notMatch(text, /"m-[23]"/)
    t.match(text, '"m-1"')
  }
  t.equal(readWhole(JSON.parse(hidden.document) as JsonObject).rules.length, 3)
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
