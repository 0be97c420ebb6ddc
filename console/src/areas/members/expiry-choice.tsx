import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { nowMs } from '../../api/clock.js'
import { useProgrammeNames } from '../../api/programme.js'
import { dayIn } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { endOfDay } from '../../parts/offsets.js'
import { lastDay } from './last-day.js'
import styles from './members.module.css'

/** When what is added expires; `day`: the last one, '' until it is chosen. */
export type Expiry = { readonly by: 'rule' | 'never' } | { readonly by: 'day'; readonly day: string }

/** The fields of AdjustValue that say so. @param zone  of the day */
export function expiryFields(expiry: Expiry, zone: string) {
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

/** By the rule of the currency, with its date; never; or on another day. */
export function ExpiryChoice({ currencyId, expiry, onChange }: ExpiryChoiceProps) {
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
      <label>
        {t('adjust.expires')}
        <select value={expiry.by} onChange={(event) => choose(event.target.value)}>
          <option value="rule">{byRule()}</option>
          <option value="never">{t('adjust.never')}</option>
          <option value="day">{t('adjust.onDay')}</option>
        </select>
      </label>
      {expiry.by === 'day' && (
        <label>
          {t('adjust.lastDay')}
          <input
            type="date"
            value={expiry.day}
            onChange={(event) => onChange({ by: 'day', day: event.target.value })}
            required
          />
        </label>
      )}
    </div>
  )
}
