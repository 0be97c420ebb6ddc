import t from 'tap'
import { benefitsFromJson } from '../../../engine/programme/benefits-from-json.js'
import { faultsListedMax } from '../../../engine/programme/place.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { fc } from '../../support/seeded.js'
import { aBenefit, aProgramme, aVenue, changed, type Json, type JsonObject } from './a-programme.js'
import { placesIn, rich } from './rich-programme.js'

function pathsOf(document: JsonObject): string[] {
  return faultsOf(JSON.stringify(document)).map((fault) => fault.path)
}

function faultsOf(text: string) {
  const read = readProgramme(text)
  return read.kind === 'faulty' ? read.faults : []
}

t.test('a programme with every field and every reward is read', (t) => {
  const read = readProgramme(JSON.stringify(rich))
  t.same(faultsOf(JSON.stringify(rich)), [])
  if (read.kind !== 'read') throw new Error('a faulty programme')
  t.equal(read.programme.document, JSON.stringify(rich))
  t.same(JSON.parse(read.programme.benefitsJson).benefits.slice(1), (rich['benefits'] as Json[]).slice(1))
  t.same(read.programme.members, [{ memberId: 'm-1', loyaltyIds: ['LOY-1'], tier: null, segments: [], blocked: false }])
  t.equal(read.programme.venues[0]?.products[0]?.noDiscount, false)
  t.equal(read.programme.benefits.length, 13)
  t.end()
})

t.test('null in an optional field counts as absent, in a required one it is a fault', (t) => {
  const optional = ['campaign', 'priority', 'validFrom', 'schedule', 'venueIds', 'audience', 'conditions', 'limits']
  t.same(pathsOf(changed(rich, 'benefits[1].costs', null)), [])
  for (const field of optional) t.same(pathsOf(changed(rich, `benefits[0].${field}`, null)), [], field)
  t.same(pathsOf(changed(rich, 'benefits[0].reward.select', null)), [])
  t.same(pathsOf(changed(rich, 'benefits[0].text', null)), ['benefits[0].text'])
  t.same(pathsOf(changed(rich, 'venues[0].baxIds', null)), ['venues[0].baxIds'])
  t.end()
})

t.test('venues, members, benefits and a price list may be empty or absent', (t) => {
  for (const path of ['venues', 'members', 'benefits', 'venues[0].products']) {
    for (const value of [[], null, undefined]) t.same(pathsOf(changed(rich, path, value)), [], `${path} = ${value}`)
  }
  const read = readProgramme(JSON.stringify({ benefits: [aBenefit()] }))
  t.match(read, {
    kind: 'read',
    programme: { venues: [], members: [], benefits: [{ benefitId: 'b-1' }] },
    warnings: [],
  })
  t.end()
})

t.test('a collectionId is unique, and an unknown one is a fault', (t) => {
  const named = 'benefits[0].conditions.requires[0].select.collections'
  t.same(pathsOf(changed(rich, 'collections[1].collectionId', 'own')), ['collections[1].collectionId', `${named}[1]`])
  t.same(pathsOf(changed(rich, 'collections[0].collectionId', '')), ['collections[0].collectionId', `${named}[0]`])
  t.same(pathsOf(changed(rich, 'collections', {})), ['collections', `${named}[0]`, `${named}[1]`])
  t.end()
})

const around = { daysBefore: 4, daysAfter: 4 }
const multiplied = 'earning[0].multipliers[0].audience.balances[0].currencyId'
const emoji = '🥐'

