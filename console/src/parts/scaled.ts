/** Decimals of a currency, as ISO 4217 has them. */
export function digitsOf(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
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
