import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useState } from 'react'
import { nowMs } from '../../api/clock.js'
import { memberRef, useProgrammeNames } from '../../api/programme.js'
import { useCommands, useMay } from '../../api/use-commands.js'
import { dayIn, useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Field, Select } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { endOfDay } from '../../parts/offsets.js'
import { formatScaled, readScaled } from '../../parts/scaled.js'
import { useDraft } from '../../parts/use-draft.js'
import { valueText } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import { debtPaid, lastDay } from './last-day.js'
import styles from './members.module.css'
import { currencyOptions, useWorth } from './worth.js'

export function AdjustDialog({ member, accounts, onClose }: ActionProps) {
  const t = useWords()
  const { values } = useCommands()
  const { currencies } = useProgrammeNames(0)
  const choices = currencyChoices(accounts, [...currencies.values()])
  const [currencyId, setCurrencyId] = useState('')
  const [typed, setTyped] = useDraft(`adjust/${member.memberId}/amount`, '')
  const [expiry, setExpiry] = useState<Expiry>({ by: 'rule' })
  const zone = useHouseZone()
  const chosen = choices.find((one) => one.currencyId === currencyId) ?? (choices.length === 1 ? choices[0] : undefined)
  const account = accounts.find((one) => one.currencyId === chosen?.currencyId)
  const amount = chosen === undefined ? null : readScaled(typed, chosen.scale)
  const scale = chosen?.scale ?? 0
  const isShort = amount !== null && (account?.available ?? 0n) + amount < 0n
  const isUndated = amount !== null && amount > 0n && expiry.by === 'day' && expiry.day === ''
  return (
    <CommandDialog
      title={t('adjust.title', { member: member.memberId })}
      verb={t('action.adjust')}
      draftKey={`adjust/${member.memberId}`}
      isReady={amount !== null && amount !== 0n && !isShort && !isUndated}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const answer = await values.adjustValue({
          requestId,
          member: memberRef(member.memberId),
          currencyId: chosen!.currencyId,
          amount: amount!,
          reason,
          ...(amount! > 0n ? expiryFields(expiry, zone) : {}),
        })
        const now = answer.accounts.find((one) => one.currencyId === chosen!.currencyId)
        const available = formatScaled(now?.available ?? 0n, scale, t.locale)
        return <p>{t('adjust.done', { amount: available, currency: chosen!.name })}</p>
      }}
    >
      <div className={styles['pair']}>
        <Select
          label={t('field.currency')}
          value={chosen?.currencyId ?? ''}
          onText={setCurrencyId}
          required
          options={currencyOptions(t, choices)}
        />
        <Field label={t('adjust.amount')} inputMode="decimal" value={typed} required onText={setTyped} />
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
  /** null: the typed text is no amount. */
  readonly amount: bigint | null
  readonly account: ActionProps['accounts'][number] | undefined
  readonly scale: number
}

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
    <p className="box" role="status">
      {line()}
    </p>
  )
}

interface Choice {
  readonly currencyId: string
  readonly name: string
  readonly scale: number
}

/** Currencies of the programme in force, and others of the member's accounts. */
function currencyChoices(
  accounts: ActionProps['accounts'],
  currencies: readonly { readonly currencyId: string; readonly name?: string; readonly scale?: number | null }[],
): readonly Choice[] {
  const all = [...currencies, ...accounts]
  return all
    .filter(({ currencyId }, at) => all.findIndex((other) => other.currencyId === currencyId) === at)
    .map(({ currencyId, name, scale }) => ({ currencyId, name: name || currencyId, scale: scale ?? 0 }))
}

/** Expiry of the added value; `day`: the last one, '' until it is chosen. */
export type Expiry = { readonly by: 'rule' | 'never' } | { readonly by: 'day'; readonly day: string }

