import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { MergeMembersResponse } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { newId } from '../../api/new-id.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { useDraft } from '../../parts/use-draft.js'
import { valueText } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import styles from './members.module.css'

/** Merges this member into another; a dry run says before what would move. */
export function MergeDialog({ member, onClose }: ActionProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { members, changed } = useCommands()
  const { memberId } = member
  const [into, setInto, forget] = useDraft(`merge/${memberId}/into`, '')
  const [tried, setTried] = useState<Tried | null>(null)
  const [merged, setMerged] = useState<string | null>(null)
  const names = (other: string) => ({
    from: { by: { case: 'memberId' as const, value: memberId } },
    into: { by: { case: 'memberId' as const, value: other } },
  })

  async function dryRun() {
    const other = into.trim()
    try {
      const answer = await members.mergeMembers({ requestId: newId(), ...names(other), dryRun: true })
      setTried({ into: other, answer })
    } catch (cause) {
      setTried({ into: other, cause })
    }
  }

  const isTried = tried !== null && 'answer' in tried && tried.into === into.trim()
  return (
    <CommandDialog
      title={t('merge.title', { member: memberId })}
      verb={t('action.merge')}
      draftKey={`merge/${memberId}`}
      isReady={isTried}
      onClose={() => {
        onClose()
        if (merged !== null) void navigate({ to: '/members/$memberId', params: { memberId: merged } })
      }}
      run={async ({ requestId, reason }) => {
        const other = into.trim()
        await members.mergeMembers({ requestId, ...names(other), dryRun: false, reason })
        forget()
        setMerged(other)
        await changed()
        return (
          <>
            <p>{t('merge.done', { from: memberId, into: other })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p>{t('merge.what', { member: memberId })}</p>
      <label>
        {t('merge.into')}
        <input value={into} onChange={(event) => setInto(event.target.value)} required />
      </label>
      <button type="button" onClick={() => void dryRun()} disabled={into.trim() === ''}>
        {t('merge.dryRun')}
      </button>
      {tried !== null && 'cause' in tried && <ErrorPanel cause={tried.cause} />}
      {isTried && <Moved answer={tried.answer} />}
    </CommandDialog>
  )
}

type Tried = { readonly into: string } & ({ readonly answer: MergeMembersResponse } | { readonly cause: unknown })

function Moved({ answer }: { readonly answer: MergeMembersResponse }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const { accounts, calculations, loyaltyIds, counters } = answer
  return (
    <div role="status">
      <ul className={styles['change']}>
        <li>{t('merge.calculations', { count: calculations })}</li>
        <li>{t('merge.loyaltyIds', { count: loyaltyIds })}</li>
        <li>{t('merge.counters', { count: counters })}</li>
        {accounts.map(({ currencyId, amount, debt, paid, completed }) => (
          <li key={currencyId}>
            {valueText({ t, names }, currencyId, amount)}
            {debt > 0n && `; ${t('merge.debt', { debt: valueText({ t, names }, currencyId, debt) })}`}
            {paid > 0n && `; ${t('merge.paid', { paid: valueText({ t, names }, currencyId, paid) })}`}
            {completed > 0n && `; ${t('merge.completed', { amount: valueText({ t, names }, currencyId, completed) })}`}
          </li>
        ))}
      </ul>
    </div>
  )
}
