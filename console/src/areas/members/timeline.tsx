import { useInfiniteQuery } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import type { AuditRecord } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { CalculationState, CalculationStatus, SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import {
  type TierChange,
  type TimelineEntry,
  TimelineKind,
  TimelineService,
} from '../../../../gateway/gen/loyalty/v1/timeline_service_pb.js'
import type { Account, Movement } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { memberRef, useProgrammeNames } from '../../api/programme.js'
import { useMay } from '../../api/use-commands.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { callName } from '../../parts/command-dialog.js'
import { Button, Select, TextLink } from '../../parts/controls.js'
import { List } from '../../parts/list-screen.js'
import type { Column } from '../../parts/rows.js'
import { Change, contractWord, enumOf, Money, shortened, Time, wordOf } from '../../parts/values.js'
import { CancelDialog } from './exchange-dialog.js'
import styles from './members.module.css'

interface TimelineProps {
  readonly memberId: string
  readonly accounts: readonly Account[]
}

/** All that happened to a member, newest first, by the kind of the address. */
export function Timeline({ memberId, accounts }: TimelineProps) {
  const t = useWords()
  const may = useMay()
  const venueName = useVenueNames()
  const { kind } = useSearch({ from: '/members/$memberId' })
  const [cancelled, setCancelled] = useState<bigint | null>(null)
  const query = useInfiniteQuery(
    TimelineService.method.listTimeline,
    { member: memberRef(memberId), kind: enumOf(TimelineKind, kind), pageSize, pageToken: '' },
    pages,
  )
  const rows = useMemo(() => query.data?.pages.flatMap(({ entries }) => entries) ?? [], [query.data])
  const mayCancel = may('RewardService/CancelActivation')
  const context = { t, venueName, accounts, onCancel: mayCancel ? setCancelled : null }
  return (
    <div className={styles['timeline']}>
      <List
        title={t('timeline.title')}
        query={query}
        rows={rows}
        keyOf={keyOf}
        empty={[t('timeline.empty')]}
        filters={<KindFilter />}
        columns={columnsOf(context)}
      />
      {cancelled !== null && (
        <CancelDialog
          movements={rows.flatMap(({ record: { case: of, value } }) =>
            of === 'movement' && value.movementId === cancelled ? [value] : [],
          )}
          onClose={() => setCancelled(null)}
        />
      )}
    </div>
  )
}

const kinds = Object.values(TimelineKind)
  .filter((value) => typeof value === 'number' && value !== TimelineKind.UNSPECIFIED)
  .map((value) => contractWord(TimelineKind, Number(value)))

function KindFilter() {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const search = useSearch({ from: '/members/$memberId' })
  const shown = kinds.filter((kind) => kind !== 'action' || may('AuditService/ListAuditRecords'))
  return (
    <Select
      aria-label={t('timeline.kind')}
      value={search.kind ?? ''}
      onText={(text) => void navigate({ to: '.', search: { ...search, kind: text || undefined }, replace: true })}
      options={[['', t('timeline.all')], ...shown.map((kind) => [kind, t.of('timelineKind', kind)] as const)]}
    />
  )
}

function keyOf({ record: { case: of, value } }: TimelineEntry): string {
  switch (of) {
    case 'basket':
      return value.calculationId
    case 'movement':
      return `${value.movementId}/${value.currencyId}/${value.kind}/${value.amount}`
    case 'returned':
      return `return/${value.returnId}`
    case 'action':
      return `action/${value.auditId}`
    default:
      return `tier/${value?.tier}/${value?.previousTier}/${value?.until?.seconds}`
  }
}

interface Context {
  readonly t: Words
  readonly venueName: (venueId: string) => string
  readonly accounts: readonly Account[]
  /** Cancels an activation; null: the person may not. */
  readonly onCancel: ((movementId: bigint) => void) | null
}

function columnsOf(context: Context): readonly Column<TimelineEntry>[] {
  const { t } = context
  const venueOf = ({ record }: TimelineEntry) => (record.case === 'basket' ? { venueId: record.value.venueId } : {})
  return [
    {
      key: 'at',
      head: t('calculation.at'),
      cell: (row) => <Time at={row.at} {...venueOf(row)} />,
      value: (row) => Number(row.at?.seconds ?? 0n),
    },
    { key: 'kind', head: t('timeline.kind'), value: ({ kind }) => wordOf(t, 'timelineKind', TimelineKind, kind) },
    {
      key: 'what',
      head: t('timeline.what'),
      cell: (row) => <Record entry={row} context={context} />,
      value: (row) => textOf(row, context),
    },
    {
      key: 'change',
      head: t('timeline.change'),
      cell: (row) => <Amount entry={row} context={context} />,
      isNumber: true,
    },
    {
      key: 'saved',
      head: t('timeline.saved'),
      cell: ({ record: { case: of, value }, sale }) => {
        if (of !== 'basket') return null
        const given = sale?.givenTotal ?? value.givenTotal
        return given === 0n ? null : <Money minor={given} currency={value.currency} />
      },
      isNumber: true,
    },
    { key: 'actor', head: t('audit.actor'), value: actorOf, isExtra: true },
  ]
}

function actorOf({ record: { case: of, value } }: TimelineEntry): string {
  return of === 'movement' || of === 'returned' || of === 'action' ? value.actor : ''
}

/** The words of a row, by which the table filters. */
function textOf({ record: { case: of, value }, sale }: TimelineEntry, { t, venueName, accounts }: Context): string {
  switch (of) {
    case 'basket':
      if (sale === undefined)
        return `${venueName(value.venueId)}: ${wordOf(t, 'status', CalculationStatus, value.status)}, ${wordOf(t, 'state', CalculationState, value.state)}`
      return [
        venueName(value.venueId),
        wordOf(t, 'status', SaleStatus, sale.status),
        ...(sale.receiptNumber === undefined ? [] : [t('timeline.receipt', { receipt: String(sale.receiptNumber) })]),
      ].join(', ')
    case 'movement':
      return `${t.of('movementKind', value.kind)} ${nameOf(value, accounts)} ${value.reason}`
    case 'returned':
      return [
        value.reference,
        ...(sale?.receiptNumber === undefined ? [] : [t('timeline.receipt', { receipt: String(sale.receiptNumber) })]),
      ].join(', ')
    case 'tier':
      return tierText(t, value)
    case 'action':
      return `${callName(t, value.call)} ${value.reason}`
    default:
      return ''
  }
}

function nameOf({ currencyId }: Movement, accounts: readonly Account[]): string {
  return accounts.find((account) => account.currencyId === currencyId)?.name || currencyId
}

function tierText(t: Words, { tier, previousTier }: TierChange): string {
  return `${previousTier || t('member.noTier')} → ${tier || t('member.noTier')}`
}

interface RecordProps {
  readonly entry: TimelineEntry
  readonly context: Context
}

function Record({ entry, context }: RecordProps): ReactNode {
  const { t, onCancel } = context
  const { case: of, value } = entry.record
  const text = textOf(entry, context)
  switch (of) {
    case 'basket': {
      const { calculationId } = value
      const to = entry.sale === undefined ? '/calculations/$calculationId' : '/sales/$calculationId'
      return <TextLink to={to} params={{ calculationId }} text={text} />
    }
    case 'movement':
      return (
        <>
          {t.of('movementKind', value.kind)}: <Cause movement={value} />{' '}
          {value.kind === 'activated' && value.amount > 0n && onCancel !== null && (
            <Button data-plain onClick={() => onCancel(value.movementId)} text={t('cancel.open')} />
          )}
        </>
      )
    case 'returned':
      return <TextLink to="/sales/$calculationId" params={{ calculationId: value.calculationId }} text={text} />
    case 'tier':
      return (
        <>
          {text}{' '}
          {value.until !== undefined && (
            <>
              {t('member.until')} <Time at={value.until} show="lastDay" />
            </>
          )}
        </>
      )
    case 'action':
      return <Action record={value} />
    default:
      return text
  }
}

function Cause({ movement: { reason, cause } }: { readonly movement: Movement }) {
  const calculationId = /^(?:calculation|claim|spending):(.+)$/.exec(cause)?.[1]
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

function Action({ record: { auditId, call, reason, changes, subjectId } }: { readonly record: AuditRecord }) {
  const t = useWords()
  return (
    <>
      <TextLink
        to="/system/audit/$auditId"
        params={{ auditId: String(auditId) }}
        search={{ kind: 'member', subject: subjectId }}
        text={callName(t, call)}
      />
      {reason !== '' && `: ${reason}`}
      {changes.map(({ path, beforeJson, afterJson }) => (
        <span key={path} className="muted">
          {' '}
          {t.of('field', path)} <Said json={beforeJson} /> → <Said json={afterJson} />
        </span>
      ))}
    </>
  )
}

const moment = /^\d{4}-\d\d-\d\dT/

/** A value of an audit record as people write it. */
function Said({ json }: { readonly json: string }): ReactNode {
  const value: unknown = json === '' ? null : JSON.parse(json)
  if (typeof value === 'string' && moment.test(value)) return <Time at={new Date(value)} />
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ') || '–'
  return value === null || value === '' ? '–' : typeof value === 'string' ? value : json
}

function Amount({
  entry: {
    record: { case: of, value },
    sale,
  },
  context,
}: RecordProps): ReactNode {
  const { currencies } = useProgrammeNames(0)
  switch (of) {
    case 'basket':
      return <Money minor={sale?.paidTotal ?? value.netAfter} currency={value.currency} withCurrency />
    case 'returned':
      return sale === undefined ? null : <Money minor={-value.refund} currency={sale.currency} withCurrency />
    case 'movement': {
      const { currencyId, amount } = value
      const account = context.accounts.find((one) => one.currencyId === currencyId)
      const scale = account?.scale ?? currencies.get(currencyId)?.scale ?? 0
      return (
        <>
          <Change amount={amount} scale={scale} /> {nameOf(value, context.accounts)}
        </>
      )
    }
    default:
      return null
  }
}
