import t from 'tap'
import type * as Merge from '../../console/src/areas/programme/merge.js'
import { load } from './load.js'

const { compareSides, fieldsOf, withTheirs } = await load<typeof Merge>('areas/programme/merge.ts')

const base = `{
  "description": "Autumn",
  "venues": [ { "venueId": "oslo", "name": "Oslo" } ],
  "benefits": [
    { "benefitId": "a", "text": "A", "reward": { "percentage": 10 } },
    { "benefitId": "b", "text": "B", "reward": { "percentage": 20 } },
    { "benefitId": "c", "text": "C", "reward": { "percentage": 30 } }
  ]
}
`
const idsIn = (text: string) => JSON.parse(text).benefits.map(({ benefitId }: { benefitId: string }) => benefitId)

t.test('what one side alone has changed is taken over, and no other character of mine', (t) => {
  const theirs = base
    .replace('"percentage": 10', '"percentage": 15')
    .replace('    { "benefitId": "b", "text": "B", "reward": { "percentage": 20 } },\n', '')
    .replace('"percentage": 30 } }', '"percentage": 30 } },\n    {\n      "benefitId": "d",\n      "text": "D"\n    }')
    .replace('"Autumn"', '"Winter"')
  const mine = base.replace('"text": "C",', '"text" :  "Mine",').replace('"name": "Oslo"', '"name": "Oslo Ø"')
  const sides = { base, theirs, mine }
  const found = compareSides(sides)!
  t.same(
    found.theirs.map(({ list, id, kind }) => `${kind} ${list}/${id}`),
    ['changed /description', 'changed benefits/a', 'removed benefits/b', 'added benefits/d'],
  )
  t.same(
    found.mine.map(({ list, id, kind, name }) => `${kind} ${list}/${id} ${name}`),
    ['changed venues/oslo Oslo Ø', 'changed benefits/c Mine'],
  )
  t.same(found.conflicts, [])
  t.equal(
    withTheirs(sides, found.theirs),
    mine
      .replace('"Autumn"', '"Winter"')
      .replace('"percentage": 10', '"percentage": 15')
      .replace('    { "benefitId": "b", "text": "B", "reward": { "percentage": 20 } },\n', '')
      .replace(
        '"percentage": 30 } }',
        '"percentage": 30 } },\n    {\n      "benefitId": "d",\n      "text": "D"\n    }',
      ),
  )
  t.end()
})

t.test('where both changed the same entry the person chooses, and sees where they differ', (t) => {
  const theirs = base.replace('"percentage": 10', '"percentage": 15').replace('"text": "B"', '"text": "Theirs"')
  const mine = base.replace('"text": "A"', '"text": "Mine"').replace(/ {4}\{ "benefitId": "b".*\n/, '')
  const sides = { base, theirs, mine }
  const { conflicts, theirs: alone, mine: own } = compareSides(sides)!
  t.same([alone, own], [[], []])
  t.same(
    conflicts.map(({ id, mine: text }) => [id, text === null]),
    [
      ['a', false],
      ['b', true],
    ],
  )
  t.same(fieldsOf(conflicts[0]!), [
    { path: 'text', base: '"A"', theirs: '"A"', mine: '"Mine"' },
    { path: 'reward.percentage', base: '10', theirs: '15', mine: '10' },
  ])
  t.equal(withTheirs(sides, []), mine, 'mine stays where mine is chosen')
  const both = withTheirs(sides, conflicts)
  t.same(idsIn(both), ['a', 'b', 'c'], 'what I had removed comes back where it was')
  t.same(JSON.parse(both), JSON.parse(theirs))
  t.end()
})

t.test('equal changes, another order and another way to write the same are no conflict', (t) => {
  const changed = base.replace('"percentage": 10', '"percentage": 15')
  const written = JSON.parse(changed)
  written.benefits.reverse()
  written.benefits[2] = { reward: { percentage: 15 }, text: 'A', benefitId: 'a' }
  const found = compareSides({ base, theirs: changed, mine: JSON.stringify(written) })
  t.same(found, { theirs: [], mine: [], conflicts: [] })
  t.end()
})

t.test('lists that are new, null, empty or faulty on one side', (t) => {
  const document = JSON.parse(base)
  const theirs = JSON.stringify({ ...document, tiers: [{ tierId: 'gold', rank: 1 }], members: [] })
  for (const mine of [base, JSON.stringify({ ...document, tiers: null }), JSON.stringify({ ...document, tiers: [] })]) {
    const sides = { base, theirs, mine }
    const merged = JSON.parse(withTheirs(sides, compareSides(sides)!.theirs))
    t.same(merged.tiers, [{ tierId: 'gold', rank: 1 }])
    t.same(merged.benefits, document.benefits)
  }
  const faulty = base.replace('"benefitId": "c", ', '')
  const kept = compareSides({ base, theirs: base, mine: faulty })!
  t.same(
    kept.mine.map(({ id, kind }) => `${kind} ${id}`),
    ['removed c', 'added #3'],
  )
  t.equal(compareSides({ base, theirs, mine: '{"benefits": [' }), null, 'no JSON, no comparison')
  t.equal(compareSides({ base: '{}', theirs: base, mine: base })!.conflicts.length, 0, 'nothing was published before')
  t.end()
})

t.test('drawn changes: both sides are in the result, whatever they changed', (t) => {
  let seed = 7
  const dice = (count: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % count
  }
  type Entry = { benefitId: string; value: number }
  const drawn = (from: readonly Entry[]): Entry[] => {
    const kept = from.filter(() => dice(5) > 0).map((one) => (dice(3) === 0 ? { ...one, value: dice(4) } : one))
    const added = Array.from({ length: dice(3) }, () => ({ benefitId: `n${dice(5)}`, value: dice(3) }))
    return [...new Map([...kept, ...added].map((one) => [one.benefitId, one])).values()]
  }
  const valueIn = (entries: readonly Entry[], id: string) => entries.find(({ benefitId }) => benefitId === id)?.value
  for (let round = 0; round < 500; round += 1) {
    const before = drawn(Array.from({ length: 6 }, (_, at) => ({ benefitId: `b${at}`, value: 0 })))
    const [other, own] = [drawn(before), drawn(before)]
    const write = (benefits: readonly Entry[]) => JSON.stringify({ benefits }, null, dice(3))
    const sides = { base: write(before), theirs: write(other), mine: write(own) }
    const found = compareSides(sides)!
    const merged = JSON.parse(withTheirs(sides, [...found.theirs, ...found.conflicts])).benefits as Entry[]
    for (const { benefitId: id } of [...before, ...other, ...own]) {
      const [was, theirs, mine] = [before, other, own].map((entries) => valueIn(entries, id))
      const expected = theirs === was ? mine : theirs
      if (valueIn(merged, id) !== expected) t.fail(`round ${round}: ${id} ${was} ${theirs} ${mine}`)
    }
    t.equal(new Set(merged.map(({ benefitId }) => benefitId)).size, merged.length)
  }
  t.end()
})
