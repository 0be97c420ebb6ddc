import type { BasketFacts, BasketRead, Refusal } from '../../engine/index.js'
import type { StoredVenue } from '../../store/ledger/venues.js'

/** Refusals of a basket by the gateway itself: the venue and its currency. */
export interface GatewayRefusal extends Pick<Refusal, 'message' | 'details'> {
  readonly code: 'venue_not_configured' | 'unknown_currency'
}

export type BasketRefusal = Refusal | GatewayRefusal

/** A basket that a pricing thread has read: well-formed, checks 11 to 14 still to come. */
export type ReadBasket = Extract<BasketRead, { readonly kind: 'read' }>

export type BasketCheck =
  | { readonly kind: 'passed'; readonly venue: StoredVenue }
  | { readonly kind: 'refused'; readonly refusal: BasketRefusal }

type Environment = 'staging' | 'production'

/** Checks 11 to 14 (wire decisions 3), in their order. */
export function checkBasket(read: ReadBasket, venue: StoredVenue | null, environment: Environment): BasketCheck {
  const { facts, tooManyLines, arithmetic } = read
  if (tooManyLines !== null) return { kind: 'refused', refusal: tooManyLines }
  if (venue === null || venue.environment !== environment) {
    return { kind: 'refused', refusal: venueRefusal(facts, environment) }
  }
  const refusal = baxRefusal(facts, venue) ?? currencyRefusal(facts, venue) ?? arithmetic
  return refusal === null ? { kind: 'passed', venue } : { kind: 'refused', refusal }
}

function venueRefusal({ venueId }: BasketFacts, environment: Environment): GatewayRefusal {
  return {
    code: 'venue_not_configured',
    message: 'the venue is not configured in this environment',
    details: { field: 'context.venueId', expected: `a venue of ${environment}`, received: venueId },
  }
}

function baxRefusal({ baxId }: BasketFacts, { baxIds }: StoredVenue): GatewayRefusal | null {
  if (baxIds.includes(baxId)) return null
  return {
    code: 'venue_not_configured',
    message: 'the baxId does not belong to the venue',
    details: { field: 'context.baxId', expected: 'a baxId of this venue', received: baxId },
  }
}

/** That the venue's own currency is an active ISO 4217 code was checked when the venue was stored. */
function currencyRefusal({ currency }: BasketFacts, venue: StoredVenue): GatewayRefusal | null {
  if (currency === venue.currency) return null
  return {
    code: 'unknown_currency',
    message: 'the currency is not the one of the venue',
    details: { field: 'currency', expected: venue.currency, received: currency },
  }
}