/** Each makes exactly one fault, by default at its own path. */
const faults: readonly (readonly [path: string, value: Json | undefined, at?: string])[] = [
  ['venues', {}],
  ['$schema', 7],
  ['metadata', 'x'],
  ['benefits[0].enabled', 'no'],
  ['benefits[0].$schema', 'x'],
  ['venues[0].venueId', ''],
  ['venues[0].name', 'x'.repeat(129)],
  ['venues[0].environment', 'test'],
  ['venues[0].currency', 'nok'],
  ['venues[0].timeZone', 'Europe/Atlantis'],
  ['venues[0].timeZone', '+01:00'],
  ['venues[0].timeZone', 'Europe/OSLO'],
  ['venues[0].baxIds', ['100', '100'], 'venues[0].baxIds[1]'],
  ['venues[0].products[0].unitPrice', -1],
  ['benefits[0].priority', 1.5],
  ['benefits[0].validFrom', '2026-01-01'],
  ['benefits[0].validFrom', '2026-02-30T00:00:00Z'],
  ['benefits[0].validFrom', '2026-02-01T00:00:00+01:00', 'benefits[0].validUntil'],
  ['benefits[0].validFrom', '2026-03-01T00:00:00+01:00', 'benefits[0].validUntil'],
  ['benefits[0].schedule[0].days', ['Monday'], 'benefits[0].schedule[0].days[0]'],
  ['benefits[0].schedule[0].from', '7:00'],
  ['benefits[0].conditions.requires[0].quantity', 0],
  ['benefits[0].existingDiscounts', 'ignore'],
  ['benefits[0].combination', 'stackable', 'benefits[0].limits[0].counts'],
  ['benefits[3].existingDiscounts', 'add'],
  ['benefits[2].combination', 'stackable'],
  ['benefits[0].conditions.requires[1].measure', false, 'benefits[0].conditions.requires[1].quantity'],
  ['benefits[0].conditions.requires[1].quantity', 0],
  ['benefits[0].conditions.requires[1].quantity', 1.2345],
  ['collections[0].select.fields.unitPrice', [1]],
  ['benefits[0].limits[0].scope', 'all'],
  ['benefits[0].limits[0].counts', 'lines'],
  ['benefits[0].limits[0].maximum', 0],
  ['benefits[1].costs.currencyId', 'nowhere'],
  ['benefits[1].costs.per', 'line'],
  ['benefits[1].costs.per', 'times'],
  ['benefits[8].costs.per', 'unit'],
  ['benefits[1].combination', 'stackable', 'benefits[1].costs.per'],
  ['currencies[1].onReturn', 'later'],
  ['currencies[1].opensAfterDays', -1],
  ['currencies[1].opensAfterDays', 28],
  ['currencies[2].opensAfterDays', 2],
  ['currencies[1].expires', {}],
  ['currencies[1].expires.afterDays', 30, 'currencies[1].expires'],
  ['currencies[1].expires.afterMonths', 0],
  ['currencies[1].expires.atEndOf', 'quarter'],
  ['guards', [{ guardId: 'a' }], 'guards[0]'],
  ['guards', [{ guardId: 'a', never: 'discounted', atMostPercentage: 5 }], 'guards[0]'],
  ['guards', [{ guardId: 'a', never: 'sold' }], 'guards[0].never'],
  ['guards', [{ guardId: 'a', atMostPercentage: 101 }], 'guards[0].atMostPercentage'],
  ['guards', [{ guardId: 'a', netAtLeast: { percentage: 60 } }], 'guards[0].netAtLeast.percentageOf'],
  [
    'guards',
    [{ guardId: 'a', netAtLeast: { percentage: 60, percentageOf: 'unitPrice', posDiscountPercentage: 41 } }],
    'guards[0].netAtLeast',
  ],
  ['guards', [{ guardId: 'a', never: 'discounted', select: { productId: 'x' } }], 'guards[0].select.productId'],
  ['returns', {}, 'returns.policy'],
  ['returns', { policy: null }, 'returns.policy'],
  ['returns', { policy: 'half' }, 'returns.policy'],
  ['returns', { policy: 1 }, 'returns.policy'],
  ['returns', { policy: 'reprice', days: 30 }, 'returns.days'],
  ['members[0].birthday', '02-30'],
  ['members[0].joinedOn', '2026-02-29'],
  ['members[0].joinedOn', '2026-2-9'],
  ['benefits[0].reward.kind', 'half_price'],
  ['benefits[0].reward.percentage', 0],
  ['benefits[0].reward.percentage', 33.33333],
  ['benefits[0].reward.select.productIds', ['p', ''], 'benefits[0].reward.select.productIds[1]'],
  ['benefits[0].reward.select.collections', ['own', 'nowhere'], 'benefits[0].reward.select.collections[1]'],
  ['benefits[0].reward.select.fields', {}],
  ['benefits[0].reward.select.fields.brand', [['acme']], 'benefits[0].reward.select.fields.brand[0]'],
  ['benefits[0].reward.select.fields.brand', [1, null], 'benefits[0].reward.select.fields.brand[1]'],
  ['benefits[0].reward.select.fields.brand', ['x'.repeat(129)], 'benefits[0].reward.select.fields.brand[0]'],
  ['benefits[0].reward.select.fields.brand', [{ name: 'acme' }], 'benefits[0].reward.select.fields.brand[0]'],
  ['benefits[0].reward.select.collections', [7], 'benefits[0].reward.select.collections[0]'],
  ['benefits[0].reward.select.fields', { '': [1] }, 'benefits[0].reward.select.fields[""]'],
  ['benefits[1].reward.per', 'basket'],
  ['benefits[4].reward.tiers[0].quantity', 4, 'benefits[4].reward.tiers[1].quantity'],
  ['benefits[4].reward.tiers[1].percentage', 5],
  ['benefits[9].reward.quantity', 0],
  ['benefits[10].reward.percentage', 10],
  ['benefits[11].reward.amount', 10, 'benefits[11].reward.percentage'],
  ['benefits[12].reward.maximumTimes', undefined, 'benefits[12].costs.per'],
  ['benefits[12].reward.maximumTimes', null, 'benefits[12].costs.per'],
  ['benefits[1].reward.per', 'line', 'benefits[1].costs.per'],
  ['benefits[0].limits[0].period', 'quarter'],
  ['benefits[0].limits[0].period', 'birthday'],
  ['benefits[3].audience', { birthday: around, anniversary: around }, 'benefits[3].limits[0].period'],
  ['benefits[3].audience', {}, 'benefits[3].limits[0].period'],
  ['benefits[3].limits[0].scope', 'everyone'],
  ['earning[0].maximum.period', 'quarter'],
  ['earning[0].audience.visits', {}],
  ['earning[0].audience.visits.from', 3, 'earning[0].audience.visits.to'],
  ['earning[0].audience.birthday.daysBefore', undefined],
  ['earning[0].audience.lastVisit', {}],
  ['earning[0].audience.lastVisit', { atMostDays: 36_501 }, 'earning[0].audience.lastVisit.atMostDays'],
  ['earning[0].audience.lastVisit.atMostDays', 29],
  ['earning[0].audience.balances[0].currencyId', 'nowhere'],
  ['earning[0].audience.balances[1].currencyId', 'stamps'],
  ['earning[0].audience.balances[0].to', 4],
  ['earning[0].multipliers[0].audience.balances', [{ currencyId: 'nowhere', to: 1 }], multiplied],
  ['earning[1].ruleId', 'r-1'],
  ['earning[0].currencyId', 'nowhere'],
  ['earning[0].per', undefined],
  ['earning[0].per', {}],
  ['earning[0].per.units', 1, 'earning[0].per'],
  ['earning[0].cooldownMinutes', 0],
  ['earning[0].multipliers[0].factor', '0'],
  ['earning[0].validFrom', '2026-02-01T00:00:00+01:00', 'earning[0].validUntil'],
  ['tiers[0].tierId', 'gold', 'tiers[1].tierId'],
  ['tiers[0].rank', undefined],
  ['tiers[0].rank', 2, 'tiers[1].rank'],
  ['tiers[0].currencyId', 'coins'],
  ['tiers[0].keepMonths', -1],
]

