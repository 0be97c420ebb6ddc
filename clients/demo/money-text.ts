import { digitsOf } from '../../engine/programme/currency.js'

/** An amount in minor units as text: 4500 of NOK is `45.00`, of JPY `4500`. Exact for every Money. */
export function moneyText(amount: number, currency: string): string {
  const decimals = digitsOf(currency)
  const digits = String(amount).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ' ')
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
}
