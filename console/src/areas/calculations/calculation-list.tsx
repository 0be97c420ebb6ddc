import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  CalculationService,
  type CalculationSummary,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { enumOf, wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { shortened } from '../../parts/id.js'
import { Money } from '../../parts/money.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { Filters } from './filters.js'
import type { CalculationSearch } from './search.js'

/** Calculations, newest first, with filters; one of them may be open beside. */
export function CalculationList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/calculations' })
  const { calculationId } = useParams({ strict: false })
  const query = useInfiniteQuery(CalculationService.method.listCalculations, requestOf(search), pages)
  const rows = useMemo(() => query.data?.pages.flatMap(({ calculations }) => calculations) ?? [], [query.data])
  const venueName = useVenueNames()
  const columns = useMemo(() => columnsOf(t, venueName), [t, venueName])
  const list = (
    <Table
      label={t('area.calculations')}
      columns={columns}
      rows={rows}
      keyOf={(row) => row.calculationId}
      openKey={calculationId}
      onOpen={(row) =>
        void navigate({ to: '/calculations/$calculationId', params: { calculationId: row.calculationId }, search })
      }
      {...moreOf(query)}
      empty={
        query.isPending ? (
          <Skeleton lines={12} />
        ) : query.isError ? (
          <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <NoRows onMore={query.hasNextPage ? () => void query.fetchNextPage() : null} isLooking={query.isFetching} />
        )
      }
      filters={<Filters search={search} />}
    />
  )
  return <Split title={t('area.calculations')} list={list} open={calculationId === undefined ? null : <Outlet />} />
}

function requestOf(search: CalculationSearch) {
  const { venueId = '', registerId = '', memberId = '', loyaltyId = '', benefitId = '', transaction = '' } = search
  return {
    pageSize,
    pageToken: '',
    ...{ venueId, memberId, loyaltyId, benefitId },
    cashRegisterId: registerId,
    transactionId: transaction,
    status: enumOf(CalculationStatus, search.status),
    state: enumOf(CalculationState, search.state),
    ...(search.receipt === undefined ? {} : { receiptNumber: BigInt(search.receipt) }),
    ...(search.from === undefined ? {} : { from: timestampFromDate(new Date(search.from)) }),
    ...(search.until === undefined ? {} : { until: timestampFromDate(new Date(search.until)) }),
  }
}

interface NoRowsProps {
  /** Looks further back; null: everything was looked at. */
  readonly onMore: (() => void) | null
  readonly isLooking: boolean
}

/** One call looks at so many calculations; where none of them fits, the next call looks at older ones. */
function NoRows({ onMore, isLooking }: NoRowsProps) {
  const t = useWords()
  if (onMore === null) return <Empty why={t('calculations.empty')}>{t('calculations.emptyWhat')}</Empty>
  return (
    <Empty why={t('calculations.noneYet')}>
      <button type="button" onClick={onMore} disabled={isLooking}>
        {t('calculations.lookOn')}
      </button>
    </Empty>
  )
}

function columnsOf(t: Words, venueName: (venueId: string) => string): readonly Column<CalculationSummary>[] {
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
      cell: (row) => venueName(row.venueId),
      value: (row) => venueName(row.venueId),
      isExtra: true,
    },
    {
      key: 'register',
      head: t('calculation.register'),
      cell: (row) => row.cashRegisterId,
      value: (row) => row.cashRegisterId,
      isExtra: true,
    },
    ...amountColumns(t),
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

function amountColumns(t: Words): readonly Column<CalculationSummary>[] {
  return [
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
  ]
}
