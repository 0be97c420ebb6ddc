import type { Basis } from '../base/basis.js'
import type { Offer } from '../offers/offer.js'

/** A basket with its offers and the search budget. */
export interface Problem {
  readonly basis: Basis
  /** In the order of benefitId. */
  readonly offers: readonly Offer[]
  readonly hasOrderDiscounts: boolean
  readonly stepsMax: number
}
