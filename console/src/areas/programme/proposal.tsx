import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { useQuery as usePlainQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { DiffProgrammesResponse } from '../../../../gateway/gen/loyalty/v1/programme_diff_pb.js'
import { type ProgrammeProposal, ProposalState } from '../../../../gateway/gen/loyalty/v1/programme_proposal_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { sessionQuery } from '../../api/session.js'
import { useCommands, useMay } from '../../api/use-commands.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, TextLink } from '../../parts/controls.js'
import { ListScreen } from '../../parts/list-screen.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import type { Column } from '../../parts/rows.js'
import { ErrorPanel, Skeleton, Waiting } from '../../parts/states.js'
import { StateBadge, Time, wordOf } from '../../parts/values.js'
import { Changes, Warnings } from './changes.js'
import { beginDraft } from './draft-store.js'
import { Scheduled, useSchedule } from './schedule.js'
import { editedBytesMax, useNewest, useVersionDocument } from './use-document.js'
import { useWorstChecks } from './worst/worst-checks.js'

export function ProposalDetail() {
  const { proposalId } = useParams({ from: '/programme/proposals/$proposalId' })
  const query = useQuery(ProgrammeService.method.getProposal, { proposalId, withoutDocument: true })
  if (!query.isSuccess) return <Waiting query={query} />
  return <Proposal key={proposalId} proposal={query.data.proposal!} />
}

function Proposal({ proposal }: { readonly proposal: ProgrammeProposal }) {
  const t = useWords()
  const may = useMay()
  const { data: session } = usePlainQuery(sessionQuery)
  const newest = useNewest().data?.programme?.version
  const [deciding, setDeciding] = useState<'approve' | 'decline' | null>(null)
  const { baseVersion, proposedBy, state } = proposal
  const isOpen = state === ProposalState.OPEN
  const isFailed = state === ProposalState.FAILED
  const isLive = isOpen || isFailed || state === ProposalState.SCHEDULED
  const name = session?.name
  const isOwn = name !== undefined && isSamePerson(name, proposedBy)
  const isStale = newest !== undefined && newest !== baseVersion
  const proposed = useProposed(proposal)
  const isSeen = proposed.changes !== null && name !== undefined && newest !== undefined
  const mayApprove = isOpen && isSeen && !isOwn && !isStale && may('ProgrammeService/ApproveProposal')
  const why = !isOpen ? null : isStale ? 'proposals.stale' : isOwn ? 'proposals.own' : null
  return (
    <Detail
      title={t('proposals.one', { by: proposedBy })}
      closeTo="/programme/proposals"
      buttons={
        <>
          {(isFailed || (isOpen && isStale)) && proposed.document !== undefined && (
            <EditButton document={proposed.document} baseVersion={baseVersion} />
          )}
          {isLive && may('ProgrammeService/DeclineProposal') && (
            <Button onClick={() => setDeciding('decline')} text={t(wordsOf(state, isOwn).open)} />
          )}
          {mayApprove && <Button data-main onClick={() => setDeciding('approve')} text={t('proposals.approveOpen')} />}
        </>
      }
    >
      {why !== null && <p className="muted">{t(why, { base: String(baseVersion), version: String(newest) })}</p>}
      <ProposalFacts proposal={proposal} />
      <Proposed {...proposed} isOpen={isOpen} />
      {deciding === 'approve' && (
        <ApproveDialog proposal={proposal} document={proposed.document!} onClose={() => setDeciding(null)} />
      )}
      {deciding === 'decline' && <DeclineDialog proposal={proposal} isOwn={isOwn} onClose={() => setDeciding(null)} />}
    </Detail>
  )
}

const badge = {
  ...{ group: 'proposalState', values: ProposalState },
  live: [ProposalState.OPEN, ProposalState.SCHEDULED],
  wrong: [ProposalState.FAILED],
} as const

function ProposalFacts({ proposal }: { readonly proposal: ProgrammeProposal }) {
  const t = useWords()
  const { baseVersion, note, proposedAt, state, decidedBy, decidedAt, reason, publishAt, failure } = proposal
  const version = String(proposal.version)
  const isOpen = state === ProposalState.OPEN
  return (
    <Facts
      facts={[
        [t('proposals.state'), <StateBadge key="state" {...badge} value={state} />],
        [t('proposals.at'), <Time key="at" at={proposedAt} />],
        [t('proposals.base'), baseVersion],
        [t('proposals.note'), note || undefined],
        [t('proposals.decidedBy'), isOpen ? undefined : decidedBy],
        [t('proposals.decidedAt'), isOpen ? undefined : <Time key="decided" at={decidedAt} />],
        [
          t('proposals.publishAt'),
          publishAt && <Time key="publish" at={publishAt} zone={proposal.timeZone} show="full" />,
        ],
        [t('proposals.failure'), failure === '' ? undefined : t.of('failure', failure)],
        [t('audit.reason'), reason || undefined],
        [
          t('proposals.became'),
          proposal.version === 0 ? undefined : (
            <TextLink
              key="version"
              to="/programme/$version"
              params={{ version }}
              text={t('versions.title', { version })}
            />
          ),
        ],
      ]}
    />
  )
}

interface ProposedText {
  readonly document: string | undefined
  /** null: it loads, cannot be read, or is too large to be shown. */
  readonly changes: DiffProgrammesResponse | null
  /** The text of the base; null as `changes`. */
  readonly base: string | null
  readonly isTooLarge: boolean
  readonly fault: Error | null
  retry(): void
}

function useProposed({ proposalId, baseVersion, documentBytes }: ProgrammeProposal): ProposedText {
  const base = useVersionDocument(baseVersion)
  const isTooLarge = documentBytes > editedBytesMax || base.isTooLarge
  const found = useQuery(ProgrammeService.method.getProposal, { proposalId }, { enabled: !isTooLarge, gcTime: 0 })
  const document = found.data?.document
  const diff = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion, changed: { case: 'draftDocument', value: document ?? '' } },
    { enabled: document !== undefined, gcTime: 0 },
  )
  const changes = isTooLarge || base.document === null || diff.data === undefined ? null : diff.data
  const retry = () => {
    if (base.error !== null) base.retry()
    else void (found.isError ? found : diff).refetch()
  }
  return { document, changes, base: base.document, isTooLarge, fault: base.error ?? found.error ?? diff.error, retry }
}

