import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { AuditRecord } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import type { FieldChange } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import type { Column } from '../../parts/column.js'
import { Detail, Facts, Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { ForgettingProgress } from '../../parts/forgetting-progress.js'
import { Id } from '../../parts/id.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { AuditSubject } from './audit-subject.js'
import styles from './system.module.css'
import { useAudit } from './use-audit.js'

const forgetting = 'MemberService/ForgetMember'

/** One change: what was there, and what is there since. The list is asked for until it holds the record. */
export function AuditDetail() {
  const t = useWords()
  const { auditId } = useParams({ from: '/system/audit/$auditId' })
  const query = useAudit(useSearch({ from: '/system/audit' }))
  const records = query.data?.pages.flatMap((page) => page.records) ?? []
  const record = records.find((one) => String(one.auditId) === auditId)
  const last = records.at(-1)?.auditId
  const mayCome = query.hasNextPage && /^\d+$/.test(auditId) && (last === undefined || last > BigInt(auditId))
  const { fetchNextPage, isFetchingNextPage } = query
  useEffect(() => {
    if (record === undefined && mayCome && !isFetchingNextPage) void fetchNextPage()
  }, [record, mayCome, isFetchingNextPage, fetchNextPage])
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  if (record !== undefined) return <Shown record={record} />
  if (query.isPending || mayCome) return <Skeleton />
  return <Empty why={t('audit.notFound')}>{t('audit.emptyWhat')}</Empty>
}

function Shown({ record }: { readonly record: AuditRecord }) {
  const t = useWords()
  const navigate = useNavigate()
  const { auditId, at, actor, call, requestId, beforeJson, afterJson, reason, changes, cards } = record
  return (
    <Detail
      title={t('audit.title', { id: String(auditId) })}
      closeTo="/system/audit"
      onClose={() => void navigate({ to: '/system/audit', search: true })}
    >
      <Facts
        facts={[
          [t('audit.at'), <Time key="at" at={at} />],
          [t('audit.call'), call],
          [t('audit.actor'), actor],
          [t('audit.subject'), <AuditSubject key="subject" record={record} />],
          [t('audit.reason'), reason || '–'],
          [t('error.requestId'), requestId === '' ? '–' : <Id key="id" id={requestId} />],
        ]}
      />
      {call === forgetting && <ForgettingProgress requestId={requestId} />}
      {changes.length > 0 && (
        <Part title={t('audit.changes')}>
          <Rows label={t('audit.changes')} columns={changeColumns(t)} rows={changes} keyOf={({ path }) => path} />
        </Part>
      )}
      {cards.map(({ loyaltyId, fromMemberId, toMemberId }) => (
        <p key={loyaltyId}>{t('audit.card', { card: loyaltyId, from: fromMemberId, to: toMemberId })}</p>
      ))}
      <Json title={t('changes.before')} json={beforeJson} />
      <Json title={t('changes.after')} json={afterJson} />
    </Detail>
  )
}

function changeColumns(t: Words): readonly Column<FieldChange>[] {
  return [
    { key: 'path', head: t('changes.field'), cell: ({ path }) => <code>{path}</code> },
    { key: 'before', head: t('changes.before'), cell: ({ beforeJson }) => <code>{beforeJson || '–'}</code> },
    { key: 'after', head: t('changes.after'), cell: ({ afterJson }) => <code>{afterJson || '–'}</code> },
  ]
}

function Json({ title, json }: { readonly title: string; readonly json: string }) {
  const t = useWords()
  return (
    <Part title={title}>
      {json === '' ? (
        <p className="muted">{t('audit.nothing')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className={styles['json']} tabIndex={0}>
          {indented(json)}
        </pre>
      )}
    </Part>
  )
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
