import t from 'tap'
import { calculate, compileProgramme } from '../../../engine/core/index.js'
import { benefitsFromJson } from '../../../engine/programme/benefits-from-json.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aCase, aLine } from '../../oracle/a-case.js'
import { aBenefit, aProgramme, type JsonObject } from './a-programme.js'

const ten = aBenefit({ benefitId: 'ten' })
const forty: JsonObject = {
  benefitId: 'forty',
  text: 'Forty',
  reward: { kind: 'line_percentage', percentage: 40 },
  limits: [{ limitId: 'forty-day', scope: 'member', period: 'day', counts: 'units', maximum: 5 }],
}
const notes: JsonObject = { description: 'For people.', metadata: { owner: 'CRM', big: 1e20, list: [null] } }

function readWhole(document: JsonObject) {
  const read = readProgramme(JSON.stringify(document))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  return read
}

/** Prices one line of 1000 with the benefits of a published programme. */
function price(benefitsJson: string) {
  const { input } = aCase([aLine('p-1', 1, 1000)], [])
  return calculate(compileProgramme(benefitsFromJson(benefitsJson)), { ...input, available: { 'forty-day': 5 } })
}

t.test('a benefit that is not enabled is in no price, reason, explanation or limit', (t) => {
  const { programme } = readWhole(aProgramme(ten, { ...forty, enabled: false }))
  t.same(price(programme.benefitsJson), price(readWhole(aProgramme(ten)).programme.benefitsJson))
  t.match(programme, { benefits: [{ benefitId: 'ten' }], benefitsNotEnabled: 1 })
  t.notMatch(programme.benefitsJson, 'forty')
  t.end()
})

t.test('benefits that are not enabled change nothing, as if there were none', (t) => {
  const { programme } = readWhole(aProgramme({ ...ten, enabled: false }))
  t.equal(programme.benefitsJson, '[]')
  t.match(price(programme.benefitsJson), { outcome: { status: 'unchanged', reason: 'no_benefits' }, benefits: [] })
  t.end()
})

t.test('`enabled` is true where it is true, null or absent', (t) => {
  for (const enabled of [true, null]) {
    const { programme } = readWhole(aProgramme({ ...ten, enabled }))
    t.match(programme, { benefits: [{ benefitId: 'ten' }], benefitsNotEnabled: 0 })
  }
  t.end()
})

t.test('a JSON of benefits that names `enabled` is read the same way', (t) => {
  const json = JSON.stringify([ten, { ...forty, enabled: false }])
  t.same(
    benefitsFromJson(json).map(({ benefitId }) => benefitId),
    ['ten'],
  )
  t.end()
})

t.test('a benefit that is not enabled is checked like any other', (t) => {
  const faulty = { ...ten, enabled: false, reward: { kind: 'line_percentage', percentage: 0 } }
  const read = readProgramme(JSON.stringify(aProgramme(ten, faulty)))
  const paths = read.kind === 'faulty' ? read.faults.map(({ path }) => path) : []
  t.same(paths, ['benefits[1].benefitId', 'benefits[1].reward.percentage'])
  t.end()
})

t.test('the linter looks only at enabled benefits, and names them by their place in the document', (t) => {
  const weaker = aBenefit({ benefitId: 'weaker', reward: { kind: 'line_percentage', percentage: 5 } })
  const never = aBenefit({ benefitId: 'never', enabled: false, channels: ['web'] })
  const warned = (...benefits: JsonObject[]) =>
    readWhole(aProgramme(...benefits)).warnings.map(({ path, word }) => [path, word])
  t.same(warned(never, ten, weaker), [['benefits[2]', 'always_beaten']])
  t.same(warned(never, { ...ten, enabled: false }, weaker), [])
  t.same(warned(never, ten, { ...weaker, enabled: false }), [])
  t.end()
})

t.test('description and metadata stay in the document and change no calculation', (t) => {
  const plain = readWhole(aProgramme(ten)).programme
  const document = { $schema: './programme.schema.json', ...notes, ...aProgramme({ ...ten, ...notes }) }
  const noted = readWhole(document).programme
  t.equal(noted.document, JSON.stringify(document))
  t.equal(noted.benefitsJson, plain.benefitsJson)
  t.same(noted.benefits, plain.benefits)
  t.end()
})

t.test('a programme without venues gives no warning about unknown price lists', (t) => {
  const free = aBenefit({ reward: { kind: 'free_product', productId: 'p-9', quantity: 1 } })
  t.match(readWhole(aProgramme(free)).warnings, [{ word: 'product_unknown' }])
  t.same(readWhole({ benefits: [free] }).warnings, [])
  t.end()
})