function Proposed({ isOpen, ...proposed }: ProposedText & { readonly isOpen: boolean }) {
  const t = useWords()
  const { document, changes, base, isTooLarge, fault, retry } = proposed
  return (
    <Part title={t('versions.changes')}>
      {isTooLarge ? (
        <p>{t('proposals.tooLarge')}</p>
      ) : fault !== null ? (
        <ErrorPanel cause={fault} onRetry={retry} />
      ) : changes !== null && document !== undefined ? (
        <>
          <Changes {...changes} base={base} changed={document} />
          {isOpen && <Warnings document={document} />}
        </>
      ) : (
        <Skeleton lines={4} />
      )}
    </Part>
  )
}

/** Compares as the service does: a person by the subject, because labels change, and a token by its digest, because roles do. */
function isSamePerson(one: string, other: string): boolean {
  const identity = (name: string) => /[(].*$|[^-(]*$/.exec(name)?.[0]
  return identity(one) === identity(other)
}

interface DialogProps {
  readonly proposal: ProgrammeProposal
  readonly onClose: () => void
}

function ApproveDialog({ proposal, document, onClose }: DialogProps & { readonly document: string }) {
  const t = useWords()
  const worst = useWorstChecks(document)
  const { moment, ...schedule } = useSchedule(`approve/${proposal.proposalId}`)
  const { programmes } = useCommands()
  const { proposalId, proposedBy, baseVersion } = proposal
  return (
    <CommandDialog
      title={t('proposals.approveTitle', { by: proposedBy })}
      verb={t(moment === null ? 'proposals.approve' : 'schedule.approve')}
      draftKey={`approve/${proposalId}`}
      refresh="published"
      withReason={false}
      isReady={worst.isReady && schedule.isReady}
      onClose={onClose}
      run={async ({ requestId }) => {
        const acknowledgements = [...worst.acknowledgements]
        if (moment !== null) {
          const programme = { case: 'proposalId', value: proposalId } as const
          const scheduled = await programmes.schedulePublication({ requestId, programme, acknowledgements, ...moment })
          return <Scheduled proposal={scheduled.proposal} />
        }
        const { version } = await programmes.approveProposal({ requestId, proposalId, acknowledgements })
        return <p>{t('publish.done', { version: String(version) })}</p>
      }}
    >
      {moment === null && <p>{t('proposals.approveWhat', { next: String(baseVersion + 1) })}</p>}
      {worst.checks}
      {schedule.fields}
    </CommandDialog>
  )
}

/** Goes on with a proposal that cannot be published as a draft, into which other versions are taken over. */
function EditButton({ document, baseVersion }: { readonly document: string; readonly baseVersion: number }) {
  const t = useWords()
  const navigate = useNavigate()
  const edit = () => {
    beginDraft({ text: document, baseVersion, isChanged: true })
    void navigate({ to: '/programme/draft' })
  }
  return <Button onClick={edit} text={t('proposals.edit')} />
}

const endWords = {
  cancel: { open: 'proposals.cancelOpen', title: 'proposals.cancelTitle', verb: 'proposals.cancel' },
  putAway: { open: 'proposals.putAwayOpen', title: 'proposals.putAwayTitle', verb: 'proposals.putAway' },
  takeBack: { open: 'proposals.takeBackOpen', title: 'proposals.takeBackTitle', verb: 'proposals.takeBack' },
  decline: { open: 'proposals.declineOpen', title: 'proposals.declineTitle', verb: 'proposals.decline' },
} as const

function wordsOf(state: ProposalState, isOwn: boolean) {
  if (state === ProposalState.SCHEDULED) return endWords.cancel
  if (state === ProposalState.FAILED) return endWords.putAway
  return isOwn ? endWords.takeBack : endWords.decline
}

/** Ends a proposal without publishing it. @param isOwn  its author withdraws it */
function DeclineDialog({ proposal, isOwn, onClose }: DialogProps & { readonly isOwn: boolean }) {
  const t = useWords()
  const { programmes } = useCommands()
  const { proposalId, proposedBy, state } = proposal
  const words = wordsOf(state, isOwn)
  return (
    <CommandDialog
      title={t(words.title, { by: proposedBy })}
      verb={t(words.verb)}
      draftKey={`decline/${proposalId}`}
      refresh="published"
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        await programmes.declineProposal({ requestId, proposalId, reason })
        return <p>{t('proposals.declined')}</p>
      }}
    >
      <p>{t('proposals.declineWhat')}</p>
    </CommandDialog>
  )
}

