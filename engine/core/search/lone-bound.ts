import type { BasisLine } from '../base/basis.js'
import { partOf } from '../base/basis.js'
import { heldBy, type LineOffers, type LinePlan, planLine } from '../lines/plan.js'
import type { TieGround } from '../model/tie-ground.js'
import type { Offer } from '../offers/offer.js'

/** Sums of two numbers of units that are looked at, above which no bound is worked out. */
const sumsMax = 4000

/** Units of some lines that one time takes. */
export interface Part {
  /** Places of the lines. */
  readonly lines: readonly number[]
  readonly quantity: number
  readonly isBought: boolean
}

/** A component of one benefit. */
export interface Lone {
  readonly ground: TieGround
  readonly offer: Offer
  /** The plan of each line without the benefit. */
  readonly alone: readonly LinePlan[]
  /** What a minor unit gained on each line counts; null: 1. */
  readonly weights: readonly number[] | null
}

/**
 * What the lines of a component of one bundle, or one `buy_get`, can gain at most, without a search: for each number of
 * times the best units of each part, line by line, whatever else counts there. Null where units could be of several
 * parts, where lines have own discounts, and where there are too many units.
 *
 * @param alone    the plan of each line without the benefit
 * @param weights  what a minor unit gained on each line counts, 0 to 1; null: 1
 */
export function loneBound(
  ground: TieGround,
  alone: readonly LinePlan[],
  weights: readonly number[] | null,
): number | null {
  const [offer] = ground.offers
  if (ground.offers.length !== 1 || ground.lines.some(({ own }) => own > 0)) return null
  const { shape } = offer!
  if (shape.kind !== 'bundle' && shape.kind !== 'buy_get') return null
  const gain = loneGain({ ground, offer: offer!, alone, weights })
  if (gain === null) return null
  let most = gain
  for (let at = 0; at < alone.length; at++) {
    most += (heldBy(ground.lines[at]!) - alone[at]!.restBound) * (weights?.[at] ?? 1)
  }
  return most
}

/**
 * What the lines of a component can gain by its one benefit at most over what they have without it, its maximum amount
 * aside; that much, where nothing else counts on them. Null where units could be of several parts, and where there are
 * too many units.
 */
function loneGain(lone: Lone): number | null {
  const { ground, offer, alone, weights } = lone
  const parts = partsOf(ground, offer)
  if (parts === null) return null
  const gainOf = (at: number, pieces: number, isBought: boolean) => {
    const rest = restOf(ground.lines[at]!, ground.lineOffers[at]!, { offer, pieces, isBought })
    return (alone[at]!.restBound - rest) * (weights?.[at] ?? 1)
  }
  const price = offer.shape.kind === 'bundle' ? offer.shape.price * (weights === null ? 1 : Math.min(...weights)) : 0
  return gainInParts(offer, parts, { lines: ground.lines, gainOf, price })
}

/** What one benefit gains on lines. */
export interface Gaining {
  readonly lines: readonly BasisLine[]
  /** What a line gains with so many of its pieces in the benefit. */
  readonly gainOf: (at: number, pieces: number, isBought: boolean) => number
  /** What each time costs. */
  readonly price: number
}

/** The most that a benefit gains on parts that share no line; null where there are too many units. */
export function gainInParts(offer: Offer, parts: readonly Part[], gaining: Gaining): number | null {
  const { shape } = offer
  const { lines, price } = gaining
  let times = shape.kind === 'bundle' || shape.kind === 'buy_get' ? shape.timesMax : offer.unitsMax
  for (const part of parts) times = Math.min(times, Math.floor(unitsOf(lines, part) / part.quantity))
  if (sumsOf(lines, parts, times) > sumsMax) return null
  const gains = parts.map((part) => gainsOf(gaining, part, times))
  let most = 0
  for (let each = 1; each <= times; each++) {
    let gain = -each * price
    for (const [index, { quantity }] of parts.entries()) gain += gains[index]![each * quantity]!
    most = Math.max(most, gain)
  }
  return most
}

// Null where a line is in two of them.
function partsOf({ lines, indexOf }: TieGround, offer: Offer): readonly Part[] | null {
  const parts = partsWith(offer, (positions) => positions.map((position) => indexOf.get(position)!))
  const roles = parts.reduce((sum, part) => sum + part.lines.length, 0)
  return roles === lines.length ? parts : null
}

/** The parts of an offer. */
export function partsWith(
  { shape, lines }: Offer,
  placed: (positions: readonly number[]) => readonly number[],
): readonly Part[] {
  switch (shape.kind) {
    case 'bundle':
      return shape.components.map((each) => ({ lines: placed(each.lines), quantity: each.quantity, isBought: false }))
    case 'buy_get':
      return [
        { lines: placed(shape.buyLines), quantity: shape.buy, isBought: true },
        { lines: placed(lines), quantity: shape.get, isBought: false },
      ]
    default:
      return [{ lines: placed(lines), quantity: 1, isBought: false }]
  }
}

function unitsOf(lines: readonly BasisLine[], part: Part): number {
  let units = 0
  for (let index = 0; index < part.lines.length; index++) units += lines[part.lines[index]!]!.pieces
  return units
}

// Not counted on where there are too many.
function sumsOf(lines: readonly BasisLine[], parts: readonly Part[], times: number): number {
  let sums = 0
  for (const part of parts) {
    const units = times * part.quantity
    for (let index = 0; index < part.lines.length && sums <= sumsMax; index++) {
      sums += units * Math.min(units, lines[part.lines[index]!]!.pieces)
    }
  }
  return sums
}

// The most that lines gain over nothing, by how many units the benefit has of them.
function gainsOf({ lines, gainOf }: Gaining, part: Part, times: number): Float64Array {
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

// What the line costs at least with so many of its pieces in the benefit; what a bundle takes off is all that they hold.
function restOf(
  line: BasisLine,
  offers: LineOffers,
  { offer, pieces, isBought }: { offer: Offer; pieces: number; isBought: boolean },
): number {
  const taken = isBought ? 0 : offer.amountOn(line, pieces, partOf(line, pieces, line.gross))
  if (offers.free.length === 0 && offers.stacks.length === 0) return line.gross - taken
  const serve = isBought ? { offer, pieces: 0, bought: pieces } : { offer, pieces, bought: 0 }
  const { restBound } = planLine(line, offers, [serve])
  return offer.shape.kind === 'bundle' ? restBound - taken : restBound
}
