import { useState } from 'react'
import { useProgrammeNames } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { formatScaled } from '../../parts/scaled.js'
import { useDraft } from '../../parts/use-draft.js'
import type { ActionProps } from './action-props.js'
import { debtPaid } from './debt-paid.js'
import { type Expiry, ExpiryChoice, expiryFields } from './expiry-choice.js'
import styles from './members.module.css'
import { readScaled } from './read-scaled.js'

/** Adds value to an account, or takes it. */
export function AdjustDialog({ member, accounts, onClose }: ActionProps) {
  const t = useWords()
  const { values, changed } = useCommands()
  const { currencies } = useProgrammeNames(0)
  const choices = currencyChoices(accounts, [...currencies.values()])
  const [currencyId, setCurrencyId] = useState('')
  const [typed, setTyped, forgetTyped] = useDraft(`adjust/${member.memberId}/amount`, '')
  const [expiry, setExpiry] = useState<Expiry>({ by: 'rule' })
  const zone = useHouseZone()
  const chosen = choices.find((one) => one.currencyId === currencyId) ?? choices[0]
  const account = accounts.find((one) => one.currencyId === chosen?.currencyId)
  const amount = chosen === undefined ? null : readScaled(typed, chosen.scale)
  const scale = chosen?.scale ?? 0
  const isShort = amount !== null && (account?.available ?? 0n) + amount < 0n
  const isUndated = amount !== null && amount > 0n && expiry.by === 'day' && expiry.day === ''

  return (
    <CommandDialog
      title={t('adjust.title', { member: member.memberId })}
      verb={t('adjust.do')}
      draftKey={`adjust/${member.memberId}`}
      isReady={amount !== null && amount !== 0n && !isShort && !isUndated}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const answer = await values.adjustValue({
          requestId,
          member: { by: { case: 'memberId', value: member.memberId } },
          currencyId: chosen!.currencyId,
          amount: amount!,
          reason,
          ...(amount! > 0n ? expiryFields(expiry, zone) : {}),
        })
        forgetTyped()
        await changed()
        const now = answer.accounts.find((one) => one.currencyId === chosen!.currencyId)
        const available = formatScaled(now?.available ?? 0n, scale, t.locale)
        return (
          <>
            <p>{t('adjust.done', { amount: available, currency: chosen!.name })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <div className={styles['pair']}>
        <label>
          {t('adjust.currency')}
          <select value={chosen?.currencyId ?? ''} onChange={(event) => setCurrencyId(event.target.value)}>
            {choices.map((one) => (
              <option key={one.currencyId} value={one.currencyId}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('adjust.amount')}
          <input inputMode="decimal" value={typed} onChange={(event) => setTyped(event.target.value)} required />
        </label>
      </div>
      {amount !== null && amount > 0n && (
        <ExpiryChoice currencyId={chosen?.currencyId ?? ''} expiry={expiry} onChange={setExpiry} />
      )}
      <Outcome typed={typed} amount={amount} account={account} scale={scale} />
    </CommandDialog>
  )
}

interface OutcomeProps {
  readonly typed: string
  /** null: what is typed is no amount. */
  readonly amount: bigint | null
  readonly account: ActionProps['accounts'][number] | undefined
  readonly scale: number
}

/** What the change would do, in numbers, or why it cannot be made. */
function Outcome({ typed, amount, account, scale }: OutcomeProps) {
  const t = useWords()
  const available = account?.available ?? 0n
  const shown = (value: bigint) => formatScaled(value, scale, t.locale)
  const line = () => {
    if (amount === null)
      return (
        <span className={typed === '' ? 'muted' : 'lost'}>
          {scale === 0 ? t('adjust.formWhole') : t('adjust.form', { count: scale })}
        </span>
      )
    if (available + amount < 0n)
      return <span className="lost">{t('adjust.short', { available: shown(available) })}</span>
    const paid = debtPaid(account, amount)
    return (
      <>
        {t('adjust.change', { before: shown(available), after: shown(available + amount - paid) })}
        {paid > 0n && <span>{t('adjust.paysDebt', { paid: shown(paid) })}</span>}
      </>
    )
  }
  return (
    <p className={styles['change']} role="status">
      {line()}
    </p>
  )
}

interface Choice {
  readonly currencyId: string
  readonly name: string
  readonly scale: number
}

/** Currencies of the programme in force, and what the member has of others. */
function currencyChoices(
  accounts: ActionProps['accounts'],
  currencies: readonly { readonly currencyId: string; readonly name?: string; readonly scale?: number | null }[],
): readonly Choice[] {
  const all = [...currencies, ...accounts]
  return all
    .filter(({ currencyId }, at) => all.findIndex((other) => other.currencyId === currencyId) === at)
    .map(({ currencyId, name, scale }) => ({ currencyId, name: name || currencyId, scale: scale ?? 0 }))
}
