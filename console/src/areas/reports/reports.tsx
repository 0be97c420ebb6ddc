import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type BenefitSum,
  ReportService,
  type ReportSumsResponse,
  type SaleSum,
  SumsBy,
} from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenueDay, useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { DayColumns, type Layer, mostOf, otherColour, sumOf, useBenefitColour } from '../../parts/charts.js'
import { Button, Field, VenueSelect } from '../../parts/controls.js'
import { Page } from '../../parts/page.js'
import { changeText, countText, digitsOf, formatScaled, percentText } from '../../parts/scaled.js'
import { Empty, ErrorPanel, Skeleton } from '../../parts/states.js'
import { dateOf, Time } from '../../parts/values.js'
import { apartText, moneyText } from '../calculations/reasons.js'
import { BenefitTable, Liability, SaleTable, ValueSums } from './benefit-table.js'
import { daysIn, eachDay, type Range, rangeBefore, rangeOf } from './range.js'
import { idColumn } from './saved-rows.js'

export function Reports() {
  const t = useWords()
  const search = useSearch({ from: '/reports' })
  const range = rangeOf(search, useVenueDay())
  return (
    <Page title={t('area.reports')}>
      <Filters key={`${range.from}/${range.until}`} range={range} />
      <Sums range={range} />
      <Liability />
    </Page>
  )
}

function Filters({ range }: { readonly range: Range }) {
  const t = useWords()
  const navigate = useNavigate()
  const [typed, setTyped] = useState({ from: range.from, until: range.until })
  const set = (change: Partial<Range>) => {
    const { venueId, ...days } = { ...range, ...typed, ...change }
    void navigate({ to: '/reports', search: { ...days, ...(venueId === '' ? {} : { venueId }) } })
  }
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault()
        set({})
      }}
    >
      <Field
        label={t('reports.from')}
        type="date"
        value={typed.from}
        onText={(text) => setTyped({ ...typed, from: text })}
      />
      <Field
        label={t('reports.until')}
        type="date"
        value={typed.until}
        onText={(text) => setTyped({ ...typed, until: text })}
      />
      <VenueSelect label={t('sale.venue')} value={range.venueId} onText={(venueId) => set({ venueId })} />
      <Button type="submit" text={t('reports.show')} />
    </form>
  )
}

function useSums({ from: fromDay, until: untilDay, venueId }: Range, by: readonly SumsBy[]) {
  return useQuery(ReportService.method.reportSums, { fromDay, untilDay, venueId, by: [...by] })
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
      <DayCharts range={range} rows={all.byBenefitAndDay.data!.benefits} />
      <BenefitTable
        range={range}
        file={`benefits_${file}.csv`}
        now={all.byBenefit.data!}
        before={all.byBenefitBefore.data!}
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
        name={{ head: t('reports.day'), text: ({ day }) => day }}
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
    <div role="status">
      {now.sales.map((sum) => (
        <p key={sum.currency}>
          {leadText(t, sum)} {beforeText(t, { now: sum, before: before.sales, days: daysIn(range) })}{' '}
          {apartText(t, sum)}
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
  readonly days: number
}

function beforeText(t: Words, { now, before, days }: Compared): string {
  const then = before.find(({ currency }) => currency === now.currency)
  if (then === undefined || then.sales === 0n) return t('reports.noneBefore', { count: days })
  return t('reports.before', {
    count: days,
    discount: changeText(t, now.discount, then.discount) || countText(t, 0),
    sales: changeText(t, now.sales, then.sales),
    paid: changeText(t, now.paid, then.paid),
  })
}

interface ReachSinceProps {
  readonly range: Range
  readonly since: Timestamp | undefined
  readonly hasReach: boolean
}

function ReachSince({ range, since, hasReach }: ReachSinceProps) {
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

/** Benefits with a colour of their own; the others are shown as one. */
const ownMax = 4

interface DayChartsProps {
  readonly range: Range
  readonly rows: readonly BenefitSum[]
}

function DayCharts({ range, rows }: DayChartsProps) {
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => (
    <DayChart key={currency} range={range} rows={rows.filter((row) => row.currency === currency)} currency={currency} />
  ))
}

function DayChart({ range, rows, currency }: DayChartsProps & { readonly currency: string }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const colourOf = useBenefitColour()
  const days = eachDay(range)
  const places = new Map(days.map((day, at) => [day, at]))
  const values = new Map<string, bigint[]>()
  for (const { benefitId, day, discount } of rows) {
    const own = values.get(benefitId) ?? days.map(() => 0n)
    own[places.get(day)!] = discount
    values.set(benefitId, own)
  }
  const sorted = [...values].toSorted(([, left], [, right]) => Number(sumOf(right) - sumOf(left)))
  const rest = sorted.slice(ownMax).map(([, own]) => own)
  const layers: readonly Layer[] = [
    ...sorted.slice(0, ownMax).map(([benefitId, own]) => ({
      key: benefitId,
      label: names.benefits.get(benefitId)?.text ?? benefitId,
      colour: colourOf(benefitId),
      values: own,
    })),
    ...(rest.length === 0
      ? []
      : [
          {
            key: '',
            label: t('reports.others', { count: rest.length }),
            colour: otherColour,
            values: days.map((_, at) => sumOf(rest.map((own) => own[at]!))),
          },
        ]),
  ]
  const sums = days.map((_, at) => sumOf(layers.map((layer) => layer.values[at]!)))
  const most = sums.indexOf(mostOf(sums))
  const day = new Intl.DateTimeFormat(t.locale, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return (
    <DayColumns
      title={t('reports.chart', {
        day: day.format(new Date(`${days[most]}T00:00Z`)),
        discount: moneyText({ t, currency }, sums[most] ?? 0n),
      })}
      days={days}
      layers={layers}
      format={(value) => formatScaled(value, digitsOf(currency), t.locale)}
    />
  )
}
