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

/** Digits of the minor unit by ISO 4217 where they are not 2. Intl has display digits instead: none for HUF and COP. */
const digitsByCurrency: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

export function digitsOf(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2
}
