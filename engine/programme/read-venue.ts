import type { VenueProduct, VenueTime } from '../core/base/basket.js'
import type { Place } from './place.js'
import {
  Once,
  openFields,
  readCurrency,
  readFlag,
  readId,
  readList,
  readMoney,
  readOptional,
  readOptionalList,
  readText,
  readTimeOfDay,
  readTimeZone,
  readWord,
} from './read-values.js'

export interface ProgrammeVenue extends VenueTime {
  readonly venueId: string
  readonly name: string
  readonly environment: 'staging' | 'production'
  readonly currency: string
  readonly baxIds: readonly string[]
  readonly products: readonly VenueProduct[]
}

export interface VenueIdentities {
  readonly venueIds: Once
  readonly baxIds: Once
}

export function createVenueIdentities(): VenueIdentities {
  return { venueIds: new Once('venueId'), baxIds: new Once('baxId') }
}

const venueFields = [
  'venueId',
  'name',
  'environment',
  'currency',
  'timeZone',
  'dayStartsAt',
  'baxIds',
  'products',
] as const
const productFields = [
  'productId',
  'name',
  'unitPrice',
  'productGroupId',
  'productMasterId',
  'ean',
  'noDiscount',
  'noPercentageDiscount',
] as const

export function readVenue(place: Place, identities: VenueIdentities): ProgrammeVenue {
  const at = openFields(place, venueFields)
  const productIds = new Once('productId')
  const dayStartsAt = readOptional(at('dayStartsAt'), readTimeOfDay) ?? 0
  return {
    venueId: readOwn(at('venueId'), identities.venueIds),
    name: readText(at('name')),
    environment: readWord(at('environment'), ['staging', 'production']),
    currency: readCurrency(at('currency')),
    timeZone: readTimeZone(at('timeZone')),
    ...(dayStartsAt === 0 ? {} : { dayStartsAt }),
    baxIds: readList(at('baxIds'), (entry) => readOwn(entry, identities.baxIds)),
    products: readOptionalList(at('products'), (entry) => readProduct(entry, productIds)),
  }
}

export function readOwn(place: Place, once: Once): string {
  const id = readId(place)
  once.add(place, id)
  return id
}

function readProduct(place: Place, productIds: Once): VenueProduct {
  const at = openFields(place, productFields)
  return {
    productId: readOwn(at('productId'), productIds),
    name: readText(at('name')),
    unitPrice: readMoney(at('unitPrice')),
    productGroupId: readOptional(at('productGroupId'), readId),
    productMasterId: readOptional(at('productMasterId'), readId),
    ean: readOptional(at('ean'), readId),
    noDiscount: readOptional(at('noDiscount'), readFlag) ?? false,
    noPercentageDiscount: readOptional(at('noPercentageDiscount'), readFlag) ?? false,
  }
}
