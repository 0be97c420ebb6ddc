import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { AuditRecord } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { moreOf } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import type { AuditSearch } from './search.js'
import { useAudit } from './use-audit.js'

/** As the service has them. */
const kinds = ['programme', 'venue', 'member', 'codes', 'sale', 'webhook', 'calculation']

/** Who changed what, newest first. */
export function AuditList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/system/audit' })
  const { auditId } = useParams({ strict: false })
  const query = useAudit(search)
  const rows = query.data?.pages.flatMap(({ records }) => records) ?? []
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('system.audit')}
      columns={columnsOf(t)}
      rows={rows}
      keyOf={(row) => String(row.auditId)}
      openKey={auditId}
      onOpen={(row) =>
        void navigate({ to: '/system/audit/$auditId', params: { auditId: String(row.auditId) }, search })
      }
      {...moreOf(query)}
      empty={<Empty why={t('audit.empty')}>{t('audit.emptyWhat')}</Empty>}
      filters={<Filters key={JSON.stringify(search)} search={search} />}
    />
  )
  return <Split title={t('system.audit')} list={list} open={auditId === undefined ? null : <Outlet />} />
}

function columnsOf(t: Words): readonly Column<AuditRecord>[] {
  return [
    {
      key: 'at',
      head: t('audit.at'),
      cell: ({ auditId, at }) => (
        <Link to="/system/audit/$auditId" params={{ auditId: String(auditId) }} search={true}>
          <Time at={at} />
        </Link>
      ),
      value: ({ auditId }) => auditId,
    },
    { key: 'call', head: t('audit.call'), cell: ({ call }) => call, value: ({ call }) => call },
    {
      key: 'subject',
      head: t('audit.subject'),
      cell: ({ subjectKind, subjectId }) => `${t.of('subject', subjectKind)} ${subjectId}`,
      value: ({ subjectKind, subjectId }) => `${t.of('subject', subjectKind)} ${subjectId}`,
      isExtra: true,
    },
    { key: 'actor', head: t('audit.actor'), cell: ({ actor }) => actor, value: ({ actor }) => actor, isExtra: true },
  ]
}

function Filters({ search }: { readonly search: AuditSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const [kind, setKind] = useState(search.kind ?? '')
  const [subject, setSubject] = useState(search.subject ?? '')
  const apply = (next: { readonly kind: string; readonly subject: string }) => {
    const isWhole = next.kind !== '' && next.subject.trim() !== ''
    void navigate({ to: '/system/audit', search: isWhole ? { kind: next.kind, subject: next.subject.trim() } : {} })
  }
  return (
    <>
      <select
        aria-label={t('audit.kind')}
        value={kind}
        onChange={(event) => {
          setKind(event.target.value)
          if (event.target.value === '' || subject !== '') apply({ kind: event.target.value, subject })
        }}
      >
        <option value="">{t('audit.anyKind')}</option>
        {kinds.map((word) => (
          <option key={word} value={word}>
            {t.of('subject', word)}
          </option>
        ))}
      </select>
      {kind !== '' && (
        <input
          value={subject}
          aria-label={t('audit.subjectId')}
          placeholder={t('audit.subjectId')}
          onChange={(event) => setSubject(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && apply({ kind, subject })}
        />
      )}
    </>
  )
}
