import t from 'tap'
import { supposeInForce } from '../../../engine/programme/suppose-in-force.js'

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
