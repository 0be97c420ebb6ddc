/** Something allowed, but surely not meant: said only where it is certain from the document itself. */
export interface Warning {
  /** Path of the benefit, or of the field of it. */
  readonly path: string
  readonly word:
    | 'never_applies'
    | 'always_beaten'
    | 'tie_by_benefit_id'
    | 'price_not_below_list'
    | 'limit_never_reached'
    | 'product_unknown'
  readonly message: string
}
