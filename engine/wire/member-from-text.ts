import { identifierPattern } from './field-schemas.js'

const identifier = new RegExp(identifierPattern, 'u')

/** A loyaltyId that can be one; with control characters or lone surrogates it is simply no member (wire decisions 1). */
export function memberFromText(loyaltyId: string | null): string | null {
  return loyaltyId !== null && identifier.test(loyaltyId) ? loyaltyId : null
}
