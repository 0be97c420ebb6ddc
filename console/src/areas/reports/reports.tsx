import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ReportService, SumsBy } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenueDay, useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Page } from '../../parts/page.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { VenueOptions } from '../../parts/venue-options.js'
import { BenefitTable } from './benefit-table.js'
import { DayCharts } from './day-charts.js'
import { Liability } from './liability.js'
import { type Range, rangeBefore, rangeOf } from './range.js'
import styles from './reports.module.css'
import { SaleTable } from './sale-table.js'
import { Totals } from './totals.js'
import { ValueSums } from './value-sums.js'

/** What benefits gave and what was sold: by benefit, by venue, by day, against the days before; and what members still hold. */
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
      className={styles['filters']}
      onSubmit={(event) => {
        event.preventDefault()
        set({})
      }}
    >
      <label>
        {t('reports.from')}
        <input type="date" value={typed.from} onChange={(event) => setTyped({ ...typed, from: event.target.value })} />
      </label>
      <label>
        {t('reports.until')}
        <input
          type="date"
          value={typed.until}
          onChange={(event) => setTyped({ ...typed, until: event.target.value })}
        />
      </label>
      <label>
        {t('sale.venue')}
        <select value={range.venueId} onChange={(event) => set({ venueId: event.target.value })}>
          <VenueOptions />
        </select>
      </label>
      <button type="submit">{t('reports.show')}</button>
    </form>
  )
}

/** The sums of some days, taken apart. */
function useSums({ from: fromDay, until: untilDay, venueId }: Range, by: readonly SumsBy[]) {
  return useQuery(ReportService.method.reportSums, { fromDay, untilDay, venueId, by: [...by] })
}

function Sums({ range }: { readonly range: Range }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const venues = useVenues()
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
  const venueName = (id: string) => venues.find((venue) => venue.venueId === id)?.name || id
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
        name={{ head: t('sale.venue'), text: (row) => venueName(row.venueId), plain: (row) => row.venueId }}
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
