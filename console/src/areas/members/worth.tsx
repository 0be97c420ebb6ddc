import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ReactNode } from 'react'
import { type CurrencyPart, useProgrammeNames } from '../../api/programme.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Field, Select } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { endOfDay } from '../../parts/offsets.js'
import { readScaled } from '../../parts/scaled.js'
import { useDraft } from '../../parts/use-draft.js'
import styles from './members.module.css'

export interface Worth {
  readonly currency: CurrencyPart
  /** In the smallest units, 1 or more. */
  readonly amount: bigint
  /** Fields of a request. */
  readonly request: {
    readonly currencyId: string
    readonly amount: bigint
    readonly expiresAt?: ReturnType<typeof timestampFromDate>
  }
}

/** The fields of an amount that vouchers or codes give, and what is typed in them; `worth` is null while something is missing. */
export function useWorth(draftKey: string): {
  readonly fields: ReactNode
  readonly currency: CurrencyPart | undefined
  readonly worth: Worth | null
} {
  const t = useWords()
  const names = useProgrammeNames(0)
  const [typed, setTyped] = useDraft(`${draftKey}/amount`, '')
  const [wanted, setWanted] = useDraft(`${draftKey}/currency`, '')
  const [expiresOn, setExpiresOn] = useDraft(`${draftKey}/expires`, '')
  const zone = useHouseZone()
  const currencies = [...names.currencies.values()]
  const currency =
    currencies.find(({ currencyId }) => currencyId === wanted) ?? (currencies.length === 1 ? currencies[0] : undefined)
  const amount = readScaled(typed, currency?.scale ?? 0)
  const isReady = currency !== undefined && amount !== null && amount > 0n
  const expires = expiresOn === '' ? {} : { expiresAt: timestampFromDate(endOfDay(expiresOn, zone)) }
  return {
    currency,
    worth: isReady ? { currency, amount, request: { currencyId: currency.currencyId, amount, ...expires } } : null,
    fields: (
      <>
        <div className={styles['pair']}>
          <Select
            label={t('field.currency')}
            value={currency?.currencyId ?? ''}
            onText={setWanted}
            required
            options={currencyOptions(t, currencies)}
          />
          <Field label={t('field.amount')} inputMode="decimal" value={typed} required onText={setTyped} />
        </div>
        <DayField label={t('field.expires')} value={expiresOn} onText={setExpiresOn} />
      </>
    ),
  }
}

export function currencyOptions(
  t: Words,
  currencies: readonly { readonly currencyId: string; readonly name?: string }[],
) {
  const named = currencies.map(({ currencyId, name }) => [currencyId, name || currencyId] as const)
  return [['', t('adjust.choose')] as const, ...named]
}
