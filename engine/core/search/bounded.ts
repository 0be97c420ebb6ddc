import type { BasisLine } from '../base/basis.js'
import { partOf } from '../base/basis.js'
import type { Money } from '../base/money.js'
import { sumOf } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import { heldBy, type LineOffers, type LinePlan, planLine, stackOn } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import { holds } from '../match/line-index.js'
import type { Component, ComponentChoice, Ground } from '../model/task.js'
import type { Offer } from '../offers/offer.js'

/** Moves, from a number of units of each limit to another over one line, up to which limits are shared out exactly. */
const movesMax = 60_000

/**
 * Offers of lines that are looked at for the plans of all ways together, over all components of a basket: each of hundreds
 * of ways may have hundreds of stackable benefits on top. What is beyond is for the search, which keeps to its budget.
 */
const plannedMax = 1_000_000

/** What is left of that. */
export interface Planning {
  left: number
}

/** The planning of a basket. */
export function planningOf(): Planning {
  return { left: plannedMax }
}

/** Moves that take as long as one step of the search. */
const movesPerStep = 20

/**
 * The best plans of a component that only limits in units, or one maximum amount, tie together, where a short way
 * proves them; null elsewhere.
 *
 * Limits in units: the best gain for every number of units of each, line after line. A maximum amount: the plans as if
 * there were none, which are best where it does not bite, or where the benefit brings its whole maximum on top of all
 * others.
 */
export function chooseBounded(
  ground: Ground,
  { lines, offers }: Component,
  planning: Planning,
): ComponentChoice | null {
  if (offers.some(({ shape }) => shape.kind !== 'line')) return null
  const places = lines.map((at) => ({ at, line: ground.lines[at]!, offers: ground.lineOffers[at]! }))
  if (places.some((place) => place.offers.stacks.some(isCapped))) return null
  if (!offers.some(isCapped)) return limited(places, offers, planning)
  return offers.length === 1 && offers[0]!.unitsMax === Number.POSITIVE_INFINITY ? maximised(places, offers[0]!) : null
}

interface Place {
  readonly at: number
  readonly line: BasisLine
  readonly offers: LineOffers
}

function isCapped({ maximumAmount }: Offer): boolean {
  return maximumAmount !== Number.POSITIVE_INFINITY
}

/** A way to serve a line: how many units of each limit, as a step between states, and what the line gains. */
interface Way {
  readonly units: readonly number[]
  readonly step: number
  readonly plan: LinePlan
  readonly gain: number
}

// A state is the units taken of each limit, as one number in mixed radix.
function limited(places: readonly Place[], offers: readonly Offer[], planning: Planning): ComponentChoice | null {
  const spans = offers.map(({ unitsMax }) => unitsMax + 1)
  const states = spans.reduce((product, span) => product * span, 1)
  if (states * places.length > movesMax) return null
  const counts = places.map((place) => wayCount(place, offers))
  const moves = sumOf(counts) * states
  if (moves > movesMax) return null
  const [place] = places
  if (places.length === 1 && isBare(place!)) {
    return { ...limitedOn(place!, offers, spans), steps: Math.ceil(counts[0]! / movesPerStep) }
  }
  const planned = sumOf(places.map(({ offers: { free, stacks } }, at) => counts[at]! * (free.length + stacks.length)))
  if (planned > planning.left) return null
  planning.left -= planned
  const ways = places.map((place) => waysOf(place, offers, spans))
  const gains: Float64Array[] = [new Float64Array(states).fill(Number.NEGATIVE_INFINITY)]
  gains[0]![0] = 0
  const chosen = ways.map((own, index) => {
    const next = new Float64Array(states).fill(Number.NEGATIVE_INFINITY)
    const choice = advance(gains[index]!, own, { next, spans })
    gains.push(next)
    return choice
  })
  const last = gains[places.length]!
  const worth = Math.max(...last)
  const plans: LinePlan[] = []
  let state = cheapestState(last, worth, spans)
  for (let index = places.length - 1; index >= 0; index--) {
    const way = ways[index]![chosen[index]![state]!]!
    plans.unshift(way.plan)
    state -= way.step
  }
  const open = sumOf(ways.map((own) => Math.max(...own.map(({ plan }) => plan.rest - plan.restBound))))
  return { plans, worth, bound: worth + open, steps: Math.ceil(moves / movesPerStep) }
}

function isBare({ line, offers: { free, stacks } }: Place): boolean {
  return line.own === 0 && free.length === 0 && stacks.length > 0
}

