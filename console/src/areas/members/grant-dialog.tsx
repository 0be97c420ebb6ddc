import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useState } from 'react'
import { type CurrencyPart, useProgrammeNames } from '../../api/programme.js'
import { useCommands, useMay } from '../../api/use-commands.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { endOfDay } from '../../parts/offsets.js'
import { formatScaled } from '../../parts/scaled.js'
import { useDraft } from '../../parts/use-draft.js'
import { valueText } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import styles from './members.module.css'
import { readScaled } from './read-scaled.js'

/** Issues a voucher to a member, or claims a code that the member has. */
export function GrantDialog({ member, accounts, onClose }: ActionProps) {
  const t = useWords()
  const may = useMay()
  const { rewards, changed } = useCommands()
  const names = useProgrammeNames(0)
  const { memberId } = member
  const [isCode, setCode] = useState(false)
  const [code, storeCode, forgetCode] = useDraft(`grant/${memberId}/code`, '')
  const [typed, setTyped, forgetTyped] = useDraft(`grant/${memberId}/amount`, '')
  const [wanted, setWanted] = useState('')
  const [expiresOn, setExpiresOn] = useState('')
  const zone = useHouseZone()
  const currencies = [...names.currencies.values()]
  const currency = currencies.find(({ currencyId }) => currencyId === wanted) ?? currencies[0]
  const scale = currency?.scale ?? 0
  const amount = readScaled(typed, scale)
  const name = { by: { case: 'memberId' as const, value: memberId } }
  const isVoucherReady = currency !== undefined && amount !== null && amount > 0n
  const held = accounts.find(({ currencyId }) => currencyId === currency?.currencyId)?.available ?? 0n
  const given = (currencyId: string, what: bigint) => valueText({ t, names }, currencyId, what)
  const voucher = {
    currencyId: currency?.currencyId ?? '',
    amount: amount ?? 0n,
    members: [name],
    ...(expiresOn === '' ? {} : { expiresAt: timestampFromDate(endOfDay(expiresOn, zone)) }),
  }
  return (
    <CommandDialog
      title={t('grant.title', { member: memberId })}
      verb={t('grant.do')}
      draftKey={`grant/${memberId}`}
      isReady={isCode ? code.trim() !== '' : isVoucherReady}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const reply = isCode ? await rewards.claimCode({ requestId, member: name, code: code.trim(), reason }) : null
        if (reply === null) await rewards.issueVouchers({ ...voucher, requestId, reason })
        forgetCode()
        forgetTyped()
        await changed()
        return (
          <>
            <p className="gained">+{given(reply?.currencyId ?? currency!.currencyId, reply?.amount ?? amount!)}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      {may('RewardService/ClaimCode') && <WhatField isCode={isCode} onCode={setCode} />}
      {isCode ? (
        <label>
          {t('grant.code')}
          <input value={code} onChange={({ target }) => storeCode(target.value)} autoComplete="off" required />
        </label>
      ) : (
        <VoucherFields currencies={currencies} {...{ currency, setWanted, typed, setTyped, expiresOn, setExpiresOn }} />
      )}
      <p className={styles['change']} role="status">
        {isCode
          ? t('grant.codeWhat')
          : t('grant.change', {
              before: formatScaled(held, scale, t.locale),
              given: isVoucherReady ? formatScaled(amount, scale, t.locale) : '–',
            })}
      </p>
    </CommandDialog>
  )
}

interface WhatFieldProps {
  readonly isCode: boolean
  readonly onCode: (isCode: boolean) => void
}

function WhatField({ isCode, onCode }: WhatFieldProps) {
  const t = useWords()
  return (
    <label>
      {t('grant.what')}
      <select value={isCode ? 'code' : 'voucher'} onChange={({ target }) => onCode(target.value === 'code')}>
        <option value="voucher">{t('grant.voucher')}</option>
        <option value="code">{t('grant.code')}</option>
      </select>
    </label>
  )
}

interface VoucherFieldsProps {
  readonly currencies: readonly CurrencyPart[]
  readonly currency: CurrencyPart | undefined
  readonly setWanted: (currencyId: string) => void
  readonly typed: string
  readonly setTyped: (typed: string) => void
  readonly expiresOn: string
  readonly setExpiresOn: (day: string) => void
}

/** What a voucher is of, how much, and until when. */
function VoucherFields(props: VoucherFieldsProps) {
  const { currencies, currency, setWanted, typed, setTyped, expiresOn, setExpiresOn } = props
  const t = useWords()
  return (
    <>
      <div className={styles['pair']}>
        <label>
          {t('adjust.currency')}
          <select value={currency?.currencyId ?? ''} onChange={({ target }) => setWanted(target.value)}>
            {currencies.map(({ currencyId, name: shown }) => (
              <option key={currencyId} value={currencyId}>
                {shown || currencyId}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('grant.amount')}
          <input inputMode="decimal" value={typed} onChange={({ target }) => setTyped(target.value)} required />
        </label>
      </div>
      <label>
        {t('adjust.expires')}
        <input type="date" value={expiresOn} onChange={({ target }) => setExpiresOn(target.value)} />
      </label>
    </>
  )
}
