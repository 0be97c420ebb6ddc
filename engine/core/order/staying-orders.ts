import type { BasisLine } from '../base/basis.js'
import { type Money, sumOf } from '../base/money.js'
import { adds, heldBy, replaces, stackOn } from '../lines/plan.js'
import type { BasketInstance } from '../model/instance.js'
import type { Penalty } from '../model/task.js'
import { type Offer, shareLeft } from '../offers/offer.js'
import { areSame } from './order-bound.js'
import { carriersOf } from './orders.js'

type WeightOf = (at: number) => number

export interface LineWeights {
  readonly weightOf: WeightOf
  readonly penaltyOf?: (at: number) => Penalty | null
}

interface Sum extends LineWeights {
  readonly added: number
}

export interface SolvedWeighing {
  readonly rests: readonly Money[]
  readonly most: number
  readonly leastBy: (weightOf: WeightOf) => number
}

export interface StayingOrders {
  readonly takenFrom: <Of extends Sum>(sum: Of) => Of
  /**
   * A tighter bound for plans better than the incumbent, as a sum over lines.
   *
   * @param known  results under `takenFrom(sum)`
   */
  readonly takenByLine: <Of extends Sum>(sum: Of, known: SolvedWeighing) => Of & LineWeights
  /** True: no part of a discount ever exceeds its line. */
  readonly isInPlace: boolean
}

export const noneStaying: StayingOrders = { takenFrom: (sum) => sum, takenByLine: (sum) => sum, isInPlace: true }

/** Bounds the POS's order discounts if they stay (3-benefits 3). Proof: docs/search.md, The order level. */
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
      // Groups may share the amount that moves off a line: take the greatest slope.
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

// The constant has the maximum of a slope above 0, so the penalty is never negative.
function penaltyBy(slope: number, allocated: Money, short: Money): Penalty | null {
  if (slope * short === 0) return null
  const taken = slope > 0 ? short : 0
  return (rest) => slope * (taken - Math.min(short, Math.max(0, allocated - rest)))
}

interface Room {
  readonly instance: BasketInstance
  readonly allocated: readonly Money[]
  readonly short: readonly Money[]
  readonly spare: readonly Money[]
}

interface Group {
  readonly lines: readonly number[]
  readonly count: number
  readonly isFirst: boolean
}

// One group if all are on the same lines, otherwise one each.
function groupsOf({ basis }: BasketInstance): Group[] {
  const open = carriersOf(basis)
    .map((carriers) => carriers.filter(({ at, amount }) => amount > 0 && !basis.lines[at]!.noDiscount))
    .filter(({ length }) => length > 0)
    .map((carriers) => carriers.map(({ at }) => at))
  const isOne = open.every((lines) => areSame(lines, open[0]!))
  if (isOne) return open.slice(0, 1).map((lines) => ({ lines, count: open.length, isFirst: true }))
  return open.map((lines, index) => ({ lines, count: 1, isFirst: index === 0 }))
}

/** Heavy lines weigh more than the least weight, light ones weigh the least. */
interface MoveEstimate extends Group {
  readonly lightest: number
  readonly rise: number
  readonly lights: readonly number[]
  readonly heavies: readonly number[]
  readonly heavy: number
  readonly light: number
  /** True: light lines have room for moved amounts; lines that cost less than their part have room 0. */
  readonly isBeside: boolean
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

// If heavy lines cost H in a better plan, the optimum under weights lower by `less` is at most `known.most - less * H`,
// which bounds H.
function closerMove(
  move: MoveEstimate,
  { allocated, short }: Room,
  { weightOf, known }: { weightOf: WeightOf; known: SolvedWeighing },
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

interface Bound {
  readonly slope: number
  readonly start: number
}

// Heavy lines receive at most `moved`, and `moved * heavy / (heavy + light)` plus roundings; if `isBeside`, with `light
// + moved` for `light`. Both are concave: a tangent of the lesser is never below.
function boundOf({ heavy, light, isBeside, ...move }: MoveEstimate, moved: Money): Bound {
  const room = heavy + light + (isBeside ? moved : 0)
  const share = room === 0 ? 1 : heavy / room
  const rounded = roundedIn(move, light)
  if (moved <= moved * share + rounded) return { slope: 1, start: 0 }
  const slope = share * ((heavy + light) / room)
  return { slope, start: rounded + moved * (share - slope) }
}

// k of n lines receive at most k * (n - k) / n more than in proportion; a later discount finds that much more room.
function roundedIn(
  { heavies, lines, count, short }: Pick<MoveEstimate, 'heavies' | 'lines' | 'count' | 'short'>,
  light: number,
) {
  const some = Math.min(heavies.length, lines.length / 2)
  const each = (some * (lines.length - some)) / lines.length
  const later = light > 2 * short ? short / (light - short) : 1
  return each * count * (1 + ((count - 1) / 2) * later)
}

// Assumes that all that may move does, off lines below the greatest weight.
function movedBy(move: MoveEstimate, { short }: Room, weightOf: WeightOf): number {
  const most = move.lightest + move.rise
  const moved = sumOf(move.lines.map((at) => (weightOf(at) < most ? short[at]! : 0)))
  const { slope, start } = boundOf(move, moved)
  return move.rise * Math.min(move.heavy, slope * moved + start)
}

/** Lower bounds of costs before order discounts: on a tied line each piece takes the best benefit, rounded by itself. */
function leastRests({ basis, lineInstance, tying, cappedStacks }: BasketInstance): Money[] {
  const tied: Taking[][] = basis.lines.map(() => [])
  for (const offer of tying) {
    const taking = takingOf(offer, (at) => basis.lines[at]!.price)
    for (const at of offer.lines) tied[at]!.push(taking)
  }
  const hasCappedStack = new Set(cappedStacks.flatMap(({ lines }) => lines))
  return basis.lines.map((line, at) => {
    if (tied[at]!.length === 0 && !hasCappedStack.has(at)) return lineInstance.alone[at]!.restBound
    const { untied, stacks } = lineInstance.lineOffers[at]!
    const all = [...untied.map((offer) => ({ offer, share: 1 })), ...tied[at]!]
    return stackOn(line, stacks, leastOn(line, all, stacks.some(replaces))).rest
  })
}

/** `share`: upper bound of the share of its amount that the offer takes off its lines; less than 1 for a bundle. */
interface Taking {
  readonly offer: Offer
  readonly share: number
}

function takingOf(offer: Offer, priceOf: (at: number) => Money): Taking {
  const { shape } = offer
  return { offer, share: shape.kind === 'bundle' ? 1 - shareLeft(shape, priceOf) : 1 }
}

function leastOn(line: BasisLine, all: readonly Taking[], isStackReplacing: boolean): Money {
  const beside = leftBy(
    line,
    all.filter(({ offer }) => adds(offer)),
    heldBy(line),
  )
  if (line.own === 0 || !(isStackReplacing || all.some(({ offer }) => replaces(offer))))
    return line.own === 0 ? leftBy(line, all, line.gross) : beside
  return Math.min(beside, leftBy(line, all, line.gross))
}

function leftBy(line: BasisLine, all: readonly Taking[], held: Money): Money {
  const most = all.reduce(
    (taken, { offer, share }) => Math.max(taken, Math.ceil(share * offer.amountOn(line, line.pieces, held))),
    0,
  )
  return most === 0 ? held : Math.max(0, held - most - line.pieces)
}
