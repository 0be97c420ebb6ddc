import type { Basis } from '../base/basis.js'
import type { Offer } from '../offers/offer.js'

export interface Problem {
  readonly basis: Basis
  /** In the order of benefitId. */
  readonly offers: readonly Offer[]
  readonly hasOrderDiscounts: boolean
  readonly stepsMax: number
}
