import type { ProgrammeProposal } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'

interface DialogProps {
  readonly proposal: ProgrammeProposal
  readonly onClose: () => void
}

/** Publishes a proposal of somebody else. */
export function ApproveDialog({ proposal, onClose }: DialogProps) {
  const t = useWords()
  const { programmes, published } = useCommands()
  const { proposalId, proposedBy, baseVersion } = proposal
  return (
    <CommandDialog
      title={t('proposals.approveTitle', { by: proposedBy })}
      verb={t('proposals.approve')}
      draftKey={`approve/${proposalId}`}
      withReason={false}
      onClose={onClose}
      run={async ({ requestId }) => {
        const { version } = await programmes.approveProposal({ requestId, proposalId }).finally(published)
        return (
          <>
            <p>{t('publish.done', { version: String(version) })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p>{t('proposals.approveWhat', { next: String(baseVersion + 1) })}</p>
    </CommandDialog>
  )
}

/** Ends a proposal without publishing it. @param isOwn  its author takes it back */
export function DeclineDialog({ proposal, isOwn, onClose }: DialogProps & { readonly isOwn: boolean }) {
  const t = useWords()
  const { programmes, changed } = useCommands()
  const { proposalId, proposedBy } = proposal
  return (
    <CommandDialog
      title={isOwn ? t('proposals.takeBackTitle') : t('proposals.declineTitle', { by: proposedBy })}
      verb={t(isOwn ? 'proposals.takeBack' : 'proposals.decline')}
      draftKey={`decline/${proposalId}`}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        await programmes.declineProposal({ requestId, proposalId, reason }).finally(changed)
        return (
          <>
            <p>{t('proposals.declined')}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p>{t('proposals.declineWhat')}</p>
    </CommandDialog>
  )
}
