import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { Discrepancy, SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { contractWord, enumOf, wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { shortened } from '../../parts/id.js'
import { Money } from '../../parts/money.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { Filters } from './filters.js'
import { Groups } from './groups.js'
import { LiveBar } from './live-bar.js'
import styles from './sales.module.css'
import type { SaleSearch } from './search.js'
import { type SaleFeed, useSaleFeed } from './use-sale-feed.js'

/** Sales, newest first: all of them, or those that disagree with their calculation. New ones come by themselves. */
export function SaleList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/sales' })
  const { calculationId } = useParams({ strict: false })
  const query = useSales(search)
  const feed = useSaleFeed(search.receipt === undefined ? (search.venueId ?? '') : null)
  const loaded = useMemo(() => query.data?.pages.flatMap(({ sales }) => sales) ?? [], [query.data])
  const { rows, unseen, show } = useFresh(feed, loaded, search)
  const { refetch, dataUpdatedAt } = query
  const isBehind = feed.sinceMs !== null && dataUpdatedAt > 0 && dataUpdatedAt < feed.sinceMs
  useEffect(() => {
    if (isBehind) void refetch()
  }, [isBehind, refetch])
  const venueName = useVenueNames()
  const columns = useMemo(() => columnsOf(t, venueName), [t, venueName])
  const list = (
    <div className={styles['list']}>
      <LiveBar feed={feed} unseen={unseen} onShow={show} isLive={search.receipt === undefined} />
      {search.discrepancy !== undefined && calculationId === undefined && <Groups search={search} />}
      <div className={styles['table']}>
        <Table
          label={t('area.sales')}
          columns={columns}
          rows={rows}
          keyOf={(row) => row.calculationId}
          openKey={calculationId}
          onOpen={(row) =>
            void navigate({ to: '/sales/$calculationId', params: { calculationId: row.calculationId }, search })
          }
          {...moreOf(query)}
          empty={
            query.isPending ? (
              <Skeleton lines={12} />
            ) : query.isError ? (
              <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
            ) : (
              <Empty why={t(search.discrepancy === undefined ? 'sales.empty' : 'sales.noDiscrepancies')}>
                {t('sales.emptyWhat')}
              </Empty>
            )
          }
          filters={<Filters search={search} />}
        />
      </div>
    </div>
  )
  return <Split title={t('area.sales')} list={list} open={calculationId === undefined ? null : <Outlet />} />
}

/** Rows with what came since and was asked for on top, and how many more have come. */
function useFresh(feed: SaleFeed, loaded: readonly Sale[], search: SaleSearch) {
  const [seen, setSeen] = useState<Sale | null>(null)
  const fresh = useMemo(() => feed.sales.filter((sale) => fits(sale, search)), [feed.sales, search])
  const at = seen === null ? -1 : fresh.indexOf(seen)
  const shown = useMemo(() => (at === -1 ? [] : fresh.slice(at)), [fresh, at])
  const rows = useMemo(() => {
    const ids = new Set(shown.map(({ calculationId }) => calculationId))
    return [...shown, ...loaded.filter(({ calculationId }) => !ids.has(calculationId))]
  }, [shown, loaded])
  const ids = useMemo(() => new Set(rows.map(({ calculationId }) => calculationId)), [rows])
  const unseen = fresh.filter(({ calculationId }) => !ids.has(calculationId)).length
  return { rows, unseen, show: () => setSeen(fresh[0] ?? null) }
}

function useSales({ venueId = '', registerId: cashRegisterId = '', status, discrepancy, receipt }: SaleSearch) {
  const all = useInfiniteQuery(
    SaleService.method.listSales,
    {
      ...{ pageSize, pageToken: '', venueId, cashRegisterId, status: enumOf(SaleStatus, status) },
      ...(receipt === undefined ? {} : { receiptNumber: BigInt(receipt) }),
    },
    { ...pages, meta: { comesByItself: receipt === undefined }, enabled: discrepancy === undefined },
  )
  const disagreeing = useInfiniteQuery(
    SaleService.method.listDiscrepancies,
    { pageSize, pageToken: '', venueId, cashRegisterId, discrepancy: enumOf(Discrepancy, discrepancy) },
    { ...pages, enabled: discrepancy !== undefined },
  )
  return discrepancy === undefined ? all : disagreeing
}

/** Whether a sale that just came is one of those that the list shows. */
function fits(sale: Sale, { venueId, registerId, status, discrepancy }: SaleSearch): boolean {
  const words = sale.discrepancies.map((one) => contractWord(Discrepancy, one))
  return (
    (venueId === undefined || sale.venueId === venueId) &&
    (registerId === undefined || sale.cashRegisterId === registerId) &&
    (status === undefined || contractWord(SaleStatus, sale.status) === status) &&
    (discrepancy === undefined || (discrepancy === 'any' ? words.length > 0 : words.includes(discrepancy)))
  )
}

function columnsOf(t: Words, venueName: (venueId: string) => string): readonly Column<Sale>[] {
  const discrepanciesOf = ({ discrepancies }: Sale) =>
    discrepancies.map((one) => wordOf(t, 'discrepancy', Discrepancy, one)).join(', ')
  return [
    {
      key: 'at',
      head: t('sale.recordedAt'),
      cell: (row) => (
        <Link to="/sales/$calculationId" params={{ calculationId: row.calculationId }} search={true}>
          <Time at={row.recordedAt} venueId={row.venueId} />
        </Link>
      ),
      value: (row) => Number(row.recordedAt?.seconds ?? 0n),
    },
    {
      key: 'status',
      head: t('sale.status'),
      cell: (row) => wordOf(t, 'saleStatus', SaleStatus, row.status),
      value: (row) => wordOf(t, 'saleStatus', SaleStatus, row.status),
    },
    ...amountColumns(t),
    {
      key: 'venue',
      head: t('sale.venue'),
      cell: (row) => venueName(row.venueId),
      value: (row) => venueName(row.venueId),
      isExtra: true,
    },
    {
      key: 'register',
      head: t('sale.register'),
      cell: (row) => row.cashRegisterId,
      value: (row) => row.cashRegisterId,
      isExtra: true,
    },
    {
      key: 'receipt',
      head: t('sale.receipt'),
      cell: (row) => (row.receiptNumber === undefined ? '' : String(row.receiptNumber)),
      value: (row) => String(row.receiptNumber ?? ''),
      isNumber: true,
      isExtra: true,
    },
    {
      key: 'discrepancies',
      head: t('sale.discrepancies'),
      cell: (row) => <span className="lost">{discrepanciesOf(row)}</span>,
      value: discrepanciesOf,
    },
    {
      key: 'id',
      head: t('sale.calculation'),
      cell: (row) => <code>{shortened(row.calculationId)}</code>,
      value: (row) => row.calculationId,
      isExtra: true,
    },
  ]
}

function amountColumns(t: Words): readonly Column<Sale>[] {
  return [
    {
      key: 'paid',
      head: t('sale.paid'),
      cell: (row) =>
        row.paidTotal === undefined ? null : <Money minor={row.paidTotal} currency={row.currency} withCurrency />,
      value: (row) => row.paidTotal ?? 0n,
      isNumber: true,
    },
    {
      key: 'discount',
      head: t('sale.discount'),
      cell: (row) =>
        row.loyaltyDiscountTotal === undefined ? null : (
          <Money minor={row.loyaltyDiscountTotal} currency={row.currency} />
        ),
      value: (row) => row.loyaltyDiscountTotal ?? 0n,
      isNumber: true,
      isExtra: true,
    },
  ]
}
