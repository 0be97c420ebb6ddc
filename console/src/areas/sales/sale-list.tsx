import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Discrepancy, SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { contractWord, enumOf, wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { shortened } from '../../parts/id.js'
import { Money } from '../../parts/money.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { VenueOptions } from '../../parts/venue-options.js'
import type { SaleSearch } from './search.js'

/** Sales, newest first: all of them, or those that disagree with their calculation. */
export function SaleList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/sales' })
  const { calculationId } = useParams({ strict: false })
  const query = useSales(search)
  const rows = query.data?.pages.flatMap(({ sales }) => sales) ?? []
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('area.sales')}
      columns={columnsOf(t)}
      rows={rows}
      keyOf={(row) => row.calculationId}
      openKey={calculationId}
      onOpen={(row) =>
        void navigate({ to: '/sales/$calculationId', params: { calculationId: row.calculationId }, search })
      }
      {...moreOf(query)}
      empty={
        <Empty why={t(search.discrepancy === undefined ? 'sales.empty' : 'sales.noDiscrepancies')}>
          {t('sales.emptyWhat')}
        </Empty>
      }
      filters={<Filters search={search} />}
    />
  )
  return <Split title={t('area.sales')} list={list} open={calculationId === undefined ? null : <Outlet />} />
}

function useSales({ venueId = '', status, discrepancy }: SaleSearch) {
  const all = useInfiniteQuery(
    SaleService.method.listSales,
    { pageSize, pageToken: '', venueId, status: enumOf(SaleStatus, status) },
    { ...pages, enabled: discrepancy === undefined },
  )
  const disagreeing = useInfiniteQuery(
    SaleService.method.listDiscrepancies,
    { pageSize, pageToken: '', venueId, discrepancy: enumOf(Discrepancy, discrepancy) },
    { ...pages, enabled: discrepancy !== undefined },
  )
  return discrepancy === undefined ? all : disagreeing
}

function columnsOf(t: Words): readonly Column<Sale>[] {
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
    {
      key: 'venue',
      head: t('sale.venue'),
      cell: (row) => row.venueId,
      value: (row) => row.venueId,
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
      isExtra: true,
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

function Filters({ search }: { readonly search: SaleSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const set = (change: Partial<Record<keyof SaleSearch, string | undefined>>) =>
    void navigate({ to: '.', search: { ...search, ...change } })
  const discrepancies = Object.values(Discrepancy)
    .filter((value) => typeof value === 'number')
    .filter((value) => value !== Discrepancy.UNSPECIFIED)
    .map((value) => contractWord(Discrepancy, value))
  return (
    <>
      <select
        aria-label={t('sale.discrepancies')}
        value={search.discrepancy ?? ''}
        onChange={(event) => set({ discrepancy: event.target.value || undefined, status: undefined })}
      >
        <option value="">{t('filter.allSales')}</option>
        <option value="any">{t('filter.anyDiscrepancy')}</option>
        {discrepancies.map((word) => (
          <option key={word} value={word}>
            {t.of('discrepancy', word)}
          </option>
        ))}
      </select>
      {search.discrepancy === undefined && (
        <select
          aria-label={t('sale.status')}
          value={search.status ?? ''}
          onChange={(event) => set({ status: event.target.value || undefined })}
        >
          <option value="">{t('filter.anyStatus')}</option>
          {['applied', 'unchanged', 'member_not_found', 'failed', 'cancelled'].map((word) => (
            <option key={word} value={word}>
              {t.of('saleStatus', word)}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label={t('sale.venue')}
        value={search.venueId ?? ''}
        onChange={(event) => set({ venueId: event.target.value || undefined })}
      >
        <VenueOptions />
      </select>
    </>
  )
}
