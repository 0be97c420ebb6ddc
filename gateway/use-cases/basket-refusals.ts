import type { BasketFacts, Refusal } from '../../engine/index.js'
import type { StoredVenue } from '../../store/ledger/venues.js'

/** What the gateway itself refuses of a basket: the venue and its currency. */
export interface GatewayRefusal extends Pick<Refusal, 'message' | 'details'> {
  readonly code: 'venue_not_configured' | 'unknown_currency'
}

type Environment = 'staging' | 'production'

/** Check 12: the venue is known, of this environment, and the baxId maps to it. */
export function venueRefusal(
  environment: Environment,
  facts: BasketFacts,
  venue: StoredVenue | null,
): GatewayRefusal | null {
  if (venue === null || venue.environment !== environment) return venueUnknown(environment, facts)
  if (venue.baxIds.includes(facts.baxId)) return null
  return {
    code: 'venue_not_configured',
    message: 'the baxId does not belong to the venue',
    details: { field: 'context.baxId', expected: 'a baxId of this venue', received: facts.baxId },
  }
}

export function venueUnknown(environment: Environment, facts: BasketFacts): GatewayRefusal {
  return {
    code: 'venue_not_configured',
    message: 'the venue is not configured in this environment',
    details: { field: 'context.venueId', expected: `a venue of ${environment}`, received: facts.venueId },
  }
}

/** Check 13; that the venue's own currency is an active ISO 4217 code was checked when the venue was stored. */
export function currencyRefusal({ currency }: BasketFacts, venue: StoredVenue): GatewayRefusal | null {
  if (currency === venue.currency) return null
  return {
    code: 'unknown_currency',
    message: 'the currency is not the one of the venue',
    details: { field: 'currency', expected: venue.currency, received: currency },
  }
}
