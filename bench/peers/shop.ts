/** The shop that each peer is given: a product on every line of the basket, each with a promotion of its own. */
export const promotions = Array.from({ length: 20 }, (_, at) => ({
  name: `product-${String(at).padStart(2, '0')}`,
  /** In whole units of the currency. */
  price: 10 + at,
  percentage: 10,
}))

/** How a peer is sent the basket; its seed writes it into its folder as `shop.json`. */
export interface PeerShop {
  readonly path: string
  readonly header: string
  readonly body: unknown
  /** Part of the answer for each line with a discount. */
  readonly discount: string
  readonly sqlOff: string
}
