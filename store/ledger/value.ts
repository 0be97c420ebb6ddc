/** A currency of member value, as a programme names it. */
export interface StoredCurrency {
  readonly currencyId: string
  readonly name: string
  /** Decimals of an amount. Fixed once published. */
  readonly scale: number
}
