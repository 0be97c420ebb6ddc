import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { dateTime, grossOf, type PosBasket, type PosContext, type PosLine } from '../pos-js/basket.js'

export interface Pick {
  readonly productId: string
  readonly quantity: number
}

export interface BasketRequest {
  readonly calculationId: string
  readonly supersedesCalculationId: string | null
  readonly loyaltyId: string | null
  readonly requestedAt: Date
  readonly channel: 'pos' | 'mpos'
  readonly picks: readonly Pick[]
}

/** Builds a basket at list price, one line per pick; totals are exact. Throws where the price list lacks a product. */
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

const usualQuantities = [1, 2, 1, 3, 1]
const linesMax = 1_000
const pickForm = /^(?:(\d+(?:\.\d{1,3})?)x)?(.+)$/

/** A number of lines through the price list, named products (`3xcinnamon-bun,sandwich`), or the default. Throws a sentence for the user. */
export function picksFrom(venue: ProgrammeVenue, lines: string | undefined): Pick[] {
  if (lines === undefined) return usualPicks(venue, Math.min(usualQuantities.length, venue.products.length))
  if (/^\d+$/.test(lines)) {
    const count = Number(lines)
    if (count < 1 || count > linesMax) throw new Error(`--lines takes 1 to ${linesMax} lines`)
    return usualPicks(venue, count)
  }
  return lines.split(',').map((text) => namedPick(venue, text.trim()))
}

function usualPicks(venue: ProgrammeVenue, count: number): Pick[] {
  return Array.from({ length: count }, (_, at) => ({
    productId: venue.products[at % venue.products.length]!.productId,
    quantity: usualQuantities[at % usualQuantities.length]!,
  }))
}

function namedPick(venue: ProgrammeVenue, text: string): Pick {
  const isSold = (productId: string) => venue.products.some((product) => product.productId === productId)
  if (isSold(text)) return { productId: text, quantity: 1 }
  const [, quantity, productId] = pickForm.exec(text) ?? []
  if (productId === undefined || !isSold(productId)) {
    const sold = venue.products.map((product) => product.productId).join(', ')
    throw new Error(`${venue.name} does not sell "${productId ?? text}"; it sells ${sold}`)
  }
  if (quantity !== undefined && Number(quantity) === 0) throw new Error(`"${text}" is nothing at all`)
  return { productId, quantity: Number(quantity ?? 1) }
}
