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
import { Liability } from './liability.js'
import styles from './reports.module.css'
import type { ReportSearch } from './search.js'
import { BenefitTable, DayCharts, SaleTable, Totals, ValueSums } from './sums.js'

const dayMs = 86_400_000
const daysBack = 6

/** What benefits gave and what was sold: by benefit, by venue, by day; and what members still hold. */
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

type Range = Required<Omit<ReportSearch, 'venueId'>> & { readonly venueId: string }

function rangeOf({ from, until, venueId = '' }: ReportSearch, today: string): Range {
  const last = until ?? today
  const first = new Date(Date.parse(last) - daysBack * dayMs).toISOString().slice(0, 10)
  return { from: from ?? first, until: last, venueId }
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

function Sums({ range }: { readonly range: Range }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const venues = useVenues()
  const { from: fromDay, until: untilDay, venueId } = range
  const asked = { fromDay, untilDay, venueId }
  const byBenefit = useQuery(ReportService.method.reportSums, { ...asked, by: [SumsBy.BENEFIT] })
  const byVenue = useQuery(ReportService.method.reportSums, { ...asked, by: [SumsBy.VENUE] })
  const byDay = useQuery(ReportService.method.reportSums, { ...asked, by: [SumsBy.DAY] })
  const all = [byBenefit, byVenue, byDay]
  const failed = all.find(({ isError }) => isError)
  if (failed !== undefined) {
    return <ErrorPanel cause={failed.error} onRetry={() => all.forEach((query) => void query.refetch())} />
  }
  if (!byBenefit.isSuccess || !byVenue.isSuccess || !byDay.isSuccess) return <Skeleton lines={10} />
  if (byDay.data.sales.length === 0) return <Empty why={t('reports.empty')}>{t('reports.emptyWhat')}</Empty>
  const file = `${fromDay}_${untilDay}`
  const venueName = (id: string) => venues.find((venue) => venue.venueId === id)?.name || id
  return (
    <>
      <Totals days={byDay.data.sales} />
      <DayCharts rows={byDay.data.sales} />
      <SaleTable
        title={t('reports.byDay')}
        file={`days_${file}.csv`}
        rows={byDay.data.sales}
        name={{ head: t('reports.day'), text: ({ day }) => day }}
      />
      <BenefitTable file={`benefits_${file}.csv`} rows={byBenefit.data.benefits} names={names} />
      <SaleTable
        title={t('reports.byVenue')}
        file={`venues_${file}.csv`}
        rows={byVenue.data.sales}
        name={{ head: t('sale.venue'), text: (row) => venueName(row.venueId), plain: (row) => row.venueId }}
      />
      <ValueSums rows={byBenefit.data.value} names={names} file={`value_${file}.csv`} />
    </>
  )
}
