export interface Warning {
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
    | 'worth_near_value'
    | 'amount_below_one'
    | 'birthday_without_limit'
    | 'returned_as_paid'
    | 'tier_unknown'
    | 'segment_unknown'
    | 'group_unknown'
    | 'basket_free'
    | 'flag_without_effect'
    | 'threshold_on_all'
    | 'measure_of_pieces'
    // These need stored data, or the time (`gateway/use-cases/stored-warnings.ts`).
    | 'venue_unknown'
    | 'benefit_expired'
    | 'several_currencies'
    | 'benefit_removed'
    | 'card_moves'
    | 'card_stays'
    | 'worst_basket'
  readonly message: string
}

/** The first warning of one word, with the number of others; those differ only in their place. */
export function saidOnce(warnings: readonly Warning[]): readonly Warning[] {
  const [first, ...others] = warnings
  if (first === undefined || others.length === 0) return warnings
  const places = others.length === 1 ? 'place' : 'places'
  return [{ ...first, message: `${first.message}; and at ${others.length} more ${places}` }]
}