/** The expiry fields of AdjustValue. @param zone  of the day */
function expiryFields(expiry: Expiry, zone: string) {
  switch (expiry.by) {
    case 'rule':
      return {}
    case 'never':
      return { neverExpires: true }
    case 'day':
      return { expiresAt: timestampFromDate(endOfDay(expiry.day, zone)) }
  }
}

interface ExpiryChoiceProps {
  readonly currencyId: string
  readonly expiry: Expiry
  readonly onChange: (expiry: Expiry) => void
}

function ExpiryChoice({ currencyId, expiry, onChange }: ExpiryChoiceProps) {
  const t = useWords()
  const { currencies, timeZone } = useProgrammeNames(0)
  const byRule = () => {
    const currency = currencies.get(currencyId)
    if (currency === undefined) return t('adjust.byRule')
    if (currency.expires == null) return t('adjust.byRuleNever')
    const day = lastDay(currency.expires, dayIn(timeZone, nowMs()))
    const format = new Intl.DateTimeFormat(t.locale, { dateStyle: 'medium', timeZone: 'UTC' })
    return t('adjust.byRuleDay', { day: format.format(new Date(day)) })
  }
  const choose = (by: string) => onChange(by === 'day' ? { by, day: '' } : { by: by === 'never' ? by : 'rule' })
  return (
    <div className={styles['pair']}>
      <Select
        label={t('field.expires')}
        value={expiry.by}
        onText={choose}
        options={[
          ['rule', byRule()],
          ['never', t('field.never')],
          ['day', t('adjust.onDay')],
        ]}
      />
      {expiry.by === 'day' && (
        <DayField
          label={t('adjust.lastDay')}
          value={expiry.day}
          required
          onText={(text) => onChange({ by: 'day', day: text })}
        />
      )}
    </div>
  )
}

export function GrantDialog({ member, accounts, onClose }: ActionProps) {
  const t = useWords()
  const may = useMay()
  const { rewards } = useCommands()
  const names = useProgrammeNames(0)
  const { memberId } = member
  const [isCode, setCode] = useState(false)
  const [code, storeCode] = useDraft(`grant/${memberId}/code`, '')
  const { fields, currency, worth } = useWorth(`grant/${memberId}`)
  const scale = currency?.scale ?? 0
  const name = memberRef(memberId)
  const held = accounts.find(({ currencyId }) => currencyId === currency?.currencyId)?.available ?? 0n
  const given = (currencyId: string, what: bigint) => valueText({ t, names }, currencyId, what)
  return (
    <CommandDialog
      title={t('grant.title', { member: memberId })}
      verb={t('grant.do')}
      draftKey={`grant/${memberId}`}
      isReady={isCode ? code.trim() !== '' : worth !== null}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const reply = isCode ? await rewards.claimCode({ requestId, member: name, code: code.trim(), reason }) : null
        if (reply !== null) return <p className="gained">+{given(reply.currencyId, reply.amount)}</p>
        await rewards.issueVouchers({ ...worth!.request, members: [name], requestId, reason })
        return <p className="gained">+{given(worth!.currency.currencyId, worth!.amount)}</p>
      }}
    >
      {may('RewardService/ClaimCode') && <GrantKind isCode={isCode} onCode={setCode} />}
      {isCode ? <Field label={t('grant.code')} value={code} autoComplete="off" required onText={storeCode} /> : fields}
      <p className="box" role="status">
        {isCode
          ? t('grant.codeWhat')
          : t('grant.change', {
              before: formatScaled(held, scale, t.locale),
              given: worth === null ? '–' : formatScaled(worth.amount, scale, t.locale),
            })}
      </p>
    </CommandDialog>
  )
}

function GrantKind({ isCode, onCode }: { readonly isCode: boolean; readonly onCode: (isCode: boolean) => void }) {
  const t = useWords()
  const options = [['voucher', t('grant.voucher')] as const, ['code', t('grant.code')] as const]
  const value = isCode ? 'code' : 'voucher'
  return <Select label={t('grant.what')} value={value} onText={(kind) => onCode(kind === 'code')} options={options} />
}