// Of a line by itself, on which nothing but stackable benefits comes after those with limits: less before them never leaves
// more after them, so that the way that takes most is the best, and of few others it has to be worked out whether they
// come to as much. Of those the one that takes least of the limits, as among states.
function limitedOn(place: Place, offers: readonly Offer[], spans: readonly number[]): Omit<ComponentChoice, 'steps'> {
  const { line, offers: own } = place
  const [befores, counts, steps]: [Money[], number[], number[]] = [[], [], []]
  eachDeal(place, offers, (units) => {
    befores.push(line.gross - takenBy(line, offers, units))
    counts.push(sumOf(units))
    steps.push(stepOf(units, spans))
  })
  const restAfter = (before: Money) => stackOn(line, own.stacks, before).rest
  const lowest = befores.reduce((low, each) => Math.min(low, each), Number.POSITIVE_INFINITY)
  const least = restAfter(lowest)
  const before = mostBefore(befores, lowest, (each) => restAfter(each) === least)
  let cheapest = befores.indexOf(lowest)
  for (let way = 0; way < befores.length; way++) {
    if (befores[way]! > before) continue
    const more = counts[way]! - counts[cheapest]!
    if (more < 0 || (more === 0 && steps[way]! < steps[cheapest]!)) cheapest = way
  }
  const serves = servesOf(offers, unitsAt(steps[cheapest]!, spans))
  const worth = heldBy(line) - least
  return { plans: [planLine(line, own, serves)], worth, bound: worth }
}

function takenBy(line: BasisLine, offers: readonly Offer[], units: readonly number[]): Money {
  let taken = 0
  for (let index = 0; index < offers.length; index++) {
    const pieces = units[index]!
    if (pieces > 0) taken += offers[index]!.amountOn(line, pieces, partOf(line, pieces, line.gross))
  }
  return taken
}

// The most that a way leaves before them and comes to the same; mostly that of the best alone does, and the next one shows it.
function mostBefore(befores: readonly Money[], lowest: Money, isSame: (before: Money) => boolean): Money {
  let next = Number.POSITIVE_INFINITY
  for (const each of befores) if (each > lowest && each < next) next = each
  if (next === Number.POSITIVE_INFINITY || !isSame(next)) return lowest
  const all = befores.toSorted((a, b) => a - b)
  let [first, end] = [all.indexOf(next), all.length]
  while (end - first > 1) {
    const middle = Math.floor((first + end) / 2)
    if (isSame(all[middle]!)) first = middle
    else end = middle
  }
  return all[first]!
}

function advance(
  from: Float64Array,
  ways: readonly Way[],
  { next, spans }: { next: Float64Array; spans: readonly number[] },
): Int32Array {
  const choice = new Int32Array(from.length)
  for (let state = 0; state < from.length; state++) {
    const start = from[state]!
    if (start === Number.NEGATIVE_INFINITY) continue
    for (let way = 0; way < ways.length; way++) {
      const { units, step, gain } = ways[way]!
      if (start + gain <= next[state + step]! || !fits(state, units, spans)) continue
      next[state + step] = start + gain
      choice[state + step] = way
    }
  }
  return choice
}

function fits(state: number, units: readonly number[], spans: readonly number[]): boolean {
  let left = state
  for (let at = 0; at < spans.length; at++) {
    const span = spans[at]!
    if ((left % span) + units[at]! >= span) return false
    left = Math.floor(left / span)
  }
  return true
}

// Of the states with the greatest gain the one that takes least of the limits.
function cheapestState(gains: Float64Array, worth: number, spans: readonly number[]): number {
  let found = -1
  let least = Number.POSITIVE_INFINITY
  for (let state = 0; state < gains.length; state++) {
    if (gains[state] !== worth) continue
    let units = 0
    for (let at = 0, left = state; at < spans.length; at++) {
      units += left % spans[at]!
      left = Math.floor(left / spans[at]!)
    }
    if (units >= least) continue
    least = units
    found = state
  }
  return found
}

function wayCount({ at, line }: Place, offers: readonly Offer[]): number {
  let count = 1
  for (const { lines, unitsMax } of offers) if (holds(lines, at)) count *= Math.min(line.pieces, unitsMax) + 1
  return count
}

function waysOf(place: Place, offers: readonly Offer[], spans: readonly number[]): Way[] {
  const { line, offers: own } = place
  const ways: Way[] = []
  eachDeal(place, offers, (units) => {
    const plan = planLine(line, own, servesOf(offers, units))
    ways.push({ units: [...units], step: stepOf(units, spans), plan, gain: heldBy(line) - plan.rest })
  })
  return ways
}

// All ways to deal units of a line to offers; the list of how many each has is written over.
function eachDeal({ at, line }: Place, offers: readonly Offer[], visit: (units: readonly number[]) => void): void {
  const units = offers.map(() => 0)
  const walk = (index: number, free: number) => {
    const offer = offers[index]
    if (offer === undefined) {
      visit(units)
      return
    }
    const most = holds(offer.lines, at) ? Math.min(free, offer.unitsMax) : 0
    for (units[index] = 0; units[index]! <= most; units[index]!++) walk(index + 1, free - units[index]!)
    units[index] = 0
  }
  walk(0, line.pieces)
}

function servesOf(offers: readonly Offer[], units: readonly number[]): Serve[] {
  return offers.flatMap((offer, index) => (units[index] === 0 ? [] : [{ offer, pieces: units[index]!, bought: 0 }]))
}

function stepOf(units: readonly number[], spans: readonly number[]): number {
  return units.reduceRight((sum, each, index) => sum * spans[index]! + each, 0)
}

function unitsAt(state: number, spans: readonly number[]): number[] {
  let left = state
  return spans.map((span) => {
    const units = left % span
    left = Math.floor(left / span)
    return units
  })
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
