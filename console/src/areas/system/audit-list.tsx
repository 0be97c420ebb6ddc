import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AuditRecord } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { moreOf } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { AuditFilters } from './audit-filters.js'
import { AuditSubject } from './audit-subject.js'
import { useAudit } from './use-audit.js'

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
      filters={<AuditFilters key={JSON.stringify(search)} search={search} />}
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
      cell: (record) => <AuditSubject record={record} />,
      value: ({ subjectKind, subjectId }) => `${t.of('subject', subjectKind)} ${subjectId}`,
      isExtra: true,
    },
    { key: 'actor', head: t('audit.actor'), cell: ({ actor }) => actor, value: ({ actor }) => actor, isExtra: true },
  ]
}
