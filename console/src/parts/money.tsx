import { useWords } from '../i18n/words.js'
import { digitsOf, formatScaled } from './scaled.js'

interface MoneyProps {
  /** Minor units. */
  readonly minor: bigint | number
  /** ISO 4217. */
  readonly currency: string
  /** Whether its code stands beside it; in a table it stands once, in the head of the column. */
  readonly withCurrency?: boolean
}

export function Money({ minor, currency, withCurrency = false }: MoneyProps) {
  const { locale } = useWords()
  const text = formatScaled(BigInt(minor), digitsOf(currency), locale)
  return <span>{withCurrency ? `${text} ${currency}` : text}</span>
}

interface AmountProps {
  readonly amount: bigint
  /** Decimals of the currency. */
  readonly scale: number
}

/** A change of an account: what was gained in green with a plus, what was lost in red with a minus. */
export function Change({ amount, scale }: AmountProps) {
  const { locale } = useWords()
  const text = formatScaled(amount, scale, locale)
  if (amount === 0n) return <span>{text}</span>
  return <span className={amount > 0n ? 'gained' : 'lost'}>{amount > 0n ? `+${text}` : text}</span>
}
