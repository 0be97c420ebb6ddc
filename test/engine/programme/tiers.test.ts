import t from 'tap'
import { pricedFromJson } from '../../../engine/programme/benefits-from-json.js'
import { hideIds } from '../../../engine/programme/hide-ids.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { changed, type Json, type JsonObject } from './a-programme.js'
import { rich } from './rich-programme.js'

function readWhole(document: JsonObject) {
  const read = readProgramme(JSON.stringify(document))
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.faults))
  return read
}

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

const faults: readonly (readonly [path: string, value: Json | undefined, at?: string])[] = [
  ['tiers', {}],
  ['tiers[0]', 'gold'],
  ['tiers[0].tierId', ''],
  ['tiers[0].tierId', 'gold', 'tiers[1].tierId'],
  ['tiers[0].rank', undefined],
  ['tiers[0].rank', 2, 'tiers[1].rank'],
  ['tiers[0].rank', 0.5],
  ['tiers[0].rank', 1_000_001],
  ['tiers[0].currencyId', 'coins'],
  ['tiers[0].currencyId', undefined],
  ['tiers[0].amount', 0],
  ['tiers[0].windowMonths', 0],
  ['tiers[0].windowMonths', 1201],
  ['tiers[0].keepMonths', -1],
  ['tiers[0].keepMonths', undefined],
  ['tiers[0].name', 'Silver'],
]

t.test('every fault of a tier is named by its path, and alone', async (t) => {
  for (const [path, value, at = path] of faults) {
    const read = readProgramme(JSON.stringify(changed(rich, path, value)))
    const paths = read.kind === 'faulty' ? read.faults.map((fault) => fault.path) : []
    t.same(paths, [at], `${path} = ${JSON.stringify(value)}`)
  }
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
