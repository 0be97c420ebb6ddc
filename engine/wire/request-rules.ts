import {
  type allocationSchema,
  basketSchema,
  type lineDiscountSchema,
  type lineSchema,
  type orderDiscountSchema,
  type totalsSchema,
} from './basket-schema.js'
import { compileSchema, namesOfSchemas } from './compile-schema.js'
import { type contextSchema, identifierPattern } from './field-schemas.js'
import { assertObjectRule, type FieldPlaces, placesOf, ruleInside } from './fields.js'
import { type returnLineSchema, returnSchema, saleSchema } from './sale-schema.js'

export const requestNames = namesOfSchemas([basketSchema, saleSchema, returnSchema])

export const basketRule = assertObjectRule(compileSchema(basketSchema, requestNames))
export const lineRule = ruleInside(basketRule, 'lines')
export const discountRule = ruleInside(lineRule, 'discounts')
export const allocationRule = ruleInside(lineRule, 'orderDiscountAllocations')
export const orderDiscountRule = ruleInside(basketRule, 'orderDiscounts')
export const totalsRule = ruleInside(basketRule, 'totals')
export const contextRule = ruleInside(basketRule, 'context')
export const saleRule = assertObjectRule(compileSchema(saleSchema, requestNames))
export const returnRule = assertObjectRule(compileSchema(returnSchema, requestNames))
export const returnLineRule = ruleInside(returnRule, 'lines')

type Names<Schema extends { readonly properties: object }> = Extract<keyof Schema['properties'], string>

export const basketPlaces: FieldPlaces<Names<typeof basketSchema>> = placesOf(basketRule)
export const linePlaces: FieldPlaces<Names<typeof lineSchema>> = placesOf(lineRule)
export const orderDiscountPlaces: FieldPlaces<Names<typeof orderDiscountSchema>> = placesOf(orderDiscountRule)
export const discountPlaces: FieldPlaces<Names<typeof lineDiscountSchema>> = placesOf(discountRule)
export const allocationPlaces: FieldPlaces<Names<typeof allocationSchema>> = placesOf(allocationRule)
export const totalsPlaces: FieldPlaces<Names<typeof totalsSchema>> = placesOf(totalsRule)
export const contextPlaces: FieldPlaces<Names<typeof contextSchema>> = placesOf(contextRule)
export const salePlaces: FieldPlaces<Names<typeof saleSchema>> = placesOf(saleRule)
export const returnPlaces: FieldPlaces<Names<typeof returnSchema>> = placesOf(returnRule)
export const returnLinePlaces: FieldPlaces<Names<typeof returnLineSchema>> = placesOf(returnLineRule)

const identifier = new RegExp(identifierPattern, 'u')

/** null: absent, or with control characters or lone surrogates, as no member's is (wire decisions 1). */
export function memberFromText(loyaltyId: string | null): string | null {
  return loyaltyId !== null && identifier.test(loyaltyId) ? loyaltyId : null
}
