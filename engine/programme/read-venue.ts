import type { VenueProduct, VenueTime } from '../core/base/basket.js'
import type { Place } from './place.js'

export interface ProgrammeVenue extends VenueTime {
  readonly venueId: string
  readonly name: string
  readonly environment: 'staging' | 'production'
  readonly currency: string
  readonly baxIds: readonly string[]
  readonly products: readonly VenueProduct[]
}

export interface ProgrammeMember {
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly blocked: boolean
  readonly birthday?: string
  readonly joinedOn?: string
}

export function venueFrom(
  { dayStartsAt = 0, products = [], ...read }: Omit<ProgrammeVenue, 'products'> & Partial<ProgrammeVenue>,
  place: Place,
): ProgrammeVenue {
  for (const [at, baxId] of read.baxIds.entries()) place.at('baxIds').at(at).checkOnce('baxId', baxId)
  for (const [at, { productId }] of products.entries())
    place.at('products').at(at).at('productId').checkOnce('productId', productId, place.path)
  return { ...read, ...(dayStartsAt === 0 ? {} : { dayStartsAt }), products }
}

export function productFrom(read: Pick<VenueProduct, 'productId' | 'name' | 'unitPrice'>): VenueProduct {
  const absent = { productGroupId: null, productMasterId: null, ean: null }
  return { ...absent, noDiscount: false, noPercentageDiscount: false, ...read }
}

export function memberFrom(read: Partial<ProgrammeMember> & Pick<ProgrammeMember, 'memberId'>, place: Place) {
  const member: ProgrammeMember = { loyaltyIds: [], tier: null, segments: [], blocked: false, ...read }
  for (const [at, id] of member.loyaltyIds.entries()) place.at('loyaltyIds').at(at).checkOnce('loyaltyId', id)
  return member
}
