import { create } from '@bufbuild/protobuf'
import t from 'tap'
import { earningLines, spendingLines } from '../../clients/lps/earning-lines.js'
import { closedLines } from '../../clients/lps/report-lines.js'
import {
  ReservationState,
  RuleCountSchema,
  RulePer,
  SpendingSchema,
} from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { ClosedBenefitsSchema, OpeningTerm } from '../../gateway/gen/loyalty/v1/explanation_pb.js'

t.test('explain shows what each rule counts and would earn, and after the sale what was earned', async (t) => {
  const counts = [
    { ruleId: 'cups', currencyId: 'stamps', per: RulePer.UNITS, factor: '1', sent: 1n, returned: 1n, given: 1n },
    {
      ruleId: 'spend',
      currencyId: 'points',
      per: RulePer.AMOUNT,
      factor: '1.5',
      sent: 1350n,
      returned: 1215n,
      wouldEarn: 182n,
    },
    { ruleId: 'visit', currencyId: 'stamps', per: RulePer.VISIT, factor: '1', sent: 1n, returned: 0n, given: 0n },
    { ruleId: 'two\nlines', currencyId: 'stamps', per: RulePer.UNITS, factor: '1', sent: 3n, returned: 2n },
  ].map((count) => create(RuleCountSchema, count))
  t.same(earningLines(counts, 'EUR'), [
    '  cups  counts 1 unit: earned 1 of stamps',
    '  spend  counts 12.15 EUR (13.50 EUR as sent), times 1.5: would earn 182 of points',
    '  visit  counts no visit (the visit as sent): earned 0 of stamps',
    '  two\ufffdlines  counts 2 units (3 units as sent)',
  ])
})

t.test('explain shows what benefits cost, and what has become of it', async (t) => {
  const spending = [
    { benefitId: 'coffee', currencyId: 'stamps', amount: 10n, times: 1n, state: ReservationState.USED },
    { benefitId: 'buns', currencyId: 'points', amount: 5n, times: 3n },
  ].map((each) => create(SpendingSchema, each))
  t.same(spendingLines(spending), ['  coffee  10 of stamps: used', '  buns  15 of points (3 x 5)'])
})

t.test('explain names the terms that kept benefits closed, those that came closest first', async (t) => {
  const closed = (benefits: { readonly benefitId: string; readonly terms: OpeningTerm[] }[]) =>
    closedLines(create(ClosedBenefitsSchema, { benefits }))
  const both = { benefitId: 'a', terms: [OpeningTerm.VENUE_IDS, OpeningTerm.JOINED_WITHIN_DAYS] }
  t.same(closed([both, { benefitId: 'b', terms: [OpeningTerm.SCHEDULE] }]), [
    '  b  not open: schedule',
    '  a  not open: venue_ids, joined_within_days',
  ])
  const many = closed(Array.from({ length: 103 }, (_, at) => ({ ...both, benefitId: String(at) })))
  t.equal(many.length, 101)
  t.equal(many.at(-1), '  and 3 more, with --json')
})
