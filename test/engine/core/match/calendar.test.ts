import t from 'tap'
import type { Weekday } from '../../../../engine/core/base/programme.js'
import { dayOfMoment, isScheduled, periodEnd, periodName, wallClock } from '../../../../engine/core/match/calendar.js'
import { fc } from '../../../support/seeded.js'

const table: readonly (readonly [string, 'day' | 'week' | 'month' | 'year', string, string, string])[] = [
  ['the day before summer time', 'day', 'Europe/Oslo', '2026-03-28T22:30:00Z', '2026-03-28T23:00:00Z'],
  ['the day of 23 hours', 'day', 'Europe/Oslo', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['the day of 25 hours', 'day', 'Europe/Oslo', '2026-10-25T00:30:00Z', '2026-10-25T23:00:00Z'],
  ['the week in which summer time begins', 'week', 'Europe/Oslo', '2026-03-27T12:00:00Z', '2026-03-29T22:00:00Z'],
  ['the last millisecond of a week', 'week', 'UTC', '2026-11-22T23:59:59.999Z', '2026-11-23T00:00:00Z'],
  ['the month in which it ends', 'month', 'Europe/Oslo', '2026-10-01T12:00:00Z', '2026-10-31T23:00:00Z'],
  ['December', 'month', 'Asia/Tokyo', '2026-12-31T14:59:00Z', '2026-12-31T15:00:00Z'],
  ['the year', 'year', 'Europe/Oslo', '2026-06-30T12:00:00Z', '2026-12-31T23:00:00Z'],
  ['a day whose midnight is skipped', 'day', 'America/Sao_Paulo', '2018-11-03T15:00:00Z', '2018-11-04T03:00:00Z'],
  ['a day whose last hour comes twice', 'day', 'America/Sao_Paulo', '2018-02-17T15:00:00Z', '2018-02-18T03:00:00Z'],
  ['half an hour of summer time', 'day', 'Australia/Lord_Howe', '2026-04-04T20:00:00Z', '2026-04-05T13:30:00Z'],
]

for (const [title, period, zone, moment, end] of table) {
  t.test(`a period ends at local midnight: ${title}`, async (t) => {
    t.equal(
      new Date(periodEnd(period, Date.parse(moment), { timeZone: zone })!).toISOString(),
      new Date(end).toISOString(),
    )
  })
}

t.test('a limit for ever never ends', async (t) => {
  t.equal(periodEnd('ever', 0, { timeZone: 'UTC' }), null)
})

t.test('before its start a day is the day before, and with it the week, month and year', async (t) => {
  const oslo = { timeZone: 'Europe/Oslo', dayStartsAt: 360 }
  const at = (moment: string) =>
    (['day', 'week', 'month', 'year'] as const).map((period) =>
      periodName(period, dayOfMoment(Date.parse(moment), oslo)),
    )
  t.same(at('2024-01-01T04:59:00Z'), ['2023-12-31', '2023-W52', '2023-12', '2023'])
  t.same(at('2024-01-01T05:00:00Z'), ['2024-01-01', '2024-W01', '2024-01', '2024'])
  const endAt = (period: 'day' | 'week' | 'year', moment: string, venue = oslo) =>
    new Date(periodEnd(period, Date.parse(moment), venue)!).toISOString()
  t.equal(endAt('day', '2026-11-21T04:59:00Z'), '2026-11-21T05:00:00.000Z')
  t.equal(endAt('day', '2026-11-21T05:00:00Z'), '2026-11-22T05:00:00.000Z')
  t.equal(endAt('week', '2026-11-23T04:59:00Z'), '2026-11-23T05:00:00.000Z')
  t.equal(endAt('year', '2027-01-01T04:59:00Z'), '2027-01-01T05:00:00.000Z')
  const halfPastTwo = { ...oslo, dayStartsAt: 150 }
  t.equal(endAt('day', '2026-03-28T12:00:00Z', halfPastTwo), '2026-03-29T01:00:00.000Z', 'a start that is skipped')
  t.equal(endAt('day', '2026-10-25T00:00:00Z', halfPastTwo), '2026-10-25T00:30:00.000Z', 'one that comes twice')
  t.equal(endAt('day', '2026-10-25T01:10:00Z', halfPastTwo), '2026-10-25T01:30:00.000Z', 'and again')
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
    fc.property(
      ...[zones, fc.constantFrom(0, 270, 360, 1_439), moment, fc.constantFrom('day' as const, 'week', 'month', 'year')],
      (timeZone, dayStartsAt, date, period) => {
        const venue = { timeZone, dayStartsAt }
        const nameAt = (at: number) => periodName(period, dayOfMoment(at, venue))
        const end = periodEnd(period, date.getTime(), venue)!
        return (
          end > date.getTime() && nameAt(end - 1) === nameAt(date.getTime()) && nameAt(end) !== nameAt(date.getTime())
        )
      },
    ),
    { numRuns: 2000 },
  )
  t.pass()
})

t.test('periods are named by the local date, weeks from Monday', async (t) => {
  const at = (moment: string) => wallClock(Date.parse(moment), 'Europe/Oslo')
  const clock = at('2026-11-21T23:30:00Z')
  t.same(
    (['ever', 'day', 'week', 'month', 'year'] as const).map((period) => periodName(period, clock)),
    ['', '2026-11-22', '2026-W47', '2026-11', '2026'],
  )
  t.equal(periodName('week', at('2027-01-01T12:00:00Z')), '2026-W53')
  t.equal(periodName('week', at('2024-12-30T12:00:00Z')), '2025-W01')
})

const window = (day: Weekday, from: number, until: number) => [{ days: [day], from: from * 60, until: until * 60 }]

/** At 02:00 on 29 March the clock goes on to 03:00; the hour from 02:00 on 25 October comes twice. */
const windows: readonly (readonly [
  string,
  ReturnType<typeof window>,
  open: readonly string[],
  shut: readonly string[],
])[] = [
  [
    'past midnight, until exclusive',
    window('sat', 22, 2),
    ['2026-11-21T21:00:00Z', '2026-11-22T00:59:59Z'],
    ['2026-11-21T20:59:59Z', '2026-11-22T01:00:00Z', '2026-11-22T21:30:00Z'],
  ],
  [
    'of 24 hours, where both ends are the same',
    window('sat', 10, 10),
    ['2026-11-22T08:59:00Z'],
    ['2026-11-22T09:00:00Z'],
  ],
  [
    'of a night that is an hour shorter',
    window('sat', 22, 3),
    ['2026-03-28T21:00:00Z', '2026-03-29T00:59:00Z'],
    ['2026-03-28T20:59:00Z', '2026-03-29T01:00:00Z'],
  ],
  [
    'of a night that is an hour longer',
    window('sat', 22, 3),
    ['2026-10-24T20:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
    ['2026-10-25T02:00:00Z'],
  ],
  ['before the day has come', window('sun', 22, 3), [], ['2026-10-25T01:30:00Z']],
  [
    'of half an hour that comes twice, or never',
    window('sun', 2.5, 3),
    ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
    ['2026-03-29T01:00:00Z'],
  ],
]

for (const [title, schedule, open, shut] of windows) {
  t.test(`a schedule is open by the wall clock of the venue: a window ${title}`, async (t) => {
    const isOpen = (moment: string) => isScheduled(schedule, wallClock(Date.parse(moment), 'Europe/Oslo'))
    for (const moment of open) t.ok(isOpen(moment), moment)
    for (const moment of shut) t.notOk(isOpen(moment), moment)
  })
}
