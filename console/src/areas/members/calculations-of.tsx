import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import {
  CalculationService,
  type CalculationSummary,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useVenues } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import type { Column } from '../../parts/column.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Rows } from '../../parts/rows.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'

const shown = 5

interface CalculationsOfProps {
  readonly memberId: string
  /** Only those that were sold. */
  readonly areSold: boolean
}

/** The member's newest calculations, or sales, and the way to all of them. */
export function CalculationsOf({ memberId, areSold }: CalculationsOfProps) {
  const t = useWords()
  const venues = useVenues()
  const state = areSold ? CalculationState.FINALISED : CalculationState.UNSPECIFIED
  const query = useQuery(CalculationService.method.listCalculations, { memberId, state, pageSize: shown })
  if (query.isPending) return <Skeleton lines={3} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const { calculations } = query.data
  if (calculations.length === 0)
    return <p className="muted">{t(areSold ? 'member.noSales' : 'member.noCalculations')}</p>
  const venueName = (id: string) => venues.find(({ venueId }) => venueId === id)?.name || id
  return (
    <>
      <Rows
        label={t(areSold ? 'member.sales' : 'member.calculations')}
        rows={calculations}
        keyOf={({ calculationId }) => calculationId}
        columns={columnsOf(t, areSold, venueName)}
      />
      <p>
        <Link to="/calculations" search={{ memberId, ...(areSold ? { state: 'finalised' } : {}) }}>
          {t(areSold ? 'member.allSales' : 'member.allCalculations')}
        </Link>
      </p>
    </>
  )
}

function columnsOf(
  t: Words,
  areSold: boolean,
  venueName: (venueId: string) => string,
): readonly Column<CalculationSummary>[] {
  return [
    {
      key: 'at',
      head: t('calculation.at'),
      cell: ({ calculationId, answeredAt, venueId }) => (
        <Link to={areSold ? '/sales/$calculationId' : '/calculations/$calculationId'} params={{ calculationId }}>
          <Time at={answeredAt} venueId={venueId} />
        </Link>
      ),
    },
    { key: 'venue', head: t('calculation.venue'), cell: ({ venueId }) => venueName(venueId) },
    {
      key: 'status',
      head: t('calculation.status'),
      cell: ({ status }) => wordOf(t, 'status', CalculationStatus, status),
    },
    ...(areSold
      ? []
      : [
          {
            key: 'state',
            head: t('calculation.state'),
            cell: ({ state }: CalculationSummary) => wordOf(t, 'state', CalculationState, state),
          },
        ]),
    {
      key: 'discount',
      head: t('calculation.discount'),
      cell: ({ loyaltyDiscountTotal, currency }) => <Money minor={loyaltyDiscountTotal} currency={currency} />,
      isNumber: true,
    },
    {
      key: 'after',
      head: t('calculation.after'),
      cell: ({ netAfter, currency }) => <Money minor={netAfter} currency={currency} withCurrency />,
      isNumber: true,
    },
  ]
}
