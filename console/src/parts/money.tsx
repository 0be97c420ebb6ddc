import { useWords } from '../i18n/words.js'

/** Currencies by ISO 4217 whose minor unit has not two decimals. Browsers have what is shown instead: none for HUF and COP. */
const digitsByCurrency: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

/** Decimals of a currency, as ISO 4217 has them. */
export function digitsOf(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2
}

/** An amount in units of 10^-scale, digit for digit: never a rounded number. */
export function formatScaled(amount: bigint, scale: number, locale: string): string {
  const sign = amount < 0n ? '−' : ''
  const size = amount < 0n ? -amount : amount
  const unit = 10n ** BigInt(scale)
  const whole = new Intl.NumberFormat(locale).format(size / unit)
  if (scale === 0) return sign + whole
  const point = new Intl.NumberFormat(locale).format(1.1).charAt(1)
  return `${sign}${whole}${point}${String(size % unit).padStart(scale, '0')}`
}

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
