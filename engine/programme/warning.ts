/** Something valid but certainly unintended, as the document alone proves. */
export interface Warning {
  /** Path of the benefit or of its field. */
  readonly path: string
  readonly word:
    | 'never_applies'
    | 'always_beaten'
    | 'tie_by_benefit_id'
    | 'priority_without_effect'
    | 'sequence_without_effect'
    | 'price_not_below_list'
    | 'limit_never_reached'
    | 'product_unknown'
    | 'cost_without_worth'
    | 'birthday_without_limit'
    | 'tier_unknown'
    | 'segment_unknown'
    | 'group_unknown'
    | 'basket_free'
    | 'flag_without_effect'
    | 'threshold_on_all'
    | 'measure_of_pieces'
    // These need what is stored, or the time (`gateway/use-cases/stored-warnings.ts`).
    | 'venue_unknown'
    | 'benefit_expired'
    | 'several_currencies'
    | 'benefit_removed'
    | 'card_moves'
    | 'card_stays'
  readonly message: string
}