export function ProposalList() {
  const t = useWords()
  const navigate = useNavigate()
  const { proposalId } = useParams({ strict: false })
  const query = useInfiniteQuery(ProgrammeService.method.listProposals, { pageSize, pageToken: '' }, pages)
  const rows = useMemo(() => query.data?.pages.flatMap(({ proposals }) => proposals) ?? [], [query.data])
  return (
    <ListScreen
      title={t('proposals.title')}
      lead={t('proposals.lead')}
      query={query}
      columns={columnsOf(t, proposalId !== undefined)}
      rows={rows}
      keyOf={(row) => row.proposalId}
      openKey={proposalId}
      onOpen={(row) =>
        void navigate({ to: '/programme/proposals/$proposalId', params: { proposalId: row.proposalId } })
      }
      empty={[t('proposals.empty'), t('proposals.emptyWhat')]}
      filters={<TextLink to="/programme" className="button" text={t('proposals.versions')} />}
    />
  )
}

function columnsOf(t: Words, isOneOpen: boolean): readonly Column<ProgrammeProposal>[] {
  return [
    {
      key: 'at',
      head: t('proposals.at'),
      cell: ({ proposalId, proposedAt }) => (
        <TextLink to="/programme/proposals/$proposalId" params={{ proposalId }} text={<Time at={proposedAt} />} />
      ),
      value: ({ proposedAt }) => Number(proposedAt?.seconds ?? 0n),
    },
    {
      key: 'state',
      head: t('proposals.state'),
      cell: ({ state }) => <StateBadge {...badge} value={state} />,
      value: ({ state }) => wordOf(t, 'proposalState', ProposalState, state),
    },
    {
      key: 'publishAt',
      head: t('proposals.publishAt'),
      cell: ({ publishAt, timeZone }) => <Time at={publishAt} zone={timeZone} show="full" />,
      value: ({ publishAt }) => Number(publishAt?.seconds ?? 0n),
    },
    { key: 'by', head: t('audit.actor'), value: ({ proposedBy }) => proposedBy, isExtra: isOneOpen },
    { key: 'note', head: t('proposals.note'), value: ({ note }) => note, isExtra: isOneOpen },
  ]
}
