import { type Money, sumOf } from '../base/money.js'
import type { BasketInstance } from '../model/instance.js'
import type { Penalty } from '../model/task.js'
import { leastRests } from './least-rest.js'
import { areSame } from './order-bound.js'
import { carriersOf } from './orders.js'

type WeightOf = (at: number) => number

/** What lines count, by basis position: a weight for each minor unit that a line costs, and a penalty by what it costs. */
export interface Counts {
  readonly weightOf: WeightOf
  readonly penaltyOf?: (at: number) => Penalty | null
}

/** What lines count, and what is taken off. */
interface Sum extends Counts {
  /** 0 or less. */
  readonly added: number
}

/** What is known once plans were looked for under a sum. */
export interface Known {
  /** About what lines cost before order discounts by the plans found, by basis position: the bound is closest there. */
  readonly rests: readonly Money[]
  /** What all lines cost at most in plans that are better than the best found, each times its weight. */
  readonly most: number
  /** What all lines cost at least in any plans, each times another weight. */
  readonly leastBy: (weightOf: WeightOf) => number
}

/** The order discounts of the POS where they stay. */
export interface StayingOrders {
  /** Takes off what they take at most, each minor unit times the weight of the line that it is on in the end. */
  readonly takenFrom: <Of extends Sum>(sum: Of) => Of
  /**
   * The same, closer, for plans that are better than the best found: line by line, what moves off a line is what it costs
   * too little to hold.
   *
   * @param known  under `takenFrom(sum)`
   */
  readonly takenByLine: <Of extends Sum>(sum: Of, known: Known) => Of & Counts
  /** Whether every line holds what stands on it, whatever is chosen, so that nothing moves. */
  readonly isInPlace: boolean
}

/** Where no order discount stays. */
export const noneStaying: StayingOrders = { takenFrom: (sum) => sum, takenByLine: (sum) => sum, isInPlace: true }

/**
 * What the order discounts of the POS take at most where they stay (3-benefits 3). What stands on a line stays there as far
 * as the line holds it; the rest moves to the other lines with the same discount, or is dropped.
 *
 * So a discount takes the weight of each line times what stands on it, less the weights of what moves off lines, and plus
 * those of what goes to others: of all that moves, the least weight, and on heavy lines what these weigh more.
 * What goes to heavy lines is bounded by a straight line over what moves (`boundOf`), whose slope is then what each minor
 * unit that moves off a line counts. What a line costs decides what moves off it, so this is a sum over lines.
 */
export function stayingOrders(instance: BasketInstance): StayingOrders {
  const { lines } = instance.basis
  const rests = leastRests(instance)
  const allocated = lines.map(({ allocations }) => sumOf(allocations.map(({ amount }) => amount)))
  const room: Room = {
    instance,
    allocated,
    short: allocated.map((amount, at) => Math.max(0, amount - rests[at]!)),
    spare: allocated.map((amount, at) => Math.max(0, rests[at]! - amount)),
  }
  const isInPlace = room.short.every((amount) => amount === 0)
  const groups = isInPlace ? [] : groupsOf(instance)
  const allocatedIn = (weightOf: WeightOf) =>
    allocated.reduce((sum, amount, at) => (amount > 0 ? sum + weightOf(at) * amount : sum), 0)
  return {
    isInPlace,
    takenFrom(sum) {
      const { weightOf } = sum
      const moved = sumOf(groups.map((group) => movedBy(moveOf(group, room, weightOf), room, weightOf)))
      return { ...sum, added: sum.added - allocatedIn(weightOf) - moved }
    },
    takenByLine(sum, known) {
      const { weightOf } = sum
      let taken = allocatedIn(weightOf)
      // What moves off a line is shared out among its discounts: each unit of it counts by the dearest move.
      const slopes = new Map<number, number>()
      for (const group of groups) {
        const move = closerMove(moveOf(group, room, weightOf), room, { weightOf, known })
        const moved = group.lines.map((at) => Math.max(0, allocated[at]! - known.rests[at]!))
        const { slope, start } = boundOf(move, sumOf(moved))
        taken += move.rise * start
        for (const at of group.lines) {
          const each = move.rise * slope - (weightOf(at) - move.lightest)
          slopes.set(at, Math.max(slopes.get(at) ?? each, each))
        }
      }
      for (const [at, slope] of slopes) taken += Math.max(0, slope) * room.short[at]!
      const penalties = lines.map((_, at) => penaltyBy(slopes.get(at) ?? 0, allocated[at]!, room.short[at]!))
      return { ...sum, added: sum.added - taken, penaltyOf: (at: number) => penalties[at]! }
    },
  }
}

// What moves off a line counts by the slope: where that is above 0, all that can move is taken off already.
function penaltyBy(slope: number, allocated: Money, short: Money): Penalty | null {
  if (slope * short === 0) return null
  const taken = slope > 0 ? short : 0
  return (rest) => slope * (taken - Math.min(short, Math.max(0, allocated - rest)))
}

/** By basis position: what stands on a line, what of it the line may not hold, and what it holds beside it in any case. */
interface Room {
  readonly instance: BasketInstance
  readonly allocated: readonly Money[]
  readonly short: readonly Money[]
  readonly spare: readonly Money[]
}

/** Order discounts that move alike. */
interface Group {
  /** Lines that can take what moves. */
  readonly lines: readonly number[]
  /** How many discounts they are. */
  readonly count: number
  /** Whether no other group may have moved before. */
  readonly isFirst: boolean
}

