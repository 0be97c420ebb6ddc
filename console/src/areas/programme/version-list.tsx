import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { ProgrammeService, type ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { useProgrammeDraft } from './draft-store.js'

/** Versions of the programme, newest first: who published them, and when. */
export function VersionList() {
  const t = useWords()
  const navigate = useNavigate()
  const draft = useProgrammeDraft()
  const { version } = useParams({ strict: false })
  const query = useInfiniteQuery(ProgrammeService.method.listProgrammes, { pageSize, pageToken: '' }, pages)
  const rows = query.data?.pages.flatMap(({ programmes }) => programmes) ?? []
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('area.programme')}
      columns={columnsOf(t)}
      rows={rows}
      keyOf={(row) => String(row.version)}
      openKey={version}
      onOpen={(row) => void navigate({ to: '/programme/$version', params: { version: String(row.version) } })}
      {...moreOf(query)}
      empty={<Empty why={t('versions.empty')}>{t('versions.emptyWhat')}</Empty>}
      filters={
        <Link to="/programme/draft" className="button">
          {t(draft === null ? 'draft.begin' : 'draft.goOn')}
        </Link>
      }
    />
  )
  const lead =
    rows[0] === undefined
      ? undefined
      : t('versions.lead', { version: String(rows[0].version), by: rows[0].publishedBy })
  return <Split title={t('area.programme')} lead={lead} list={list} open={version === undefined ? null : <Outlet />} />
}

function columnsOf(t: Words): readonly Column<ProgrammeVersion>[] {
  return [
    {
      key: 'version',
      head: t('versions.version'),
      cell: ({ version }) => (
        <Link to="/programme/$version" params={{ version: String(version) }}>
          {version}
        </Link>
      ),
      value: ({ version }) => version,
    },
    {
      key: 'at',
      head: t('versions.at'),
      cell: ({ publishedAt }) => <Time at={publishedAt} />,
      value: ({ publishedAt }) => Number(publishedAt?.seconds ?? 0n),
    },
    {
      key: 'by',
      head: t('versions.by'),
      cell: ({ publishedBy }) => publishedBy,
      value: ({ publishedBy }) => publishedBy,
    },
    {
      key: 'rollback',
      head: t('versions.kind'),
      cell: ({ rolledBackTo }) => (rolledBackTo === 0 ? '' : t('versions.rolledBack', { version: rolledBackTo })),
      value: ({ rolledBackTo }) => rolledBackTo,
      isExtra: true,
    },
    {
      key: 'bytes',
      head: t('versions.bytes'),
      cell: ({ documentBytes }) => new Intl.NumberFormat(t.locale).format(documentBytes),
      value: ({ documentBytes }) => documentBytes,
      isNumber: true,
      isExtra: true,
    },
  ]
}
