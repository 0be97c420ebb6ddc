import { type BasisLine, partOf } from '../base/basis.js'
import { floorProduct } from '../base/money.js'
import type { Offer, ShapeOf } from './offer.js'
import { isEven, percentageOn } from './rate.js'

/**
 * Units that an amount suffices for (times of a bundle), whichever they are. Null if it depends on which: lines of
 * different amounts, roundings, own discounts of the POS.
 *
 * @param amount  minor units, 0 or more
 */
export function unitsWithin(offer: Offer, amount: number, lines: readonly BasisLine[]): number | null {
  const { shape, lines: own, followers } = offer
  if (followers !== null) return null
  for (let index = 0; index < own.length; index++) if (lines[own[index]!]!.own > 0) return null
  const [first] = own
  if (first === undefined) return null
  if (shape.kind === 'bundle') return timesWithin(shape, amount, lines)
  if (own.length === 1) return piecesWithin(offer, amount, { line: lines[first]!, hold: lines[first]!.gross })
  const each = evenAmount(offer, lines[first]!)
  if (each === null) return null
  for (let index = 1; index < own.length; index++) if (evenAmount(offer, lines[own[index]!]!) !== each) return null
  return each === 0 ? Number.POSITIVE_INFINITY : floorProduct(amount, 1, each)
}

export function piecesWithin(offer: Offer, amount: number, { line, hold }: { line: BasisLine; hold: number }): number {
  const fits = (pieces: number) => offer.amountOn(line, pieces, partOf(line, pieces, hold)) <= amount
  if (fits(line.pieces)) return Number.POSITIVE_INFINITY
  let [least, most] = [0, line.pieces]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (fits(middle)) least = middle
    else most = middle
  }
  return least
}

function evenAmount(offer: Offer, line: BasisLine): number | null {
  const percentage = percentageOn(offer)
  const isSure = line.units > 0 && (percentage === null || isEven(percentage, line, line.gross))
  return isSure ? offer.amountOn(line, 1, line.price) : null
}

function timesWithin(
  { components, pays }: ShapeOf<'bundle'>,
  amount: number,
  lines: readonly BasisLine[],
): number | null {
  if (pays.kind === 'percentage') return null
  if (pays.kind === 'amount') {
    if (!pays.isSure) return null
    return pays.money === 0 ? Number.POSITIVE_INFINITY : floorProduct(amount, 1, pays.money)
  }
  let saving = -pays.money
  for (const part of components) {
    const { price } = lines[part.lines[0]!]!
    for (let index = 1; index < part.lines.length; index++) if (lines[part.lines[index]!]!.price !== price) return null
    saving += part.quantity * price
  }
  return saving <= 0 ? Number.POSITIVE_INFINITY : floorProduct(amount, 1, saving)
}
