import { identifierPattern } from './field-schemas.js'

const identifier = new RegExp(identifierPattern, 'u')

/**
 * The loyaltyId, or null where it cannot be a member's: absent, or with control characters or lone surrogates (wire
 * decisions 1).
 */
export function memberFromText(loyaltyId: string | null): string | null {
  return loyaltyId !== null && identifier.test(loyaltyId) ? loyaltyId : null
}
