import { scratch } from '../base/scratch.js'
import type { TieGround } from '../model/tie-ground.js'
import type { TiedLine } from './deal.js'

/** Lines and parts of offers that are looked at in the time of one step. */
const looksPerStep = 100

/** Share of the budget for looking; an order that takes more to look at stays as it is. */
const orderShareMax = 0.02

/** How many states a part can be in where as many of its units lie on either side, for each time that they make up. */
const statesPerTime = 2

/** Power by which there are fewer states the more of all that lines cost is passed. */
const fadeDoublings = 4

interface Placed {
  readonly tied: TiedLine
  readonly pieces: number
  /** Parts that have units of the line. */
  readonly parts: readonly number[]
  /** Offers that look at their lines by falling price. */
  readonly dealt: readonly number[]
  /** By how much fewer states there are once the line is passed. */
  readonly fade: number
}

/**
 * An order of the lines in which a walk has few states to go on from, which of all bundles are begun with some of their
 * lines and not through with the others. Lines of the same `buy_get` stay as they follow each other, for its units are
 * dealt by falling price; to all other offers any order is the same.
 *
 * How many states there are behind some lines is estimated: each component of a bundle, and each other offer, multiplies
 * them by the units that lie behind or ahead, whichever are fewer. The more of what all lines cost is behind, the fewer
 * of them can still come up to the best. Lines are moved one by one, to where the sum of all estimates is least, until none
 * lowers it.
 */
export function narrowOrder(
  ground: TieGround,
  tied: readonly TiedLine[],
  stepsMax: number,
): { readonly lines: readonly TiedLine[]; readonly steps: number } {
  const { lines, totals } = placedLines(ground, tied)
  const looksMax = stepsMax * orderShareMax * looksPerStep
  if (totals.length === 0 || lines.length * totals.length > looksMax) return { lines: tied, steps: 0 }
  const order = new Order(lines, totals)
  order.improve(looksMax)
  return { lines: order.lines.map((line) => line.tied), steps: Math.ceil(order.looks / looksPerStep) }
}

/** Units of all lines for a component of a bundle, or for another offer, in times. */
type Totals = readonly { units: number; readonly quantity: number }[]

function placedLines({ lines, offers }: TieGround, tied: readonly TiedLine[]) {
  const totals: { units: number; readonly quantity: number }[] = []
  const firstPart = offers.map(({ shape }) => {
    const first = totals.length
    if (shape.kind === 'bundle') for (const { quantity } of shape.components) totals.push({ units: 0, quantity })
    else if (shape.kind !== 'buy_get') totals.push({ units: 0, quantity: 1 })
    return first
  })
  const all = tied.reduce((sum, { at }) => sum + lines[at]!.gross, 0)
  const placed = tied.map((line): Placed => {
    const { pieces, gross } = lines[line.at]!
    const parts: number[] = []
    const dealt: number[] = []
    for (const [of, index] of line.offers.entries()) {
      if (offers[index]!.shape.kind === 'buy_get') dealt.push(index)
      else for (const { component } of line.roles[of]!) parts.push(firstPart[index]! + component)
    }
    for (const part of parts) totals[part]!.units += pieces
    let fade = 1 + gross / Math.max(1, all)
    for (let doubling = 0; doubling < fadeDoublings; doubling++) fade *= fade
    return { tied: line, pieces, parts, dealt, fade: 1 / fade }
  })
  return { lines: placed, totals }
}

class Order {
  readonly lines: Placed[]
  looks = 0
  /** By place and part: its units on the lines before. */
  private readonly passed: Float64Array
  /** By place: how many states there are before it, as estimated. */
  private readonly states: Float64Array

  constructor(
    lines: readonly Placed[],
    private readonly totals: Totals,
  ) {
    this.lines = [...lines]
    this.passed = scratch.takeDoubles((lines.length + 1) * totals.length)
    this.states = scratch.takeDoubles(lines.length + 1)
    this.states[0] = 1
    this.follow(0)
  }

  /** Moves lines until none is better elsewhere, or about so much has been looked at. */
  improve(looksMax: number): void {
    const all = [...this.lines]
    let isMoved = true
    while (isMoved) {
      isMoved = false
      for (const line of all) {
        if (this.looks > looksMax) return
        if (this.settle(line)) isMoved = true
      }
    }
  }

  // Moves a line to where it is best; whether that is elsewhere.
  private settle(line: Placed): boolean {
    const at = this.lines.indexOf(line)
    let [best, least] = [at, -leastLess * this.states[at]!]
    let more = 0
    for (let to = at + 1; to < this.lines.length && !areDealt(line, this.lines[to]!); to++) {
      more += this.statesWith(line, to + 1, -1) - this.states[to]!
      if (more < least) [best, least] = [to, more]
    }
    more = 0
    for (let to = at - 1; to >= 0 && !areDealt(line, this.lines[to]!); to--) {
      more += this.statesWith(line, to, 1) - this.states[to + 1]!
      if (more < least) [best, least] = [to, more]
    }
    if (best === at) return false
    this.lines.splice(at, 1)
    this.lines.splice(best, 0, line)
    this.follow(Math.min(at, best))
    return true
  }

  // How many states there would be before a place, were a line passed besides, or not.
  private statesWith({ parts, pieces, fade }: Placed, place: number, sign: 1 | -1): number {
    const from = place * this.totals.length
    let states = this.states[place]! * (sign === 1 ? fade : 1 / fade)
    for (const part of parts) {
      const units = this.passed[from + part]!
      states *= this.statesOf(part, units + sign * pieces) / this.statesOf(part, units)
    }
    this.looks += 1 + parts.length
    return states
  }

  private statesOf(part: number, passed: number): number {
    const { units, quantity } = this.totals[part]!
    return 1 + (statesPerTime * Math.min(passed, units - passed)) / quantity
  }

  // What is passed by the lines from a place on.
  private follow(place: number): void {
    const { passed, states, lines, totals } = this
    for (let at = place; at < lines.length; at++) {
      states[at + 1] = this.statesWith(lines[at]!, at, 1)
      passed.copyWithin((at + 1) * totals.length, at * totals.length, (at + 1) * totals.length)
      for (const part of lines[at]!.parts) passed[(at + 1) * totals.length + part]! += lines[at]!.pieces
    }
  }
}

/** Share of the states at a line by which a move must lower the sum at least: doubles are short of less. */
const leastLess = 1e-6

function areDealt(one: Placed, other: Placed): boolean {
  return one.dealt.some((offer) => other.dealt.includes(offer))
}