// All in one where they are on the very same lines, else each by itself.
function groupsOf({ basis }: BasketInstance): Group[] {
  const open = carriersOf(basis)
    .map((carriers) => carriers.filter(({ at, amount }) => amount > 0 && !basis.lines[at]!.noDiscount))
    .filter(({ length }) => length > 0)
    .map((carriers) => carriers.map(({ at }) => at))
  const isOne = open.every((lines) => areSame(lines, open[0]!))
  if (isOne) return open.slice(0, 1).map((lines) => ({ lines, count: open.length, isFirst: true }))
  return open.map((lines, index) => ({ lines, count: 1, isFirst: index === 0 }))
}

/** Where what moves can go: to heavy lines, which weigh more than the least, or to light ones. */
interface MoveEstimate extends Group {
  /** The least weight, and how much more the greatest is. */
  readonly lightest: number
  readonly rise: number
  readonly lights: readonly number[]
  readonly heavies: readonly number[]
  /** What heavy lines have room for at most, and light ones at least. */
  readonly heavy: number
  readonly light: number
  /** Whether all that moves is room on light lines beside that: what costs less than what stands on it has room for 0, not less. */
  readonly isBeside: boolean
  /** What all lines of the basket may not hold. */
  readonly short: Money
}

function moveOf(group: Group, { instance, allocated, short, spare }: Room, weightOf: WeightOf): MoveEstimate {
  const { lines, isFirst } = group
  const weights = lines.map(weightOf)
  const [lightest, most] = [Math.min(...weights), Math.max(...weights)]
  const lights = lines.filter((_, index) => weights[index] === lightest)
  const heavies = lines.filter((_, index) => weights[index] !== lightest)
  const allShort = sumOf(short)
  // Other groups may have moved to light lines before.
  const light = sumOf(lights.map((at) => spare[at]!)) - (isFirst ? 0 : allShort)
  const heavy = sumOf(heavies.map((at) => instance.basis.lines[at]!.gross - allocated[at]!))
  const room = { heavy, light: Math.max(0, light), isBeside: false, short: allShort }
  return { ...group, ...room, lightest, rise: most - lightest, lights, heavies }
}

// What heavy lines cost at most in better plans: were a minor unit there to count less, lines would count that much less
// together. And what light lines cost at least: what lines count where no others do.
function closerMove(
  move: MoveEstimate,
  { allocated, short }: Room,
  { weightOf, known }: { weightOf: WeightOf; known: Known },
): MoveEstimate {
  const { lightest, rise, lights, heavies, isFirst } = move
  if (rise === 0 || lightest === 0) return move
  const [areLight, areHeavy] = [new Set(lights), new Set(heavies)]
  const less = lightest / 2
  const heavyMost = (known.most - known.leastBy((at) => weightOf(at) - (areHeavy.has(at) ? less : 0))) / less
  const lightLeast = known.leastBy((at) => (areLight.has(at) ? lightest : 0)) / lightest
  const on = (some: readonly number[], amounts: readonly Money[]) => sumOf(some.map((at) => amounts[at]!))
  const heavyShort = on(heavies, short)
  const heavy = Math.max(0, heavyMost - on(heavies, allocated) + heavyShort)
  const light = lightLeast - on(lights, allocated) - heavyShort - (isFirst ? 0 : move.short)
  const isBeside = light >= move.light
  return { ...move, heavy: Math.min(move.heavy, heavy), light: isBeside ? light : move.light, isBeside }
}

/** A straight line over what moves. */
interface Bound {
  readonly slope: number
  readonly start: number
}

// Of `moved` heavy lines get no more than all, and no more than `moved * heavy / (heavy + light)` with roundings, for they have
// no more room than `heavy`, the light ones no less than `light`, or than `light + moved`. Both are concave in what moves, so a
// tangent is nowhere below: of the lesser one where so much moves.
function boundOf({ heavy, light, isBeside, ...move }: MoveEstimate, moved: Money): Bound {
  const room = heavy + light + (isBeside ? moved : 0)
  const share = room === 0 ? 1 : heavy / room
  const rounded = roundedIn(move, light)
  if (moved <= moved * share + rounded) return { slope: 1, start: 0 }
  const slope = share * ((heavy + light) / room)
  return { slope, start: rounded + moved * (share - slope) }
}

// Units left over go to the largest remainders: of lines some get at most the product of both counts by that of all more
// than in proportion. A later discount finds them with as much more room.
function roundedIn(
  { heavies, lines, count, short }: Pick<MoveEstimate, 'heavies' | 'lines' | 'count' | 'short'>,
  light: number,
) {
  const some = Math.min(heavies.length, lines.length / 2)
  const each = (some * (lines.length - some)) / lines.length
  const later = light > 2 * short ? short / (light - short) : 1
  return each * count * (1 + ((count - 1) / 2) * later)
}

// What moving adds to what discounts take, whatever is chosen: with all that may move off lines of less than the greatest weight.
function movedBy(move: MoveEstimate, { short }: Room, weightOf: WeightOf): number {
  const most = move.lightest + move.rise
  const moved = sumOf(move.lines.map((at) => (weightOf(at) < most ? short[at]! : 0)))
  const { slope, start } = boundOf(move, moved)
  return move.rise * Math.min(move.heavy, slope * moved + start)
}
