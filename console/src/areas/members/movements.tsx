import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Account, type Movement, ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { useMay } from '../../api/use-commands.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { shortened } from '../../parts/id.js'
import { Change } from '../../parts/money.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { CancelDialog } from './cancel-dialog.js'
import styles from './members.module.css'

interface MovementsProps {
  readonly memberId: string
  readonly accounts: readonly Account[]
}

/** What changed the member's accounts, newest first, each with its cause. */
export function Movements({ memberId, accounts }: MovementsProps) {
  const t = useWords()
  const may = useMay()
  const [cancelled, setCancelled] = useState<bigint | null>(null)
  const query = useInfiniteQuery(
    ValueService.method.listMovements,
    { member: { by: { case: 'memberId', value: memberId } }, pageSize, pageToken: '' },
    pages,
  )
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const rows = query.data.pages.flatMap(({ movements }) => movements)
  const accountOf = ({ currencyId }: Movement) => accounts.find((account) => account.currencyId === currencyId)
  const mayCancel = may('RewardService/CancelActivation')
  const columns = columnsOf(t, accountOf, mayCancel ? setCancelled : null)
  if (rows.length === 0) return <Empty why={t('member.noMovements')} />
  return (
    <div className={styles['movements']}>
      <Table
        label={t('member.movements')}
        rows={rows}
        keyOf={(row) => `${row.movementId}/${row.currencyId}/${row.kind}/${row.amount}`}
        {...moreOf(query)}
        empty={null}
        columns={columns}
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

/** @param onCancel  takes back an activation; null: who looks may not */
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
    {
      key: 'kind',
      head: t('movement.kind'),
      cell: (row) => t.of('movementKind', row.kind),
      value: (row) => t.of('movementKind', row.kind),
    },
    {
      key: 'amount',
      head: t('movement.amount'),
      cell: (row) => <Change amount={row.amount} scale={accountOf(row)?.scale ?? 0} />,
      value: (row) => row.amount,
      isNumber: true,
    },
    { key: 'currency', head: t('movement.currency'), cell: nameOf, value: nameOf },
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
    {
      key: 'actor',
      head: t('movement.actor'),
      cell: (row) => row.actor,
      value: (row) => row.actor,
      isExtra: true,
    },
  ]
}

/** The reason that a person gave, else what caused the movement. */
function Cause({ movement: { reason, cause } }: { readonly movement: Movement }) {
  const calculationId = /^(?:calculation|claim):(.+)$/.exec(cause)?.[1]
  if (reason !== '') return reason
  if (calculationId === undefined) return <code>{cause.length > 24 ? shortened(cause) : cause}</code>
  return (
    <Link to="/calculations/$calculationId" params={{ calculationId }}>
      <code>{shortened(calculationId)}</code>
    </Link>
  )
}
