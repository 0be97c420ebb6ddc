import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { dateTime, grossOf, type PosBasket, type PosContext, type PosLine } from '../pos-js/basket.js'

export interface Pick {
  readonly productId: string
  /** Greater than 0, at most 3 decimals. */
  readonly quantity: number
}

export interface BasketRequest {
  /** Lower-case UUID. */
  readonly calculationId: string
  readonly supersedesCalculationId: string | null
  /** null: no member. */
  readonly loyaltyId: string | null
  readonly requestedAt: Date
  readonly channel: 'pos' | 'mpos'
  readonly picks: readonly Pick[]
}

/**
 * Builds a basket at list price, one line per pick, in order; totals are exact. Throws where the price list lacks a
 * product.
 */
export function buildBasket(venue: ProgrammeVenue, request: BasketRequest): PosBasket {
  const lines = request.picks.map((pick, at) => buildLine(venue, pick, `line-${at + 1}`))
  const gross = lines.reduce((sum, line) => sum + line.totals.gross, 0)
  return {
    calculationId: request.calculationId,
    ...(request.supersedesCalculationId === null ? {} : { supersedesCalculationId: request.supersedesCalculationId }),
    ...(request.loyaltyId === null ? {} : { loyaltyId: request.loyaltyId }),
    currency: venue.currency,
    requestedAt: dateTime(request.requestedAt),
    context: contextOf(venue, request.channel),
    lines,
    totals: { gross, lineDiscount: 0, orderDiscount: 0, net: gross },
  }
}

function contextOf(venue: ProgrammeVenue, channel: 'pos' | 'mpos'): PosContext {
  return { venueId: venue.venueId, baxId: venue.baxIds[0]!, cashRegisterId: 'register-1', clerkNumber: 1, channel }
}

function buildLine(venue: ProgrammeVenue, pick: Pick, lineId: string): PosLine {
  const product = venue.products.find((candidate) => candidate.productId === pick.productId)
  if (product === undefined) throw new Error(`${venue.venueId} does not sell ${pick.productId}`)
  const gross = grossOf(pick.quantity, product.unitPrice)
  if (gross === null) throw new Error(`${pick.quantity} of ${pick.productId} has more than 3 decimals`)
  return {
    lineId,
    productId: product.productId,
    ...(product.productGroupId === null ? {} : { productGroupId: product.productGroupId }),
    ...(product.productMasterId === null ? {} : { productMasterId: product.productMasterId }),
    ...(product.ean === null ? {} : { ean: product.ean }),
    name: product.name,
    quantity: pick.quantity,
    unitPrice: product.unitPrice,
    noDiscount: product.noDiscount,
    ...(product.noPercentageDiscount ? { noPercentageDiscount: true } : {}),
    totals: { gross: Number(gross), lineDiscount: 0, orderDiscount: 0, net: Number(gross) },
  }
}
