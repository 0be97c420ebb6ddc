import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  type ProgrammeProposal,
  ProgrammeService,
  ProposalState,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'

/** Programmes that one person proposed for another to publish, newest first. */
export function ProposalList() {
  const t = useWords()
  const navigate = useNavigate()
  const { proposalId } = useParams({ strict: false })
  const query = useInfiniteQuery(ProgrammeService.method.listProposals, { pageSize, pageToken: '' }, pages)
  const pagesRead = query.data?.pages
  const rows = useMemo(() => pagesRead?.flatMap(({ proposals }) => proposals) ?? [], [pagesRead])
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('proposals.title')}
      columns={columnsOf(t, proposalId !== undefined)}
      rows={rows}
      keyOf={(row) => row.proposalId}
      openKey={proposalId}
      onOpen={(row) =>
        void navigate({ to: '/programme/proposals/$proposalId', params: { proposalId: row.proposalId } })
      }
      {...moreOf(query)}
      empty={<Empty why={t('proposals.empty')}>{t('proposals.emptyWhat')}</Empty>}
      filters={
        <Link to="/programme" className="button">
          {t('proposals.versions')}
        </Link>
      }
    />
  )
  const open = proposalId === undefined ? null : <Outlet />
  return <Split title={t('proposals.title')} lead={t('proposals.lead')} list={list} open={open} />
}

function columnsOf(t: Words, isOneOpen: boolean): readonly Column<ProgrammeProposal>[] {
  return [
    {
      key: 'at',
      head: t('proposals.at'),
      cell: ({ proposalId, proposedAt }) => (
        <Link to="/programme/proposals/$proposalId" params={{ proposalId }}>
          <Time at={proposedAt} />
        </Link>
      ),
      value: ({ proposedAt }) => Number(proposedAt?.seconds ?? 0n),
    },
    {
      key: 'state',
      head: t('proposals.state'),
      cell: ({ state }) => wordOf(t, 'proposalState', ProposalState, state),
      value: ({ state }) => wordOf(t, 'proposalState', ProposalState, state),
    },
    {
      key: 'by',
      head: t('proposals.by'),
      cell: ({ proposedBy }) => proposedBy,
      value: ({ proposedBy }) => proposedBy,
      isExtra: isOneOpen,
    },
    {
      key: 'note',
      head: t('proposals.note'),
      cell: ({ note }) => note,
      value: ({ note }) => note,
      isExtra: isOneOpen,
    },
  ]
}
