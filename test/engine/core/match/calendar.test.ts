import t from 'tap'
import type { Weekday } from '../../../../engine/core/base/programme.js'
import { isScheduled, periodEnd, periodName, wallClock } from '../../../../engine/core/match/calendar.js'
import { fc } from '../../../support/seeded.js'

const table: readonly (readonly [string, 'day' | 'week' | 'month', string, string, string])[] = [
  ['the day before summer time', 'day', 'Europe/Oslo', '2026-03-28T22:30:00Z', '2026-03-28T23:00:00Z'],
  ['the day of 23 hours', 'day', 'Europe/Oslo', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['the day of 25 hours', 'day', 'Europe/Oslo', '2026-10-25T00:30:00Z', '2026-10-25T23:00:00Z'],
  ['the week in which summer time begins', 'week', 'Europe/Oslo', '2026-03-27T12:00:00Z', '2026-03-29T22:00:00Z'],
  ['the last millisecond of a week', 'week', 'UTC', '2026-11-22T23:59:59.999Z', '2026-11-23T00:00:00Z'],
  ['the month in which it ends', 'month', 'Europe/Oslo', '2026-10-01T12:00:00Z', '2026-10-31T23:00:00Z'],
  ['December', 'month', 'Asia/Tokyo', '2026-12-31T14:59:00Z', '2026-12-31T15:00:00Z'],
  ['a day whose midnight is skipped', 'day', 'America/Sao_Paulo', '2018-11-03T15:00:00Z', '2018-11-04T03:00:00Z'],
  ['a day whose last hour comes twice', 'day', 'America/Sao_Paulo', '2018-02-17T15:00:00Z', '2018-02-18T03:00:00Z'],
  ['half an hour of summer time', 'day', 'Australia/Lord_Howe', '2026-04-04T20:00:00Z', '2026-04-05T13:30:00Z'],
]

for (const [title, period, zone, moment, end] of table) {
  t.test(`a period ends at local midnight: ${title}`, async (t) => {
    t.equal(new Date(periodEnd(period, Date.parse(moment), zone)!).toISOString(), new Date(end).toISOString())
  })
}

t.test('a limit for ever never ends', async (t) => {
  t.equal(periodEnd('ever', 0, 'UTC'), null)
})

t.test('the name of a period holds to its end and changes there', async (t) => {
  const zones = fc.constantFrom(
    'Europe/Oslo',
    'America/New_York',
    'America/Sao_Paulo',
    'Pacific/Apia',
    'Asia/Kathmandu',
  )
  const moment = fc.date({ min: new Date('2009-01-01'), max: new Date('2031-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(zones, moment, fc.constantFrom('day' as const, 'week', 'month'), (zone, date, period) => {
      const nameAt = (at: number) => periodName(period, wallClock(at, zone))
      const end = periodEnd(period, date.getTime(), zone)!
      return (
        end > date.getTime() && nameAt(end - 1) === nameAt(date.getTime()) && nameAt(end) !== nameAt(date.getTime())
      )
    }),
    { numRuns: 2000 },
  )
  t.pass()
})

t.test('a schedule past midnight is open by the wall clock over both changes of summer time', async (t) => {
  const night = (day: Weekday) => [{ days: [day], from: 22 * 60, until: 3 * 60 }]
  const isOpen = (day: Weekday, moment: string) => isScheduled(night(day), wallClock(Date.parse(moment), 'Europe/Oslo'))
  // Spring: 02:00 becomes 03:00, so the night is an hour shorter.
  t.notOk(isOpen('sat', '2026-03-28T20:59:00Z'))
  t.ok(isOpen('sat', '2026-03-28T21:00:00Z'))
  t.ok(isOpen('sat', '2026-03-29T00:59:00Z'))
  t.notOk(isOpen('sat', '2026-03-29T01:00:00Z'))
  // Autumn: the hour from 02:00 comes twice, and both times it is open.
  t.ok(isOpen('sat', '2026-10-24T20:00:00Z'))
  t.ok(isOpen('sat', '2026-10-25T00:30:00Z'))
  t.ok(isOpen('sat', '2026-10-25T01:30:00Z'))
  t.notOk(isOpen('sat', '2026-10-25T02:00:00Z'))
  t.notOk(isOpen('sun', '2026-10-25T01:30:00Z'), 'the night before belongs to Saturday')
})