t.test('every fault is named by its path, and alone', (t) => {
  for (const [path, value, at = path] of faults) {
    t.same(pathsOf(changed(rich, path, value)), [at], `${path} = ${JSON.stringify(value)?.slice(0, 40)}`)
  }
  t.end()
})

t.test('lengths count code points and texts may hold anything', (t) => {
  t.same(pathsOf(changed(rich, 'venues[0].venueId', emoji.repeat(64))), [])
  t.same(pathsOf(changed(rich, 'venues[0].venueId', emoji.repeat(65))), ['venues[0].venueId'])
  t.same(pathsOf(changed(rich, 'benefits[0].text', emoji.repeat(128))), [])
  t.same(pathsOf(changed(rich, 'benefits[0].text', 'a\u0007\ud800')), [])
  t.same(pathsOf(changed(rich, 'benefits[0].text', '')), [])
  t.end()
})

t.test('a duplicate id is refused', (t) => {
  const limits = [{ limitId: 'l-1', scope: 'member', period: 'day', counts: 'baskets', maximum: 5 }]
  const venue2 = aVenue({ venueId: 'v-2', baxIds: ['200', '100'] })
  const member2 = { memberId: 'm-1', loyaltyIds: ['LOY-2', 'LOY-1'] }
  const product = { productId: 'p-1', name: 'Again', unitPrice: 5 }
  t.same(pathsOf(changed(rich, 'benefits[1].limits', limits)), ['benefits[1].limits[0].limitId'])
  t.same(pathsOf(changed(rich, 'benefits[1].benefitId', 'b-1')), ['benefits[1].benefitId'])
  t.same(pathsOf(changed(rich, 'venues[1]', venue2)), ['venues[1].baxIds[1]'])
  t.same(pathsOf(changed(rich, 'venues[1]', aVenue({ baxIds: ['200'] }))), ['venues[1].venueId'])
  t.same(pathsOf(changed(rich, 'members[1]', member2)), ['members[1].memberId', 'members[1].loyaltyIds[1]'])
  t.same(pathsOf(changed(rich, 'venues[0].products[1]', product)), ['venues[0].products[1].productId'])
  const [fault] = faultsOf(JSON.stringify(changed(rich, 'benefits[1].benefitId', 'b-1')))
  t.same(fault, {
    path: 'benefits[1].benefitId',
    expected: 'a benefitId of its own: benefits[0].benefitId has it already',
    received: '"b-1"',
  })
  t.end()
})

