import t from 'tap'
import type { BenefitReport } from '../../../engine/core/base/outcome.js'
import { createBenefitTable } from '../../../gateway/use-cases/shadow-benefits.js'

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const dates = (benefitId: string, validFrom: number | null, validUntil: number | null) => ({
  ...{ path: '', venueIds: null, hasMoney: false },
  ...{ benefitId, validFrom, validUntil },
})

t.test(
  'of each benefit it is counted in how many baskets it came to what, and by which side of its dates it was closed',
  (t) => {
    const table = createBenefitTable({
      benefits: [dates('always', null, null), dates('december', day('2026-12-01'), day('2026-12-25'))],
      benefitsOff: ['off'],
    })
    const report = (benefitId: string, dropped: object | null) =>
      ({ benefitId, value: 0, lines: [], dropped }) as unknown as BenefitReport
    table.add([report('always', null)], '2026-11-30T23:59:59Z')
    table.add([report('always', { stage: 'beaten' }), report('december', null)], '2026-12-01T00:00:00Z')
    table.add([report('always', { stage: 'conditions_not_met' })], '2026-12-24T23:59:59Z')
    table.add([report('unknown', null)], '2026-12-25T00:00:00Z')
    const zero = { applied: 0, beaten: 0, notMet: 0, closed: 0, off: 0, before: 0, after: 0 }
    t.same(table.rows(), [
      { ...zero, benefitId: 'always', applied: 1, beaten: 1, notMet: 1, closed: 1 },
      { ...zero, benefitId: 'december', applied: 1, closed: 3, before: 1, after: 1 },
      { ...zero, benefitId: 'off', closed: 4, off: 4 },
    ])
    t.end()
  },
)
