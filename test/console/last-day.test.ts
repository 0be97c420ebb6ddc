import t from 'tap'
import { load } from './load.js'

type LastDay = (rule: { afterMonths?: number; afterDays?: number; atEndOf?: string }, today: string) => string
const { lastDay } = await load<{ lastDay: LastDay }>('areas/members/last-day.ts')

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
