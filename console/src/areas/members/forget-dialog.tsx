import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { ForgettingProgress } from '../../parts/forgetting-progress.js'
import { formatScaled } from '../../parts/scaled.js'
import type { ActionProps } from './action-props.js'
import styles from './members.module.css'
import { useOpenCalculations } from './use-open-calculations.js'

/** Forgets a member for good; its id has to be typed. */
export function ForgetDialog({ member, accounts, onClose }: ActionProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { members, changed } = useCommands()
  const { memberId, loyaltyIds } = member
  const openCount = useOpenCalculations(memberId)
  const [typed, setTyped] = useState('')
  const [isForgotten, setForgotten] = useState(false)
  const held = accounts.filter(({ available, pending, held }) => available + pending + held > 0n)
  return (
    <CommandDialog
      title={t('forget.title', { member: memberId })}
      verb={t('action.forget')}
      draftKey={`forget/${memberId}`}
      isReady={typed === memberId && openCount !== undefined}
      onClose={() => {
        onClose()
        if (isForgotten) void navigate({ to: '/members' })
      }}
      run={async ({ requestId, reason }) => {
        const { calculations, sales, counters } = await members.forgetMember({ requestId, memberId, reason })
        setForgotten(true)
        await changed()
        return (
          <>
            <p>{t('forget.done', { calculations, sales, counters })}</p>
            <ForgettingProgress requestId={requestId} />
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p className="lost">{t('forget.what')}</p>
      <ul className={styles['change']}>
        <li>{t('forget.loyaltyIds', { count: loyaltyIds.length })}</li>
        <li>{t('forget.open', { count: openCount ?? 0 })}</li>
        {held.map(({ currencyId, name, scale, available, pending, held }) => (
          <li key={currencyId}>
            {t('forget.forfeits', {
              amount: formatScaled(available + pending + held, scale, t.locale),
              currency: name || currencyId,
            })}
          </li>
        ))}
      </ul>
      <label>
        {t('forget.type', { member: memberId })}
        <input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" required />
      </label>
    </CommandDialog>
  )
}
