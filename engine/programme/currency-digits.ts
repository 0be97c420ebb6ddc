/** Digits of the minor unit by ISO 4217 where they are not 2. Intl and browsers have display digits: none for HUF and COP. */
const digitsByCurrency: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

export function digitsOf(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2
}
