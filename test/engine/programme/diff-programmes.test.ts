import t from 'tap'
import { diffProgrammes } from '../../../engine/programme/diff-programmes.js'
import { supposeInForce } from '../../../engine/programme/merge-programmes.js'

const coffee = { benefitId: 'coffee', text: 'Coffee 10 %', reward: { kind: 'line_percentage', percentage: 10 } }
const tea = { benefitId: 'tea', text: 'Tea' }
const text = (document: object) => JSON.stringify(document)

t.test('parts are added, changed by their fields, and removed, each by its id', async (t) => {
  const base = {
    benefits: [coffee, tea],
    currencies: [{ currencyId: 'stamps', name: 'Stamps' }],
    earning: [{ ruleId: 'visit', give: 1 }],
    tiers: [{ tierId: 'gold', amount: 100 }],
    exchanges: null,
  }
  const changed = {
    benefits: [
      { benefitId: 'bun', text: 'Bun' },
      { ...coffee, reward: { kind: 'line_percentage', percentage: 15 } },
    ],
    currencies: [{ currencyId: 'stamps', name: 'Stamps' }],
    earning: [{ ruleId: 'visit', give: 1, channels: ['pos'] }],
    exchanges: [{ exchangeId: 'ten' }],
    venues: [{ venueId: 'anywhere' }],
  }
  const fields = (...rows: [string, string | null, string | null][]) =>
    rows.map(([path, left, right]) => ({ path, left, right }))
  t.same(diffProgrammes(text(base), text(changed)), [
    { part: 'benefit', id: 'bun', name: 'Bun', kind: 'added', fields: [] },
    {
      part: 'benefit',
      id: 'coffee',
      name: 'Coffee 10 %',
      kind: 'changed',
      fields: fields(['reward.percentage', '10', '15']),
    },
    { part: 'benefit', id: 'tea', name: 'Tea', kind: 'removed', fields: [] },
    { part: 'earning', id: 'visit', name: '', kind: 'changed', fields: fields(['channels', null, '["pos"]']) },
    { part: 'tier', id: 'gold', name: '', kind: 'removed', fields: [] },
    { part: 'exchange', id: 'ten', name: '', kind: 'added', fields: [] },
  ])
})

t.test('order alone is no change; an array stands for its benefits; without a base everything is new', async (t) => {
  t.same(diffProgrammes(text([coffee, tea]), text({ benefits: [tea, coffee] })), [])
  t.match(diffProgrammes(null, text([coffee])), [{ id: 'coffee', kind: 'added' }])
})

t.test('a benefit that changes altogether names 100 fields', async (t) => {
  const wide = (value: number) =>
    text([{ benefitId: 'a', ...Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`f${at}`, value])) }])
  const [change] = diffProgrammes(wide(1), wide(2))
  t.equal(change?.fields.length, 100)
})

t.test('a benefit is in force already: enabled, and begun; until when, its hours and everything else stay', (t) => {
  const benefit = {
    ...{
      benefitId: 'a',
      text: 'A',
      enabled: false,
      validFrom: '2026-12-01T00:00:00Z',
      validUntil: '2026-12-25T00:00:00Z',
    },
    schedule: [{ days: ['mon'], from: '08:00', until: '10:00' }],
  }
  const document = { benefits: [benefit, { ...benefit, benefitId: 'b' }], venues: [] }
  const { enabled, validFrom, ...begun } = benefit
  t.same(JSON.parse(supposeInForce(JSON.stringify(document), ['a'])), {
    ...document,
    benefits: [begun, document.benefits[1]],
  })
  for (const text of ['{"benefits": [', '[]', '{}', '{"benefits": [1, null]}']) {
    t.doesNotThrow(() => supposeInForce(text, ['a']), text)
  }
  t.end()
})
