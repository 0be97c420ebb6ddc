import type { LimitPart } from '../../api/programme.js'
import { useCurrencyAt } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'

/** A maximum as people read it: money with its currency where the limit counts amounts, else a count. */
export function useMaximumText() {
  const { locale } = useWords()
  const currencyAt = useCurrencyAt()
  return (maximum: number, counts: LimitPart['counts'], venueIds: readonly string[] | null | undefined) => {
    const currency = counts === 'amount' ? currencyAt(venueIds) : ''
    if (currency === '' || !Number.isSafeInteger(maximum)) return String(maximum)
    return `${formatScaled(BigInt(maximum), digitsOf(currency), locale)} ${currency}`
  }
}
