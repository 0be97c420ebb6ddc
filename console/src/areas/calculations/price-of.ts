import type { ProgrammeNames } from '../../api/programme.js'

/** What a currency buys. */
export interface Price {
  /** Of one, in the smallest units of the currency. */
  readonly amount: bigint
  /** The text of the benefit, or the name of the currency that it is exchanged for. */
  readonly buys: string
}

/** The least that a currency of the programme buys something for; null: it buys nothing. */
export function priceOf({ benefits, exchanges, currencies }: ProgrammeNames, currencyId: string): Price | null {
  const prices = [
    ...[...benefits.values()].flatMap(({ costs, text, enabled }) =>
      costs?.currencyId === currencyId && enabled !== false ? [{ amount: BigInt(costs.amount), buys: text }] : [],
    ),
    ...exchanges.flatMap(({ from, to }) =>
      from.currencyId === currencyId
        ? [{ amount: BigInt(from.amount), buys: currencies.get(to.currencyId)?.name ?? to.currencyId }]
        : [],
    ),
  ]
  return prices.reduce<Price | null>(
    (least, price) => (least === null || price.amount < least.amount ? price : least),
    null,
  )
}
