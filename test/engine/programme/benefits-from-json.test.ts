import t from 'tap'
import { benefitsFromJson } from '../../../engine/programme/benefits-from-json.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { aBenefit, aProgramme } from './a-programme.js'

t.test('a published benefit comes back in the units of the engine, defaults filled in', (t) => {
  const published = aBenefit({
    validFrom: '2026-01-01T00:00:00+01:00',
    schedule: [{ days: ['fri'], from: '22:15', until: '02:00' }],
    reward: { kind: 'line_percentage', percentage: 12.5 },
  })
  t.same(benefitsFromJson(JSON.stringify([published])), [
    {
      benefitId: 'b-1',
      text: 'Benefit 1',
      campaign: null,
      priority: 0,
      sequence: 0,
      group: null,
      validFrom: Date.parse('2025-12-31T23:00:00Z'),
      validUntil: null,
      schedule: [{ days: ['fri'], from: 22 * 60 + 15, until: 120 }],
      venueIds: null,
      channels: null,
      audience: null,
      conditions: null,
      existingDiscounts: 'replace',
      combination: 'normal',
      reward: { kind: 'line_percentage', percentage: 125_000 },
      limits: [],
      costs: null,
    },
  ])
  t.end()
})

t.test('every percentage of four decimals keeps its value', (t) => {
  for (let scaled = 1; scaled <= 1_000_000; scaled += 997) {
    const json = `[{"benefitId":"b","text":"","reward":{"kind":"line_percentage","percentage":${(scaled / 10_000).toFixed(4)}}}]`
    const [benefit] = benefitsFromJson(json)
    if (benefit?.reward.kind !== 'line_percentage' || benefit.reward.percentage !== scaled) t.fail(json)
  }
  t.end()
})

t.test('the benefits of a programme that was read are the benefits of its published JSON', (t) => {
  const read = readProgramme(JSON.stringify(aProgramme(aBenefit(), aBenefit({ benefitId: 'b-2', priority: 4 }))))
  t.equal(read.kind, 'read')
  if (read.kind === 'read') t.same(benefitsFromJson(read.programme.benefitsJson), read.programme.benefits)
  t.end()
})

t.test('benefits that were never validated throw', (t) => {
  t.throws(() => benefitsFromJson('[{}]'), /faulty/)
  t.throws(() => benefitsFromJson('{'))
  t.end()
})
