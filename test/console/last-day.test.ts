import t from 'tap'
import { load } from './load.js'

type LastDay = (rule: { afterMonths?: number; afterDays?: number; atEndOf?: string }, today: string) => string
const { lastDay } = await load<{ lastDay: LastDay }>('areas/members/last-day.ts')

type ReadDay = (text: string, language: { locale: string; today: string; withTime: boolean }) => string | null
const { readDay, dayText, plusMonths } = await load<{
  readDay: ReadDay
  dayText: (value: string, locale: string) => string
  plusMonths: (day: string, count: number) => string
}>('parts/days.ts')

t.test('a day is read as people of the language type it, and as it is shown', (t) => {
  const read = (text: string, locale: string, withTime = false) =>
    readDay(text, { locale, today: '2026-11-28', withTime })
  for (const [text, locale, day] of [
    ['2026-12-01', 'en-GB', '2026-12-01'],
    ['1.12.2025', 'nb-NO', '2025-12-01'],
    ['1/12', 'en-GB', '2026-12-01'],
    ['Tue 1 Dec', 'en-GB', '2026-12-01'],
    ['1. des. 27', 'nb-NO', '2027-12-01'],
    ['29 feb 2028', 'en-GB', '2028-02-29'],
    ['29 feb 2026', 'en-GB', null],
    ['31.13.2026', 'nb-NO', null],
    ['Yesterday', 'en-GB', '2026-11-27'],
    ['i går', 'nb-NO', '2026-11-27'],
    ['i morgen', 'nb-NO', '2026-11-29'],
    ['1 foo', 'en-GB', null],
    ['1', 'en-GB', null],
    ['1 2 3 4', 'en-GB', null],
    ['1 dec 10:00', 'en-GB', null],
  ] as const)
    t.equal(read(text, locale), day, text)
  t.equal(read('1 dec', 'en-GB', true), '2026-12-01T00:00')
  t.equal(read('2026-12-01T9:30', 'nb-NO', true), '2026-12-01T09:30')
  t.equal(read('yesterday 14:00', 'en-GB', true), '2026-11-27T14:00')
  t.equal(read('1 dec 24:00', 'en-GB', true), null)
  for (const locale of ['en-GB', 'nb-NO'])
    for (let month = 0; month < 12; month += 1) {
      const day = plusMonths('2026-01-31', month)
      t.equal(read(dayText(day, locale), locale), day)
      t.equal(read(dayText(`${day}T14:05`, locale), locale, true), `${day}T14:05`)
    }
  t.same([plusMonths('2026-01-31', 1), plusMonths('2026-01-31', -1)], ['2026-02-28', '2025-12-31'])
  t.same([dayText('', 'en-GB'), dayText('2026-99-99', 'en-GB')], ['', '2026-99-99'])
  t.end()
})

t.test('the last day of value is that of the rule of its currency, as the service has it', (t) => {
  for (const [rule, today, last] of [
    [{ afterMonths: 6 }, '2026-11-26', '2027-05-26'],
    [{ afterMonths: 1 }, '2027-01-31', '2027-02-28'],
    [{ afterMonths: 1 }, '2028-01-31', '2028-02-29'],
    [{ afterMonths: 12, atEndOf: 'year' }, '2026-11-26', '2027-12-31'],
    [{ afterMonths: 6, atEndOf: 'month' }, '2026-08-31', '2027-02-28'],
    [{ afterDays: 5 }, '2026-12-28', '2027-01-02'],
    [{ afterDays: 1, atEndOf: 'day' }, '2026-11-26', '2026-11-27'],
    [{ afterDays: 1, atEndOf: 'week' }, '2026-11-26', '2026-11-29'],
    [{ afterDays: 3, atEndOf: 'week' }, '2026-11-26', '2026-11-29'],
    [{ afterDays: 4, atEndOf: 'week' }, '2026-11-26', '2026-12-06'],
  ] as const) {
    t.equal(lastDay(rule, today), last, JSON.stringify([rule, today]))
  }
  t.end()
})