t.test('a tier that is no object is one fault', (t) => {
  for (const tier of ['x', null, 1, []])
    t.same(pathsOf(changed(rich, 'benefits[4].reward.tiers[1]', tier)), ['benefits[4].reward.tiers[1]'])
  t.end()
})

t.test('numbers are judged by what is written, not by a rounded double', (t) => {
  const withPrice = (text: string) =>
    faultsOf(JSON.stringify(rich).replace('"unitPrice":1000', `"unitPrice":${text}`)).map((fault) => fault.received)
  for (const exact of ['9007199254740991', '4500.0', '45e2', '0', '-0', '0.0e-400']) t.same(withPrice(exact), [], exact)
  for (const inexact of ['9007199254740991.1', '1e-400', '1e400', '9007199254740993', '1000.00000000000000000001']) {
    t.same(withPrice(inexact), [inexact])
  }
  const percentage = JSON.stringify(rich).replace('33.3333', '33.33330000000000000001')
  t.match(faultsOf(percentage), [{ path: 'benefits[0].reward.percentage', received: '33.33330000000000000001' }])
  t.end()
})

t.test('a text that is no JSON, has a member twice or is nested too deeply is one fault', (t) => {
  const deep = `{"benefits":${'['.repeat(40)}${']'.repeat(40)}}`
  for (const text of ['', '{', 'null ,', '\ufeff{}', deep]) t.match(faultsOf(text), [{ path: 'document' }])
  t.match(faultsOf('{"venues":[],"venues":[]}'), [{ path: 'venues', expected: 'each member name once' }])
  t.match(faultsOf('[]'), [{ path: 'document', expected: 'an object', received: 'an empty list' }])
  t.end()
})

t.test('a truncated text is reported with line and column', (t) => {
  const places = (text: string) => faultsOf(text).map(({ expected }) => /\(line .*\)/.exec(expected)?.[0])
  t.strictSame(places('{\n  "venues": [],\r\n  "æ😀": nul\n}'), ['(line 3, column 9)'])
  t.strictSame(places(''), ['(line 1, column 1)'])
  t.strictSame(places('[]\r]'), ['(line 2, column 1)'])
  t.strictSame(places('{"venues":[],"venues":[]}'), [undefined])
  t.end()
})

t.test('names that only look like fields of objects are unknown fields', (t) => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const text = JSON.stringify(rich).replace('"members":', `"${name}":{"venues":1},"members":`)
    t.same(
      faultsOf(text).map((fault) => fault.path),
      [name],
    )
  }
  const odd = changed(rich, 'venues[0].x', 1)
  const text = JSON.stringify(odd).replace('"x":1', '"a b\\u0007":1')
  t.same(
    faultsOf(text).map((fault) => fault.path),
    ['venues[0]["a b\\u0007"]'],
  )
  t.end()
})

t.test('a thousand faults are counted and the first hundred named', (t) => {
  const many = aProgramme(...Array.from({ length: 1000 }, (_, at) => aBenefit({ benefitId: `b-${at}`, text: 5 })))
  const read = readProgramme(JSON.stringify(many))
  t.equal(read.kind, 'faulty')
  if (read.kind !== 'faulty') throw new Error('no fault found')
  t.equal(read.faults.length, faultsListedMax)
  t.equal(read.more, 1000 - faultsListedMax)
  t.equal(read.faults[99]?.path, 'benefits[99].text')
  t.end()
})

t.test('a fault repeats at most 64 characters of the document', (t) => {
  const long = emoji.repeat(5000)
  for (const value of [long, { [long]: 1 }, [long], Number.MAX_VALUE] as Json[]) {
    const [fault] = faultsOf(JSON.stringify(changed(rich, 'benefits[0].benefitId', value)))
    t.ok(fault !== undefined && [...fault.received].length <= 64, fault?.received)
  }
  const [unknown] = faultsOf(JSON.stringify(changed(rich, 'members[0].x', 1)).replace('"x":1', `"${long}":1`))
  t.ok(unknown !== undefined && [...unknown.path].length <= 80, unknown?.path)
  t.end()
})

t.test('any programme is read or its faults are named, and nothing throws', (t) => {
  const places = placesIn(rich, '')
  const property = fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 3 }), (path, value) => {
    const read = readProgramme(JSON.stringify(changed(rich, path, value as Json)))
    if (read.kind === 'read')
      return benefitsFromJson(read.programme.benefitsJson).length === read.programme.benefits.length
    return read.faults.length > 0 && read.faults.every((fault) => fault.path !== '' && fault.expected !== '')
  })
  fc.assert(property, { numRuns: 1_500 })
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => readProgramme(text).kind === 'faulty'),
    { numRuns: 500 },
  )
  t.end()
})
