import { useState } from 'react'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import type { ActionProps } from './action-props.js'
import styles from './members.module.css'
import { useOpenCalculations } from './use-open-calculations.js'

/** Blocks a member, or lets it in again. */
export function BlockDialog({ member, onClose }: ActionProps) {
  const t = useWords()
  const { members, changed } = useCommands()
  const openCount = useOpenCalculations(member.memberId)
  // As it was when the dialog opened: what is done stays under its own title.
  const [unblock] = useState(member.blocked === true)
  const { memberId } = member
  return (
    <CommandDialog
      title={t(unblock ? 'block.titleUnblock' : 'block.title', { member: memberId })}
      verb={t(unblock ? 'action.unblock' : 'action.block')}
      draftKey={`block/${memberId}`}
      isReady={openCount !== undefined}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        await members.blockMember({ requestId, memberId, unblock, reason })
        await changed()
        return (
          <>
            <p>{t(unblock ? 'block.unblocked' : 'block.blocked', { member: memberId })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p>{t(unblock ? 'block.whatUnblock' : 'block.what')}</p>
      {!unblock && <p className={styles['change']}>{t('block.open', { count: openCount ?? 0 })}</p>}
    </CommandDialog>
  )
}
