import { useQuery } from '@connectrpc/connect-query'
import { useQuery as usePlainQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import {
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
  const isOwn = session?.name === proposedBy
  const isStale = newest !== undefined && newest !== baseVersion
  const mayApprove = isOpen && !isOwn && !isStale && newest !== undefined && may('ProgrammeService/ApproveProposal')
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
      <Proposed proposal={proposal} />
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

/** What the proposal changes of its base version, and what looks unintended in it. */
function Proposed({ proposal }: { readonly proposal: ProgrammeProposal }) {
  const t = useWords()
  const { proposalId, baseVersion, documentBytes } = proposal
  const isTooLarge = documentBytes > editedBytesMax
  const found = useQuery(ProgrammeService.method.getProposal, { proposalId }, { enabled: !isTooLarge, gcTime: 0 })
  const document = found.data?.document
  const diff = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion, changed: { case: 'draftDocument', value: document ?? '' } },
    { enabled: document !== undefined, gcTime: 0 },
  )
  const base = useVersionDocument(baseVersion).document
  const fault = found.error ?? diff.error
  return (
    <Part title={t('versions.changes')}>
      {isTooLarge ? (
        <p>{t('proposals.tooLarge')}</p>
      ) : fault !== null ? (
        <ErrorPanel cause={fault} />
      ) : diff.isSuccess && document !== undefined ? (
        <>
          <Changes {...diff.data} base={base} changed={document} />
          {proposal.state === ProposalState.OPEN && <Warnings document={document} />}
        </>
      ) : (
        <Skeleton lines={4} />
      )}
    </Part>
  )
}
