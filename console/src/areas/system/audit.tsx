import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { AccessService } from '../../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { type AuditRecord, AuditService } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import type { FieldChange } from '../../../../gateway/gen/loyalty/v1/programme_diff_pb.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { callName } from '../../parts/command-dialog.js'
import { Select, TextLink } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { ListScreen } from '../../parts/list-screen.js'
import { endOfDay, momentAt } from '../../parts/offsets.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import { type Column, Rows } from '../../parts/rows.js'
import { Empty, ErrorPanel, Skeleton } from '../../parts/states.js'
import { Id, Time } from '../../parts/values.js'
import type { AuditSearch } from '../../search.js'
import { ForgettingProgress } from '../members/member-dialogs.js'
import styles from './system.module.css'

export function AuditList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/system/audit' })
  const { auditId } = useParams({ strict: false })
  const query = useAudit(search)
  return (
    <ListScreen
      title={t('system.audit')}
      query={query}
      columns={columnsOf(t)}
      rows={query.data?.pages.flatMap(({ records }) => records) ?? []}
      keyOf={(row) => String(row.auditId)}
      openKey={auditId}
      onOpen={(row) =>
        void navigate({ to: '/system/audit/$auditId', params: { auditId: String(row.auditId) }, search })
      }
      empty={[t('audit.empty'), t('audit.emptyWhat')]}
      filters={<AuditFilters key={JSON.stringify(search)} search={search} />}
    />
  )
}

function columnsOf(t: Words): readonly Column<AuditRecord>[] {
  return [
    {
      key: 'at',
      head: t('audit.at'),
      cell: ({ auditId, at }) => (
        <TextLink to="/system/audit/$auditId" params={{ auditId: String(auditId) }} search text={<Time at={at} />} />
      ),
      value: ({ auditId }) => auditId,
    },
    { key: 'call', head: t('audit.call'), value: ({ call }) => callName(t, call) },
    {
      key: 'subject',
      head: t('audit.subject'),
      cell: (record) => <AuditSubject record={record} />,
      value: ({ subjectKind, subjectId }) => `${t.of('subject', subjectKind)} ${subjectId}`,
      isExtra: true,
    },
    { key: 'actor', head: t('audit.actor'), value: ({ actor }) => actor, isExtra: true },
  ]
}

/** The service's own words. */
const kinds = ['programme', 'venue', 'member', 'codes', 'sale', 'webhook', 'calculation', 'proposal', 'draft', 'view']

function AuditFilters({ search }: { readonly search: AuditSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const [typed, setTyped] = useState({ actor: '', call: '', subject: '', ...search })
  const [kind, setKind] = useState(search.kind ?? '')
  const apply = (change: Readonly<Partial<Record<keyof AuditSearch, string>>> = {}) => {
    const next = { ...typed, kind, ...change }
    const isWhole = next.kind !== '' && next.subject.trim() !== ''
    const subject = isWhole ? { kind: next.kind, subject: next.subject.trim() } : {}
    const others = { actor: next.actor.trim(), call: next.call.trim(), from: next.from ?? '', until: next.until ?? '' }
    const given = Object.fromEntries(Object.entries(others).filter(([, text]) => text !== ''))
    const wanted: AuditSearch = { ...subject, ...given }
    if (JSON.stringify(wanted) !== JSON.stringify(search)) void navigate({ to: '/system/audit', search: wanted })
  }
  const text = (key: 'actor' | 'call' | 'subject', label: string, list?: string) => (
    <input
      value={typed[key]}
      aria-label={label}
      placeholder={label}
      list={list}
      onChange={(event) => setTyped({ ...typed, [key]: event.target.value })}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
      onBlur={() => apply()}
    />
  )
  const day = (key: 'from' | 'until', label: string) => (
    <DayField
      value={search[key] ?? ''}
      aria-label={label}
      placeholder={label}
      onText={(text) => apply({ [key]: text })}
    />
  )
  return (
    <>
      {text('actor', t('audit.who'))}
      {text('call', t('audit.call'), 'audit-calls')}
      <Calls />
      <Select
        aria-label={t('audit.kind')}
        value={kind}
        onText={(text) => {
          setKind(text)
          apply({ kind: text })
        }}
        options={[['', t('audit.anyKind')], ...kinds.map((word) => [word, t.of('subject', word)] as const)]}
      />
      {kind !== '' && text('subject', t('audit.subjectId'))}
      {day('from', t('reports.from'))}
      {day('until', t('reports.until'))}
    </>
  )
}

function Calls() {
  const t = useWords()
  const { data } = useQuery(AccessService.method.getAccess, {}, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <datalist id="audit-calls">
      {data?.calls.map((call) => (
        <option key={call} value={call}>
          {callName(t, call)}
        </option>
      ))}
    </datalist>
  )
}

const forgetting = 'MemberService/ForgetMember'

/** One change, before and after. The list is read until it has the record. */
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
  const { auditId, at, actor, call, requestId, beforeJson, afterJson, reason, changes, cards } = record
  return (
    <Detail title={t('audit.title', { id: String(auditId) })} closeTo="/system/audit">
      <Facts
        facts={[
          [t('audit.at'), <Time key="at" at={at} />],
          [t('audit.call'), callName(t, call)],
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

const paths: Readonly<Record<string, string>> = {
  programme: '/programme',
  proposal: '/programme/proposals',
  venue: '/system/venues',
  member: '/members',
  sale: '/sales',
  calculation: '/calculations',
  webhook: '/system/webhooks',
}

function AuditSubject({ record }: { readonly record: AuditRecord }) {
  const t = useWords()
  const { subjectKind, subjectId } = record
  const text = `${t.of('subject', subjectKind)} ${subjectId}`
  const path = paths[subjectKind]
  if (path === undefined) return text
  const to: string = `${path}/${encodeURIComponent(subjectId)}`
  return <Link to={to}>{text}</Link>
}

/** Audit records, newest first; the subject counts when both its parts are there. Days are in the venues' zone. */
function useAudit({ kind = '', subject = '', actor = '', call = '', from, until }: AuditSearch) {
  const zone = useHouseZone()
  return useInfiniteQuery(
    AuditService.method.listAuditRecords,
    {
      ...{ pageSize, pageToken: '', actor, call },
      ...(kind !== '' && subject !== '' ? { subjectKind: kind, subjectId: subject } : {}),
      ...(from === undefined ? {} : { from: timestampFromDate(momentAt(`${from}T00:00`, zone)) }),
      ...(until === undefined ? {} : { until: timestampFromDate(endOfDay(until, zone)) }),
    },
    pages,
  )
}
