import { type BasisLine, partOf } from '../base/basis.js'
import { type Money, sumOf } from '../base/money.js'
import { heldBy, isLoose, type LineOffers, planLine, stackOn } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { Component, ComponentChoice, Ground } from '../model/task.js'
import type { Offer } from '../offers/offer.js'

/** Ways to deal the units of one line to offers that are looked at. */
const waysMax = 60_000

/** Ways that take as long as one step of the search. */
const waysPerStep = 20

/**
 * The best plans of a component that a short rule proves, whatever the quantities; null elsewhere.
 *
 * Limits in units on one line below nothing but stackable benefits: less before those never leaves more after them, so that
 * the way that takes most is the best. A maximum amount: the plans as if there were none, which are best where it does not
 * bite, or where the benefit brings its whole maximum on top of all others.
 */
export function chooseBounded(ground: Ground, { lines, offers }: Component): ComponentChoice | null {
  if (offers.some(({ shape }) => shape.kind !== 'line')) return null
  const places = lines.map((at) => ({ line: ground.lines[at]!, offers: ground.lineOffers[at]! }))
  if (places.some((place) => place.offers.stacks.some(isLoose))) return null
  if (!offers.some(isLoose)) return places.length === 1 ? limited(places[0]!, offers) : null
  return offers.length === 1 && offers[0]!.unitsMax === Number.POSITIVE_INFINITY ? maximised(places, offers[0]!) : null
}

interface Place {
  readonly line: BasisLine
  readonly offers: LineOffers
}

function isBare({ line, offers: { free, stacks } }: Place): boolean {
  return line.own === 0 && free.length === 0 && stacks.length > 0
}

// Of ways that come to the same the one with the fewest units.
function limited(place: Place, offers: readonly Offer[]): ComponentChoice | null {
  const { line, offers: own } = place
  const count = offers.reduce((ways, { unitsMax }) => ways * (Math.min(line.pieces, unitsMax) + 1), 1)
  if (!isBare(place) || count > waysMax) return null
  const ways: { readonly before: Money; readonly units: readonly number[] }[] = []
  eachDeal(line.pieces, offers, (units) => {
    ways.push({ before: line.gross - takenBy(line, offers, units), units: [...units] })
  })
  ways.sort((a, b) => a.before - b.before)
  const restAfter = (way: number) => stackOn(line, own.stacks, ways[way]!.before).rest
  const rest = restAfter(0)
  let [last, end] = [0, ways.length]
  while (end - last > 1) {
    const middle = Math.floor((last + end) / 2)
    if (restAfter(middle) === rest) last = middle
    else end = middle
  }
  const { units } = ways.slice(0, end).reduce((best, each) => (sumOf(each.units) < sumOf(best.units) ? each : best))
  const serves = offers.flatMap((offer, at) => (units[at]! > 0 ? [{ offer, pieces: units[at]!, bought: 0 }] : []))
  const worth = heldBy(line) - rest
  const steps = Math.ceil(count / waysPerStep)
  return { plans: [planLine(line, own, serves)], worth, bound: worth, steps }
}

function takenBy(line: BasisLine, offers: readonly Offer[], units: readonly number[]): Money {
  let taken = 0
  for (let index = 0; index < offers.length; index++) {
    const pieces = units[index]!
    if (pieces > 0) taken += offers[index]!.amountOn(line, pieces, partOf(line, pieces, line.gross))
  }
  return taken
}

// All ways to deal units of a line to offers; the list of how many each has is written over.
function eachDeal(pieces: number, offers: readonly Offer[], visit: (units: readonly number[]) => void): void {
  const units = offers.map(() => 0)
  const deal = (index: number, free: number) => {
    const offer = offers[index]
    if (offer === undefined) return visit(units)
    const most = Math.min(free, offer.unitsMax)
    for (units[index] = 0; units[index]! <= most; units[index]!++) deal(index + 1, free - units[index]!)
    units[index] = 0
  }
  deal(0, pieces)
}

function maximised(places: readonly Place[], offer: Offer): ComponentChoice | null {
  const lines = places.map(({ line }) => line)
  const plans = places.map(({ line, offers: { free, stacks } }) =>
    planLine(line, { free: [...free, offer].sort((a, b) => a.rank - b.rank), stacks }),
  )
  const without = places.map(({ line, offers }) => planLine(line, offers))
  const settled = settleLines(lines, plans)
  if (settled === null) return null
  const held = sumOf(lines.map(heldBy))
  const worth = held - sumOf(settled.lines.map(({ rest }) => rest))
  const uncapped = held - sumOf(plans.map(({ restBound }) => restBound))
  const added = held - sumOf(without.map(({ restBound }) => restBound)) + offer.maximumAmount
  const bound = Math.min(uncapped, added)
  return worth === bound ? { plans, worth, bound, steps: lines.length } : null
}
