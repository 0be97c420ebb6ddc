import { remembered } from '../i18n/remembered.js'

/** Decimals of a currency, as ISO 4217 has them. */
export const digitsOf = remembered((currency: string): number => {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
})

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
