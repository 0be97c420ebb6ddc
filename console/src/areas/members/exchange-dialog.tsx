import { useState } from 'react'
import type { ActivateRewardResponse } from '../../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import type { Account, Movement } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { type ExchangePart, memberRef, useProgrammeNames } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Field, Select } from '../../parts/controls.js'
import { formatScaled, readScaled } from '../../parts/scaled.js'
import { Empty } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { Time } from '../../parts/values.js'
import { valueText } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import { debtPaid } from './last-day.js'
import styles from './members.module.css'

export function ExchangeDialog({ member, accounts, onClose }: ActionProps) {
  const t = useWords()
  const { rewards } = useCommands()
  const names = useProgrammeNames(0)
  const { memberId } = member
  const [wanted, setWanted] = useState('')
  const [typed, setTyped] = useDraft(`exchange/${memberId}/times`, '1')
  const exchange = names.exchanges.find(({ exchangeId }) => exchangeId === wanted)
  const times = readScaled(typed, 0) ?? 0n
  const accountOf = (currencyId: string) => accounts.find((one) => one.currencyId === currencyId)
  const has = (currencyId: string) => accountOf(currencyId)?.available ?? 0n
  const isEnough = exchange !== undefined && has(exchange.from.currencyId) >= BigInt(exchange.from.amount) * times
  const value = (currencyId: string, amount: bigint) => valueText({ t, names }, currencyId, amount)
  return (
    <CommandDialog
      title={t('exchange.title', { member: memberId })}
      verb={t('action.exchange')}
      draftKey={`exchange/${memberId}`}
      isReady={isEnough && times > 0n && times < 2n ** 31n}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { from, to } = exchange!
        const answer = await rewards.activateReward({
          requestId,
          member: memberRef(memberId),
          fromCurrencyId: from.currencyId,
          toCurrencyId: to.currencyId,
          times: Number(times),
          reason,
        })
        return <Exchanged exchange={exchange!} answer={answer} value={value} />
      }}
    >
      {names.exchanges.length === 0 ? (
        <Empty why={t('exchange.none')}>{t('exchange.noneWhat')}</Empty>
      ) : (
        <>
          <div className={styles['pair']}>
            <Select
              label={t('exchange.what')}
              value={wanted}
              required
              onText={setWanted}
              options={[
                ['', t('exchange.choose')],
                ...names.exchanges.map(({ exchangeId, from, to }) => {
                  const values = {
                    from: value(from.currencyId, BigInt(from.amount)),
                    to: value(to.currencyId, BigInt(to.amount)),
                  }
                  return [exchangeId, t('says.exchange', values)] as const
                }),
              ]}
            />
            <Field label={t('exchange.times')} inputMode="numeric" value={typed} required onText={setTyped} />
          </div>
          {exchange !== undefined && <Change {...{ exchange, times, has, accountOf, isEnough }} />}
        </>
      )}
    </CommandDialog>
  )
}

interface ExchangedProps {
  readonly exchange: ExchangePart
  readonly answer: ActivateRewardResponse
  readonly value: (currencyId: string, amount: bigint) => string
}

function Exchanged({ exchange: { from, to }, answer, value }: ExchangedProps) {
  const t = useWords()
  return (
    <>
      <p className="lost">−{value(from.currencyId, answer.fromAmount)}</p>
      <p className="gained">
        +{value(to.currencyId, answer.toAmount)}
        {answer.expiresAt !== undefined && (
          <>
            , {t('member.until')} <Time at={answer.expiresAt} show="lastDay" />
          </>
        )}
      </p>
    </>
  )
}

interface ChangeProps {
  readonly exchange: ExchangePart
  readonly times: bigint
  readonly has: (currencyId: string) => bigint
  readonly accountOf: (currencyId: string) => Account | undefined
  readonly isEnough: boolean
}

function Change({ exchange: { from, to, validDays }, times, has, accountOf, isEnough }: ChangeProps) {
  const t = useWords()
  const { currencies } = useProgrammeNames(0)
  const line = (currencyId: string, change: bigint) => {
    const { scale, name } = currencies.get(currencyId) ?? {}
    const shown = (amount: bigint) => formatScaled(amount, scale ?? 0, t.locale)
    const before = has(currencyId)
    const after = before + change - debtPaid(accountOf(currencyId), change)
    return `${name ?? currencyId}: ${shown(before)} → ${shown(after)}`
  }
  if (!isEnough) {
    const { scale, name } = currencies.get(from.currencyId) ?? {}
    const shown = (amount: bigint) => formatScaled(amount, scale ?? 0, t.locale)
    const values = { has: shown(has(from.currencyId)), needed: shown(BigInt(from.amount) * times) }
    return (
      <p className="box" role="status">
        <span className="lost">{t('exchange.short', { ...values, currency: name ?? from.currencyId })}</span>
      </p>
    )
  }
  return (
    <div role="status">
      <ul className="box">
        <li>{line(from.currencyId, -BigInt(from.amount) * times)}</li>
        <li>
          {line(to.currencyId, BigInt(to.amount) * times)}
          {validDays !== null && validDays !== undefined && `; ${t('exchange.days', { count: validDays })}`}
        </li>
      </ul>
    </div>
  )
}

interface CancelDialogProps {
  readonly movements: readonly Movement[]
  readonly onClose: () => void
}

export function CancelDialog({ movements, onClose }: CancelDialogProps) {
  const t = useWords()
  const { rewards } = useCommands()
  const names = useProgrammeNames(0)
  const [{ movementId, at }] = movements as readonly [Movement]
  return (
    <CommandDialog
      title={t('cancel.title')}
      verb={t('cancel.do')}
      draftKey={`cancel/${movementId}`}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { times } = await rewards.cancelActivation({ requestId, activationId: movementId, reason })
        return <p>{t('cancel.done', { count: times })}</p>
      }}
    >
      <p>{t('cancel.what')}</p>
      <ul className="box">
        <li>
          <Time at={at} />
        </li>
        {movements.map(({ currencyId, amount }) => (
          <li key={currencyId} className={amount > 0n ? 'lost' : 'gained'}>
            {amount > 0n ? '−' : '+'}
            {t('cancel.atMost', { value: valueText({ t, names }, currencyId, amount < 0n ? -amount : amount) })}
          </li>
        ))}
      </ul>
    </CommandDialog>
  )
}
