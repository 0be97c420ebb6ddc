import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import {
  CalculationService,
  type CalculationSummary,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { enumOf, wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { shortened } from '../../parts/id.js'
import { Money } from '../../parts/money.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { VenueOptions } from '../../parts/venue-options.js'
import type { CalculationSearch } from './search.js'

/** Calculations, newest first, with filters; one of them may be open beside. */
export function CalculationList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/calculations' })
  const { calculationId } = useParams({ strict: false })
  const query = useInfiniteQuery(
    CalculationService.method.listCalculations,
    {
      pageSize,
      pageToken: '',
      venueId: search.venueId ?? '',
      memberId: search.memberId ?? '',
      loyaltyId: search.loyaltyId ?? '',
      status: enumOf(CalculationStatus, search.status),
      state: enumOf(CalculationState, search.state),
    },
    pages,
  )
  const rows = query.data?.pages.flatMap(({ calculations }) => calculations) ?? []
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('area.calculations')}
      columns={columnsOf(t)}
      rows={rows}
      keyOf={(row) => row.calculationId}
      openKey={calculationId}
      onOpen={(row) =>
        void navigate({ to: '/calculations/$calculationId', params: { calculationId: row.calculationId }, search })
      }
      {...moreOf(query)}
      empty={<Empty why={t('calculations.empty')}>{t('calculations.emptyWhat')}</Empty>}
      filters={<Filters search={search} />}
    />
  )
  return <Split title={t('area.calculations')} list={list} open={calculationId === undefined ? null : <Outlet />} />
}

function columnsOf(t: Words): readonly Column<CalculationSummary>[] {
  return [
    {
      key: 'at',
      head: t('calculation.at'),
      cell: (row) => (
        <Link to="/calculations/$calculationId" params={{ calculationId: row.calculationId }} search={true}>
          <Time at={row.answeredAt} venueId={row.venueId} />
        </Link>
      ),
      value: (row) => Number(row.answeredAt?.seconds ?? 0n),
    },
    {
      key: 'status',
      head: t('calculation.status'),
      cell: (row) => wordOf(t, 'status', CalculationStatus, row.status),
      value: (row) => wordOf(t, 'status', CalculationStatus, row.status),
    },
    {
      key: 'member',
      head: t('calculation.member'),
      cell: (row) => row.memberId ?? row.loyaltyId ?? t('calculation.nobody'),
      value: (row) => row.memberId ?? row.loyaltyId ?? '',
    },
    {
      key: 'venue',
      head: t('calculation.venue'),
      cell: (row) => row.venueId,
      value: (row) => row.venueId,
      isExtra: true,
    },
    {
      key: 'before',
      head: t('calculation.before'),
      cell: (row) => <Money minor={row.netBefore} currency={row.currency} />,
      value: (row) => row.netBefore,
      isNumber: true,
      isExtra: true,
    },
    {
      key: 'after',
      head: t('calculation.after'),
      cell: (row) => <Money minor={row.netAfter} currency={row.currency} withCurrency />,
      value: (row) => row.netAfter,
      isNumber: true,
    },
    {
      key: 'discount',
      head: t('calculation.discount'),
      cell: (row) => <Money minor={row.loyaltyDiscountTotal} currency={row.currency} />,
      value: (row) => row.loyaltyDiscountTotal,
      isNumber: true,
      isExtra: true,
    },
    {
      key: 'state',
      head: t('calculation.state'),
      cell: (row) => wordOf(t, 'state', CalculationState, row.state),
      value: (row) => wordOf(t, 'state', CalculationState, row.state),
      isExtra: true,
    },
    {
      key: 'id',
      head: t('calculation.id'),
      cell: (row) => <code>{shortened(row.calculationId)}</code>,
      value: (row) => row.calculationId,
      isExtra: true,
    },
  ]
}

function Filters({ search }: { readonly search: CalculationSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const set = (change: Partial<Record<keyof CalculationSearch, string>>) =>
    void navigate({ to: '.', search: { ...search, ...change } })
  return (
    <>
      <select
        aria-label={t('calculation.status')}
        value={search.status ?? ''}
        onChange={(event) => set({ status: event.target.value })}
      >
        <option value="">{t('filter.anyStatus')}</option>
        {['applied', 'unchanged', 'member_not_found'].map((word) => (
          <option key={word} value={word}>
            {t.of('status', word)}
          </option>
        ))}
      </select>
      <select
        aria-label={t('calculation.state')}
        value={search.state ?? ''}
        onChange={(event) => set({ state: event.target.value })}
      >
        <option value="">{t('filter.anyState')}</option>
        {['open', 'finalised', 'abandoned', 'superseded', 'expired'].map((word) => (
          <option key={word} value={word}>
            {t.of('state', word)}
          </option>
        ))}
      </select>
      <select
        aria-label={t('calculation.venue')}
        value={search.venueId ?? ''}
        onChange={(event) => set({ venueId: event.target.value })}
      >
        <VenueOptions />
      </select>
      {(search.memberId ?? search.loyaltyId) !== undefined && (
        <button
          type="button"
          onClick={() => void navigate({ to: '.', search: { ...search, memberId: undefined, loyaltyId: undefined } })}
        >
          {search.memberId ?? search.loyaltyId} ✕
        </button>
      )}
    </>
  )
}
