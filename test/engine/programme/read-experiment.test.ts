import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'

const from = '2026-12-01T00:00:00+01:00'
const benefit = (benefitId: string) => ({ benefitId, text: 'x', reward: { kind: 'line_percentage', percentage: 10 } })
const happy = { experimentId: 'happy', name: 'Happy hour', benefitIds: ['beer'], holdout: 12.5, from, metric: 'net' }
const arms = [
  { armId: 'old', percentage: 40, benefitIds: ['beer'] },
  { armId: 'new', percentage: 60, benefitIds: ['cake', 'tea'] },
]
const { benefitIds: _, holdout: __, ...base } = happy

function read(experiments: readonly unknown[], more: object = {}) {
  const benefits = ['beer', 'cake', 'tea'].map(benefit)
  return readProgramme(JSON.stringify({ benefits, experiments, ...more }))
}

function faultsOf(experiments: readonly unknown[], more: object = {}) {
  const found = read(experiments, more)
  return found.kind === 'faulty' ? found.faults.map(({ path }) => path) : []
}

t.test('an experiment has arms of members and what each has', (t) => {
  const found = read(
    [happy, { ...base, experimentId: 'arms', arms, until: '2026-12-24T00:00:00Z', metric: 'visits' }],
    {
      holdout: 2.5,
    },
  )
  // Both have beer at the same time.
  t.match(found, { kind: 'faulty', faults: [{ path: 'experiments[1]', expected: /that happy does not have/ }] })
  const both = read(
    [
      { ...happy, until: '2026-12-02T00:00:00Z' },
      { ...base, experimentId: 'arms', from: '2026-12-02T00:00:00Z', arms, by: 'member' },
    ],
    {
      holdout: 2.5,
    },
  )
  t.match(both, {
    kind: 'read',
    programme: {
      experiments: [
        {
          ...{
            experimentId: 'happy',
            metric: 'net',
            from: Date.parse(from),
            until: Date.parse('2026-12-02T00:00:00Z'),
          },
          arms: [
            { armId: 'holdout', percentage: 125_000, benefitIds: [] },
            { armId: 'open', percentage: 875_000, benefitIds: ['beer'] },
          ],
        },
        {
          arms: [
            { armId: 'old', percentage: 400_000 },
            { armId: 'new', benefitIds: ['cake', 'tea'] },
          ],
        },
        {
          ...{ experimentId: 'global-holdout-2.5', from: null, until: null, metric: 'net' },
          arms: [
            { armId: 'holdout', percentage: 25_000, benefitIds: [] },
            { armId: 'open', benefitIds: null },
          ],
        },
      ],
    },
  })
  t.end()
})

t.test('each mistake in an experiment is a fault by its path', (t) => {
  const of = (more: object) => faultsOf([{ ...happy, ...more }])
  const armsOf = (list: unknown) => faultsOf([{ ...base, arms: list }])
  t.same(of({}), [])
  t.same(of({ benefitIds: ['wine'] }), ['experiments[0].benefitIds[0]'])
  t.same(of({ benefitIds: ['beer', 'beer'] }), ['experiments[0].benefitIds[1]'])
  t.same(of({ benefitIds: [] }), ['experiments[0].benefitIds'])
  for (const holdout of [0, 100, 101, 'half']) t.same(of({ holdout }), ['experiments[0].holdout'], String(holdout))
  t.same(of({ from: null }), ['experiments[0].from'])
  t.same(of({ until: from }), ['experiments[0].until'])
  t.same(of({ metric: 'margin' }), ['experiments[0].metric'])
  t.same(of({ by: 'card' }), ['experiments[0].by'])
  t.same(of({ experimentId: 'global-holdout-1' }), ['experiments[0].experimentId'])
  t.same(of({ arms }), ['experiments[0].benefitIds', 'experiments[0].holdout'])
  t.same(armsOf([arms[0]]), ['experiments[0].arms'])
  t.same(armsOf([arms[0], { ...arms[1], percentage: 59 }]), ['experiments[0].arms'])
  t.same(armsOf([arms[0], { ...arms[1], armId: 'old' }]), ['experiments[0].arms[1].armId'])
  t.same(
    armsOf([
      { ...arms[0], benefitIds: [] },
      { armId: 'none', percentage: 60 },
    ]),
    ['experiments[0].arms'],
  )
  t.same(faultsOf([happy, { ...happy, benefitIds: ['tea'] }]), ['experiments[1].experimentId'])
  t.same(
    faultsOf(Array.from({ length: 21 }, (_, at) => ({ ...happy, experimentId: `e-${at}` }))).includes('experiments'),
    true,
  )
  for (const holdout of [0, 5.1, 'some']) t.same(faultsOf([], { holdout }), ['holdout'], String(holdout))
  t.same(faultsOf([], { holdout: 5 }), [])
  t.end()
})
