import { useQuery } from '@connectrpc/connect-query'
import { useQuery as usePlainQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type DiffProgrammesResponse,
  type ProgrammeProposal,
  ProgrammeService,
  ProposalState,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { sessionQuery } from '../../api/session.js'
import { useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { Detail, Facts, Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { Changes } from './changes.js'
import { ApproveDialog, DeclineDialog } from './decide-dialogs.js'
import { editedBytesMax, useVersionDocument } from './use-document.js'
import { useNewest } from './use-newest.js'
import { Warnings } from './warnings.js'

/** A proposal: who proposed what, and what became of it. */
export function ProposalDetail() {
  const { proposalId } = useParams({ from: '/programme/proposals/$proposalId' })
  const query = useQuery(ProgrammeService.method.getProposal, { proposalId, withoutDocument: true })
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  return <Proposal key={proposalId} proposal={query.data.proposal!} />
}

function Proposal({ proposal }: { readonly proposal: ProgrammeProposal }) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const { data: session } = usePlainQuery(sessionQuery)
  const newest = useNewest().data?.programme?.version
  const [deciding, setDeciding] = useState<'approve' | 'decline' | null>(null)
  const { baseVersion, proposedBy, state } = proposal
  const isOpen = state === ProposalState.OPEN
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
      onClose={() => void navigate({ to: '/programme/proposals' })}
      buttons={
        <>
          {isOpen && may('ProgrammeService/DeclineProposal') && (
            <button type="button" onClick={() => setDeciding('decline')}>
              {t(isOwn ? 'proposals.takeBackOpen' : 'proposals.declineOpen')}
            </button>
          )}
          {mayApprove && (
            <button type="button" data-main onClick={() => setDeciding('approve')}>
              {t('proposals.approveOpen')}
            </button>
          )}
        </>
      }
    >
      {why !== null && <p className="muted">{t(why, { base: String(baseVersion), version: String(newest) })}</p>}
      <ProposalFacts proposal={proposal} />
      <Proposed {...proposed} isOpen={isOpen} />
      {deciding === 'approve' && <ApproveDialog proposal={proposal} onClose={() => setDeciding(null)} />}
      {deciding === 'decline' && <DeclineDialog proposal={proposal} isOwn={isOwn} onClose={() => setDeciding(null)} />}
    </Detail>
  )
}

function ProposalFacts({ proposal }: { readonly proposal: ProgrammeProposal }) {
  const t = useWords()
  const { baseVersion, note, proposedAt, state, decidedBy, decidedAt, reason } = proposal
  const version = String(proposal.version)
  return (
    <Facts
      facts={[
        [t('proposals.state'), wordOf(t, 'proposalState', ProposalState, state)],
        [t('proposals.at'), <Time key="at" at={proposedAt} />],
        [t('proposals.base'), baseVersion],
        ...(note === '' ? [] : [[t('proposals.note'), note] as const]),
        ...(state === ProposalState.OPEN
          ? []
          : [
              [t('proposals.decidedBy'), decidedBy] as const,
              [t('proposals.decidedAt'), <Time key="decided" at={decidedAt} />] as const,
            ]),
        ...(reason === '' ? [] : [[t('proposals.reason'), reason] as const]),
        ...(proposal.version === 0
          ? []
          : [
              [
                t('proposals.became'),
                <Link key="version" to="/programme/$version" params={{ version }}>
                  {t('versions.title', { version })}
                </Link>,
              ] as const,
            ]),
      ]}
    />
  )
}

/** A proposal's text and what it changes, for who decides about it. */
interface ProposedText {
  readonly document: string | undefined
  /** null: it loads, cannot be asked for, or is too large to be shown. */
  readonly changes: DiffProgrammesResponse | null
  /** The text that it changes; null as `changes`. */
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

/** What the proposal changes of its base version, and what looks unintended in it. */
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

/** As the service compares them: a person by the subject, for labels change, and a token by its digest, for roles do. */
function isSamePerson(one: string, other: string): boolean {
  const identity = (name: string) => /[(].*$|[^-(]*$/.exec(name)?.[0]
  return identity(one) === identity(other)
}
