import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readProgramme } from '../../../engine/programme/read-programme.js'

const file = join(import.meta.dirname, '..', '..', '..', 'engine', 'programme', 'sample-programme.json')

t.test('the sample programme is without faults and warnings, in two currencies and two time zones', (t) => {
  const read = readProgramme(readFileSync(file, 'utf8'))
  t.match(read, { kind: 'read', warnings: [] })
  if (read.kind !== 'read') throw new Error('a faulty programme')
  const { venues, members, currencies, exchanges, benefits, rules } = read.programme
  t.same([...new Set(venues.map((venue) => venue.currency))], ['NOK', 'EUR'])
  t.same([...new Set(venues.map((venue) => venue.timeZone))], ['Europe/Oslo', 'Europe/Helsinki'])
  t.same(
    venues.flatMap(({ dayStartsAt }) => dayStartsAt ?? []),
    [8 * 60],
  )
  t.equal(venues.length, 4)
  t.equal(members.length, 10)
  t.same(currencies, [
    {
      currencyId: 'stamps',
      name: 'Coffee stamps',
      scale: 0,
      opensAfterDays: 0,
      onReturn: 'to_zero',
      expires: { unit: 'months', after: 6, atEndOf: 'month' },
    },
    {
      ...{ currencyId: 'bonus-kroner', name: 'Bonus kroner', scale: 2, opensAfterDays: 0, expires: null },
      onReturn: 'debt',
    },
    {
      currencyId: 'points',
      name: 'Points',
      scale: 0,
      opensAfterDays: 14,
      onReturn: 'to_zero',
      expires: { unit: 'months', after: 12, atEndOf: 'year' },
    },
    {
      ...{ currencyId: 'free-coffee', name: 'Free coffee', scale: 0, opensAfterDays: 0, expires: null },
      onReturn: 'to_zero',
    },
  ])
  t.match(exchanges, [{ from: { amount: 10 }, to: { currencyId: 'free-coffee' }, validDays: 90 }])
  t.same(
    rules.map(({ ruleId, per }) => [ruleId, per]),
    [
      ['coffee-stamps', { kind: 'units', every: 1 }],
      ['points', { kind: 'amount', every: 1000 }],
    ],
  )
  t.same(
    benefits.flatMap(({ benefitId, costs }) => (costs === null ? [] : [[benefitId, costs.currencyId, costs.per]])),
    [
      ['tenth-coffee', 'stamps', 'unit'],
      ['free-coffee', 'free-coffee', 'unit'],
      ['points-as-money', 'points', 'times'],
    ],
  )
  t.equal(members.filter((member) => member.blocked).length, 1)
  t.equal(new Set(benefits.map((benefit) => benefit.reward.kind)).size, 11)
  t.end()
})
