import type { Basis } from './basis.js'
import type { Offer } from './offer.js'
import type { Settled } from './settle.js'

/** What is chosen from. */
export interface Market {
  readonly basis: Basis
  /** In the order of benefitId. */
  readonly offers: readonly Offer[]
  readonly hasOrderDiscounts: boolean
  readonly stepsMax: number
}

/** The outcome chosen. */
export interface Chosen {
  readonly settled: Settled
  /** No outcome has a greater value; the value itself when proven. */
  readonly bound: number
  readonly steps: number
}
