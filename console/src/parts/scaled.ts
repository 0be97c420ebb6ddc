import { remembered } from '../i18n/remembered.js'

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

/** Writes whole numbers, and the character before decimals. */
const numbersOf = remembered((locale: string) => {
  const format = new Intl.NumberFormat(locale)
  return { format, point: format.format(1.1).charAt(1) }
})

/** An amount in units of 10^-scale, digit for digit: never a rounded number. */
export function formatScaled(amount: bigint, scale: number, locale: string): string {
  const sign = amount < 0n ? '−' : ''
  const size = amount < 0n ? -amount : amount
  const unit = 10n ** BigInt(scale)
  const { format, point } = numbersOf(locale)
  const whole = format.format(size / unit)
  if (scale === 0) return sign + whole
  return `${sign}${whole}${point}${String(size % unit).padStart(scale, '0')}`
}
