import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { LimitCounter } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/money.js'
import { Time } from '../../parts/time.js'
import type { Burn } from './burn.js'

type Counted = Pick<LimitCounter, 'counts' | 'currency'>

/** Baskets and units are counted; money has the decimals of its currency. */
export function unitsText({ counts, currency }: Counted, units: bigint, locale: string): string {
  if (counts !== LimitCounts.AMOUNT || currency === '') return formatScaled(units, 0, locale)
  return `${formatScaled(units, digitsOf(currency), locale)} ${currency}`
}

/** So much a day, rounded: it is an estimate. */
export function rateText(t: Words, counted: Counted, { perDay }: Burn): string {
  if (counted.counts === LimitCounts.AMOUNT) {
    return t('limits.perDay', { units: unitsText(counted, BigInt(Math.round(perDay)), t.locale) })
  }
  const units = new Intl.NumberFormat(t.locale, { maximumSignificantDigits: 3 }).format(perDay)
  return t('limits.perDay', { units })
}

interface RunsOutProps {
  readonly left: bigint
  readonly burn: Burn | null
}

/** When nothing will be left at the rate so far. */
export function RunsOut({ left, burn }: RunsOutProps) {
  const t = useWords()
  if (left === 0n) return <strong className="lost">{t('limits.gone')}</strong>
  if (burn === null) return <span className="muted">{t('limits.notKnown')}</span>
  if (burn.endsAt === null) return <span className="muted">{t('limits.lasts')}</span>
  return <Time at={burn.endsAt} />
}
