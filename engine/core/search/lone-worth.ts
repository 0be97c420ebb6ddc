import type { Basis, BasisLine } from '../base/basis.js'
import { partOf } from '../base/basis.js'
import { gainAlone } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'
import { gainInParts, type Part, partsWith } from './lone-bound.js'

/**
 * What a line-level benefit comes to as the only one of a basket without order discounts of the POS (3-benefits 2),
 * where that needs no search: on lines without own discounts, where no units could be bought or got, nor of two parts
 * of a bundle, and where there are not too many units. Null elsewhere.
 */
export function loneWorth({ lines: all }: Basis, offer: Offer): number | null {
  const { shape, maximumAmount, unitsMax } = offer
  if (shape.kind === 'order' || shape.kind === 'free') return null
  if (shape.kind === 'line' && unitsMax === Number.POSITIVE_INFINITY) return worthOnLines(all, offer)
  if (maximumAmount !== Number.POSITIVE_INFINITY || haveMostLines(offer)) return null
  const parts = partsWith(offer, (positions) => positions)
  if (!areApart(all, parts)) return null
  const gainOf = (at: number, pieces: number, isBought: boolean) => {
    const line = all[at]!
    return isBought ? 0 : offer.amountOn(line, pieces, partOf(line, pieces, line.gross))
  }
  return gainInParts(offer, parts, { lines: all, gainOf, price: shape.kind === 'bundle' ? shape.price : 0 })
}

// Whether two parts of a bundle are most of the lines each: no two such share none.
function haveMostLines({ shape }: Offer): boolean {
  if (shape.kind !== 'bundle') return false
  let count = 0
  for (const { left } of shape.components) count += Number(left !== undefined)
  return count > 1
}

function worthOnLines(all: readonly BasisLine[], offer: Offer): number | null {
  const { lines, maximumAmount } = offer
  let worth = 0
  for (let index = 0; index < lines.length; index++) {
    const line = all[lines[index]!]!
    if (line.own > 0) return null
    worth += gainAlone(line, offer)
  }
  return Math.min(maximumAmount, worth)
}

/** Lines that were seen, kept by a thread: thousands of benefits may be looked at. */
let marks = new Uint8Array(0)

// Not where a line has own discounts, or could serve two parts: that is mostly seen soon.
function areApart(all: readonly BasisLine[], parts: readonly Part[]): boolean {
  if (marks.length < all.length) marks = new Uint8Array(2 * all.length)
  const seen = marks.fill(0, 0, all.length)
  for (const { lines } of parts) {
    for (let index = 0; index < lines.length; index++) {
      const at = lines[index]!
      if (seen[at] === 1 || all[at]!.own > 0) return false
      seen[at] = 1
    }
  }
  return true
}
