import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import {
  CalculationService,
  type CalculationSummary,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Account, type Movement, ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { memberRef } from '../../api/programme.js'
import { useMay } from '../../api/use-commands.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { TextLink } from '../../parts/controls.js'
import { type Column, moneyColumn, Rows } from '../../parts/rows.js'
import { Empty, Waiting } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { Change, shortened, Time, wordOf } from '../../parts/values.js'
import { CancelDialog } from './exchange-dialog.js'
import styles from './members.module.css'

interface MovementsProps {
  readonly memberId: string
  readonly accounts: readonly Account[]
}

export function Movements({ memberId, accounts }: MovementsProps) {
  const t = useWords()
  const may = useMay()
  const [cancelled, setCancelled] = useState<bigint | null>(null)
  const query = useInfiniteQuery(
    ValueService.method.listMovements,
    { member: memberRef(memberId), pageSize, pageToken: '' },
    pages,
  )
  if (!query.isSuccess) return <Waiting query={query} />
  const rows = query.data.pages.flatMap(({ movements }) => movements)
  const accountOf = ({ currencyId }: Movement) => accounts.find((account) => account.currencyId === currencyId)
  const mayCancel = may('RewardService/CancelActivation')
  if (rows.length === 0) return <Empty why={t('member.noMovements')} />
  return (
    <div className={styles['movements']}>
      <Table
        label={t('member.movements')}
        rows={rows}
        keyOf={(row) => `${row.movementId}/${row.currencyId}/${row.kind}/${row.amount}`}
        {...moreOf(query)}
        empty={null}
        columns={columnsOf(t, accountOf, mayCancel ? setCancelled : null)}
      />
      {cancelled !== null && (
        <CancelDialog
          movements={rows.filter(({ movementId }) => movementId === cancelled)}
          onClose={() => setCancelled(null)}
        />
      )}
    </div>
  )
}

/** @param onCancel  cancels an activation; null: the person may not */
function columnsOf(
  t: Words,
  accountOf: (row: Movement) => Account | undefined,
  onCancel: ((movementId: bigint) => void) | null,
): readonly Column<Movement>[] {
  const nameOf = (row: Movement) => accountOf(row)?.name || row.currencyId
  return [
    {
      key: 'at',
      head: t('movement.at'),
      cell: (row) => <Time at={row.at} />,
      value: (row) => Number(row.at?.seconds ?? 0n),
    },
    { key: 'kind', head: t('movement.kind'), value: (row) => t.of('movementKind', row.kind) },
    {
      key: 'amount',
      head: t('movement.amount'),
      cell: (row) => <Change amount={row.amount} scale={accountOf(row)?.scale ?? 0} />,
      value: (row) => row.amount,
      isNumber: true,
    },
    { key: 'currency', head: t('movement.currency'), value: nameOf },
    {
      key: 'reason',
      head: t('movement.reason'),
      cell: (row) => (
        <>
          <Cause movement={row} />{' '}
          {row.kind === 'activated' && row.amount > 0n && onCancel !== null && (
            <button type="button" data-plain onClick={() => onCancel(row.movementId)}>
              {t('cancel.open')}
            </button>
          )}
        </>
      ),
      value: (row) => `${row.reason} ${row.cause}`,
    },
    { key: 'actor', head: t('movement.actor'), value: (row) => row.actor, isExtra: true },
  ]
}

function Cause({ movement: { reason, cause } }: { readonly movement: Movement }) {
  const calculationId = /^(?:calculation|claim):(.+)$/.exec(cause)?.[1]
  if (reason !== '') return reason
  if (calculationId === undefined) return <code>{cause.length > 24 ? shortened(cause) : cause}</code>
  return (
    <TextLink
      to="/calculations/$calculationId"
      params={{ calculationId }}
      text={<code>{shortened(calculationId)}</code>}
    />
  )
}

const shown = 5

export function CalculationsOf({ memberId, areSold }: { readonly memberId: string; readonly areSold: boolean }) {
  const t = useWords()
  const venueName = useVenueNames()
  const state = areSold ? CalculationState.FINALISED : CalculationState.UNSPECIFIED
  const query = useQuery(CalculationService.method.listCalculations, { memberId, state, pageSize: shown })
  if (!query.isSuccess) return <Waiting query={query} lines={3} />
  const { calculations } = query.data
  if (calculations.length === 0)
    return <p className="muted">{t(areSold ? 'member.noSales' : 'member.noCalculations')}</p>
  return (
    <>
      <Rows
        label={t(areSold ? 'member.sales' : 'member.calculations')}
        rows={calculations}
        keyOf={({ calculationId }) => calculationId}
        columns={calculationColumns(t, areSold, venueName)}
      />
      <p>
        <TextLink
          to="/calculations"
          search={{ memberId, ...(areSold ? { state: 'finalised' } : {}) }}
          text={t(areSold ? 'member.allSales' : 'member.allCalculations')}
        />
      </p>
    </>
  )
}

function calculationColumns(
  t: Words,
  areSold: boolean,
  venueName: (venueId: string) => string,
): readonly Column<CalculationSummary>[] {
  return [
    {
      key: 'at',
      head: t('calculation.at'),
      cell: ({ calculationId, answeredAt, venueId }) => (
        <TextLink
          to={areSold ? '/sales/$calculationId' : '/calculations/$calculationId'}
          params={{ calculationId }}
          text={<Time at={answeredAt} venueId={venueId} />}
        />
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
    moneyColumn({
      key: 'discount',
      head: t('calculation.discount'),
      currency: ({ currency }) => currency,
      minor: ({ givenTotal }) => givenTotal,
    }),
    moneyColumn({
      key: 'after',
      head: t('calculation.after'),
      currency: ({ currency }) => currency,
      minor: ({ netAfter }) => netAfter,
      withCurrency: true,
    }),
  ]
}
