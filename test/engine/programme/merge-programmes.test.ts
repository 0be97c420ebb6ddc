import t from 'tap'
import { mergeProgrammes } from '../../../engine/programme/merge-programmes.js'

const benefit = (benefitId: number, percentage: number) => ({ benefitId: String(benefitId), reward: { percentage } })
const programme = (benefits: readonly (readonly [id: number, percentage: number])[], more: object = {}) =>
  JSON.stringify({ ...more, benefits: benefits.map(([id, percentage]) => benefit(id, percentage)) })
const autumn = { description: 'Autumn' }
const base = programme(
  [
    [2, 20],
    [1, 10],
    [3, 30],
  ],
  autumn,
)

t.test('what each side alone has changed is in the merged programme, mine first', (t) => {
  const theirs = programme(
    [
      [2, 25],
      [1, 10],
      [9, 90],
    ],
    { description: 'Winter', venues: [{ venueId: 'oslo' }] },
  )
  const mine = programme(
    [
      [3, 30],
      [2, 20],
      [1, 15],
      [4, 40],
    ],
    autumn,
  )
  const merged = mergeProgrammes({ base, theirs, mine })
  const document = merged.kind === 'merged' ? JSON.parse(merged.document) : merged
  t.same(document, {
    description: 'Winter',
    benefits: [benefit(2, 25), benefit(1, 15), benefit(4, 40), benefit(9, 90)],
    venues: [{ venueId: 'oslo' }],
  })
  t.end()
})

t.test(
  'an entry that both have changed differently is a conflict, and one that both have changed alike is none',
  (t) => {
    const theirs = programme(
      [
        [2, 25],
        [1, 11],
        [3, 33],
      ],
      { description: 'Winter' },
    )
    const mine = programme(
      [
        [2, 22],
        [3, 33],
      ],
      { description: 'Spring' },
    )
    t.same(mergeProgrammes({ base, theirs, mine }), {
      kind: 'conflict',
      entries: ['description', 'benefits 2', 'benefits 1'],
    })
    t.same(mergeProgrammes({ base: null, theirs: mine, mine }).kind, 'merged')
    t.end()
  },
)

t.test('a conflict names no member', (t) => {
  const member = (tier: string) => ({ members: ['m-1', 'm-2'].map((memberId) => ({ memberId, tier })) })
  const sides = {
    base: programme([], member('a')),
    theirs: programme([], member('b')),
    mine: programme([], member('c')),
  }
  t.same(mergeProgrammes(sides), { kind: 'conflict', entries: ['members'] })
  t.end()
})
