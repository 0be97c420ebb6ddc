import { type Basis, type BasisLine, partOf } from '../base/basis.js'
import { loneSumsMax } from '../base/costs.js'
import { gainAlone } from '../lines/plan.js'
import { hasAmountMax, type Offer } from '../offers/offer.js'

/** Lines that one part of an offer can use. */
interface LonePart {
  /** Basis positions. */
  readonly lines: readonly number[]
  readonly quantity: number
  readonly isBought: boolean
}

/**
 * Value of a line-level benefit as the only one, without order discounts of the POS (3-benefits 2), minor units. Null
 * if that needs a search: own discounts, lines that fit two parts, too many units, money left that may not suffice.
 */
export function loneWorth({ lines: all }: Basis, offer: Offer): number | null {
  const { shape, maximumAmount, unitsMax } = offer
  if (shape.kind === 'order' || shape.kind === 'free' || hasAmountMax(offer)) return null
  if (shape.kind === 'line' && unitsMax === Number.POSITIVE_INFINITY) return worthOnLines(all, offer)
  if (maximumAmount !== Number.POSITIVE_INFINITY || haveMostLines(offer)) return null
  const parts = partsOf(offer)
  if (!areApart(all, parts)) return null
  const gainOf = (at: number, pieces: number, isBought: boolean) => {
    const line = all[at]!
    return isBought ? 0 : offer.amountOn(line, pieces, partOf(line, pieces, line.gross))
  }
  return gainInParts(offer, parts, { lines: all, gainOf, price: shape.kind === 'bundle' ? shape.price : 0 })
}

// Two such parts always share a line.
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

/** Marks of lines, reused for thousands of benefits. */
let marks = new Uint8Array(0)

function areApart(all: readonly BasisLine[], parts: readonly LonePart[]): boolean {
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

interface Gaining {
  readonly lines: readonly BasisLine[]
  readonly gainOf: (at: number, pieces: number, isBought: boolean) => number
  /** Cost of each time. */
  readonly price: number
}

function gainInParts(offer: Offer, parts: readonly LonePart[], gaining: Gaining): number | null {
  const { shape } = offer
  const { lines, price } = gaining
  let times = shape.kind === 'bundle' || shape.kind === 'buy_get' ? shape.timesMax : offer.unitsMax
  for (const part of parts) times = Math.min(times, Math.floor(unitsOf(lines, part) / part.quantity))
  if (sumsOf(lines, parts, times) > loneSumsMax) return null
  const gains = parts.map((part) => gainsOf(gaining, part, times))
  let most = 0
  for (let each = 1; each <= times; each++) {
    let gain = -each * price
    for (const [index, { quantity }] of parts.entries()) gain += gains[index]![each * quantity]!
    most = Math.max(most, gain)
  }
  return most
}

function partsOf({ shape, lines }: Offer): readonly LonePart[] {
  switch (shape.kind) {
    case 'bundle':
      return shape.components.map((each) => ({ lines: each.lines, quantity: each.quantity, isBought: false }))
    case 'buy_get':
      return [
        { lines: shape.buyLines, quantity: shape.buy, isBought: true },
        { lines, quantity: shape.get, isBought: false },
      ]
    default:
      return [{ lines, quantity: 1, isBought: false }]
  }
}

function unitsOf(lines: readonly BasisLine[], part: LonePart): number {
  let units = 0
  for (let index = 0; index < part.lines.length; index++) units += lines[part.lines[index]!]!.pieces
  return units
}

function sumsOf(lines: readonly BasisLine[], parts: readonly LonePart[], times: number): number {
  let sums = 0
  for (const part of parts) {
    const units = times * part.quantity
    for (let index = 0; index < part.lines.length && sums <= loneSumsMax; index++) {
      sums += units * Math.min(units, lines[part.lines[index]!]!.pieces)
    }
  }
  return sums
}

// By number of units that the benefit has of the part's lines.
function gainsOf({ lines, gainOf }: Gaining, part: LonePart, times: number): Float64Array {
  const units = times * part.quantity
  const most = new Float64Array(units + 1).fill(Number.NEGATIVE_INFINITY)
  most[0] = 0
  let held = 0
  for (const at of part.lines) {
    const line = lines[at]!
    const own = [0]
    for (let pieces = 1; pieces <= Math.min(units, line.pieces); pieces++) own.push(gainOf(at, pieces, part.isBought))
    held = Math.min(units, held + line.pieces)
    for (let all = held; all > 0; all--) {
      for (let pieces = 1; pieces < own.length && pieces <= all; pieces++) {
        most[all] = Math.max(most[all]!, most[all - pieces]! + own[pieces]!)
      }
    }
  }
  return most
}
