import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { useSearch } from '@tanstack/react-router'
import {
  ReportService,
  type ReportSumsResponse,
  type SaleSum,
  SumsBy,
} from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { ledgerTime } from '../../api/clock.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenueDay, useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, TextLink } from '../../parts/controls.js'
import { dayText } from '../../parts/days.js'
import { Page } from '../../parts/page.js'
import { SavedViews } from '../../parts/saved-views.js'
import { changeText, countText, percentText } from '../../parts/scaled.js'
import { Empty, ErrorPanel, Skeleton } from '../../parts/states.js'
import { dateOf, Time } from '../../parts/values.js'
import { apartText, moneyText } from '../calculations/reasons.js'
import { BenefitTable, Liability, SaleTable, ValueSums } from './benefit-table.js'
import { DayCharts } from './day-charts.js'
import { Matrices } from './matrix.js'
import { daysIn, type Range, rangeBefore, rangeOf } from './range.js'
import { RangeFilter } from './range-filter.js'
import { idColumn } from './saved-rows.js'

const daysShown = 7

export function Reports() {
  const t = useWords()
  const search = useSearch({ from: '/reports' })
  const range = rangeOf(search, useVenueDay(), daysShown)
  return (
    <Page title={t('area.reports')} buttons={<SavedViews list="reports" />}>
      <RangeFilter key={`${range.from}/${range.until}/${range.against}`} range={range} isCompared />
      <Sums range={range} />
      <Liability />
    </Page>
  )
}

const againMs = 60_000

/** Asked again every minute where the last day has not ended. */
export function useSums({ from: fromDay, until: untilDay, venueId }: Range, by: readonly SumsBy[], benefitId = '') {
  const refetchInterval = untilDay >= useVenueDay() && againMs
  return useQuery(
    ReportService.method.reportSums,
    { fromDay, untilDay, venueId, benefitId, by: [...by] },
    { refetchInterval },
  )
}

interface AskedProps {
  readonly queries: readonly Pick<ReturnType<typeof useSums>, 'dataUpdatedAt' | 'refetch'>[]
}

/** When the oldest of these figures were asked for, and a button to ask again. */
export function Asked({ queries }: AskedProps) {
  const t = useWords()
  const askedMs = Math.min(...queries.map(({ dataUpdatedAt }) => dataUpdatedAt))
  return (
    <p className="flow muted">
      <span>
        {t('reports.asked')} <Time at={ledgerTime(askedMs)} show="time" />
      </span>
      <Button onClick={() => queries.forEach((query) => void query.refetch())} text={t('age.refresh')} />
    </p>
  )
}

function Sums({ range }: { readonly range: Range }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const venueName = useVenueNames()
  const before = rangeBefore(range)
  const all = {
    total: useSums(range, []),
    totalBefore: useSums(before, []),
    byBenefit: useSums(range, [SumsBy.BENEFIT]),
    byBenefitBefore: useSums(before, [SumsBy.BENEFIT]),
    byVenue: useSums(range, [SumsBy.VENUE]),
    byDay: useSums(range, [SumsBy.DAY]),
    byBenefitAndDay: useSums(range, [SumsBy.BENEFIT, SumsBy.DAY]),
    byBenefitAndVenue: useSums(range, [SumsBy.BENEFIT, SumsBy.VENUE]),
  }
  const queries = Object.values(all)
  const failed = queries.find(({ isError }) => isError)
  if (failed !== undefined) {
    return <ErrorPanel cause={failed.error} onRetry={() => queries.forEach((query) => void query.refetch())} />
  }
  if (queries.some(({ isSuccess }) => !isSuccess)) return <Skeleton lines={10} />
  if (all.total.data!.sales.length === 0) return <Empty why={t('reports.empty')}>{t('reports.emptyWhat')}</Empty>
  const file = `${range.from}_${range.until}`
  return (
    <>
      <Totals range={range} now={all.total.data!} before={all.totalBefore.data!} />
      <Asked queries={queries} />
      <DayCharts range={range} rows={all.byBenefitAndDay.data!.benefits} />
      <BenefitTable
        range={range}
        file={`benefits_${file}.csv`}
        now={all.byBenefit.data!}
        before={all.byBenefitBefore.data!}
      />
      <Matrices
        range={range}
        totals={all.total.data!.sales}
        benefits={all.byBenefit.data!.benefits}
        venues={all.byVenue.data!.sales}
        cells={all.byBenefitAndVenue.data!.benefits}
      />
      <SaleTable
        title={t('reports.byVenue')}
        file={`venues_${file}.csv`}
        rows={all.byVenue.data!.sales}
        name={{ head: t('sale.venue'), text: (row) => venueName(row.venueId) }}
        id={idColumn(t, ({ venueId }) => venueId)}
      />
      <SaleTable
        title={t('reports.byDay')}
        file={`days_${file}.csv`}
        rows={all.byDay.data!.sales}
        name={{
          head: t('reports.day'),
          text: ({ day }) => day,
          cell: ({ day }) => (
            <TextLink
              to="/sales"
              search={{ day, ...(range.venueId && { venueId: range.venueId }) }}
              text={dayText(day, t.locale)}
            />
          ),
        }}
      />
      <ValueSums rows={all.byBenefit.data!.value} names={names} file={`value_${file}.csv`} />
    </>
  )
}

interface TotalsProps {
  readonly range: Range
  readonly now: ReportSumsResponse
  readonly before: ReportSumsResponse
}

function Totals({ range, now, before }: TotalsProps) {
  const t = useWords()
  const [reach] = now.reach
  return (
    <div className="stack" role="status">
      {now.sales.map((sum) => (
        <p key={sum.currency}>
          {leadText(t, sum)} {beforeText(t, { now: sum, before: before.sales, range })} {apartText(t, sum)}
        </p>
      ))}
      {reach !== undefined && <p>{t('reports.reached', { count: reach.members })}</p>}
      <ReachSince range={range} since={now.reachSince} hasReach={now.reach.length > 0} />
    </div>
  )
}

function leadText(t: Words, { currency, sales, applied, paid, discount }: SaleSum): string {
  return t('reports.lead', {
    sales,
    applied,
    paid: moneyText({ t, currency }, paid),
    discount: moneyText({ t, currency }, discount),
    share: percentText(t, discount, discount + paid),
  })
}

interface Compared {
  readonly now: SaleSum
  readonly before: readonly SaleSum[]
  readonly range: Range
}

function beforeText(t: Words, { now, before, range }: Compared): string {
  const then = before.find(({ currency }) => currency === now.currency)
  const days = { count: daysIn(range), ...rangeBefore(range) }
  const isNamed = range.against !== ''
  if (then === undefined || then.sales === 0n) return t(isNamed ? 'reports.againstNone' : 'reports.noneBefore', days)
  return t(isNamed ? 'reports.againstDays' : 'reports.before', {
    ...days,
    discount: changeText(t, now.discount, then.discount) || countText(t, 0),
    sales: changeText(t, now.sales, then.sales),
    paid: changeText(t, now.paid, then.paid),
  })
}

interface ReachSinceProps {
  readonly range: Pick<Range, 'from' | 'venueId'>
  readonly since: Timestamp | undefined
  readonly hasReach: boolean
}

export function ReachSince({ range, since, hasReach }: ReachSinceProps) {
  const t = useWords()
  if (range.venueId !== '') return <p className="muted">{t('reports.reachOfAll')}</p>
  if (!hasReach || since === undefined) return null
  if (dateOf(since).toISOString().slice(0, 10) < range.from) return null
  return (
    <p className="muted">
      {t('reports.reachSince')} <Time at={since} />
    </p>
  )
}
