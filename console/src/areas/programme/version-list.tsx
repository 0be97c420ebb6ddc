import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  ProgrammeService,
  type ProgrammeVersion,
  ProposalState,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { useProgrammeDraft } from './draft-store.js'
import { useVersionLines } from './use-version-lines.js'

/** Versions of the programme, newest first: who published them, and when. */
export function VersionList() {
  const t = useWords()
  const navigate = useNavigate()
  const draft = useProgrammeDraft()
  const { version } = useParams({ strict: false })
  const query = useInfiniteQuery(ProgrammeService.method.listProgrammes, { pageSize, pageToken: '' }, pages)
  const pagesRead = query.data?.pages
  const rows = useMemo(() => pagesRead?.flatMap(({ programmes }) => programmes) ?? [], [pagesRead])
  const lines = useVersionLines(rows)
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('area.programme')}
      columns={columnsOf(t, lines, version !== undefined)}
      rows={rows}
      keyOf={(row) => String(row.version)}
      openKey={version}
      onOpen={(row) => void navigate({ to: '/programme/$version', params: { version: String(row.version) } })}
      {...moreOf(query)}
      empty={<Empty why={t('versions.empty')}>{t('versions.emptyWhat')}</Empty>}
      filters={
        <>
          <Link to="/programme/draft" className="button">
            {t(draft === null ? 'draft.begin' : 'draft.goOn')}
          </Link>
          <ProposalsLink />
        </>
      }
    />
  )
  const lead =
    rows[0] === undefined
      ? undefined
      : t('versions.lead', { version: String(rows[0].version), by: rows[0].publishedBy })
  return <Split title={t('area.programme')} lead={lead} list={list} open={version === undefined ? null : <Outlet />} />
}

/** How many proposals are counted. */
const waitingMax = 50

/** Leads to the proposals, and says how many wait. */
function ProposalsLink() {
  const t = useWords()
  const { data } = useQuery(ProgrammeService.method.listProposals, { pageSize: waitingMax, state: ProposalState.OPEN })
  const count = data?.proposals.length ?? 0
  const waiting = data?.nextPageToken ? 'proposals.waitingMore' : 'proposals.waiting'
  return (
    <Link to="/programme/proposals" className="button">
      {count === 0 ? t('proposals.title') : t(waiting, { count })}
    </Link>
  )
}

function columnsOf(
  t: Words,
  lines: ReadonlyMap<number, string>,
  isOneOpen: boolean,
): readonly Column<ProgrammeVersion>[] {
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
      isExtra: true,
    },
    {
      key: 'changes',
      head: t('versions.changes'),
      cell: (row) => lineOf(t, row, lines),
      value: (row) => lineOf(t, row, lines),
      isExtra: isOneOpen,
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

function lineOf(t: Words, { version, rolledBackTo }: ProgrammeVersion, lines: ReadonlyMap<number, string>): string {
  const kind = rolledBackTo === 0 ? [] : [`${t('versions.rolledBack', { version: rolledBackTo })}.`]
  return [...kind, version === 1 ? t('versions.first') : (lines.get(version) ?? '')].join(' ').trim()
}
