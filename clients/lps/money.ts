import { digitsOf } from '../../engine/programme/currency.js'

/** Minor units as text, such as `1234.50 NOK`: exact, with the digits of the currency. */
export function moneyText(amount: bigint | number, currency: string): string {
  return `${amountText(amount, currency)} ${currency}`
}

/** The same without the currency. */
export function amountText(amount: bigint | number, currency: string): string {
  const digits = digitsOf(currency)
  const minor = BigInt(amount)
  const sign = minor < 0n ? '-' : ''
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0')
  if (digits === 0) return `${sign}${text}`
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}
