import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import type { Pick } from './build-basket.js'

const usualQuantities = [1, 2, 1, 3, 1]
/** Lines at most when given as a number: more than the service accepts, so that its refusal can be shown. */
const linesMax = 1_000
const pickForm = /^(?:(\d+(?:\.\d{1,3})?)x)?(.+)$/

/**
 * The products to sell: a number of lines through the price list, or named products (`3xcinnamon-bun,sandwich`), or the
 * default. Throws an error with a sentence for the user.
 */
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
