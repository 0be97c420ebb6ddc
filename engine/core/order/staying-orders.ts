import { type Money, sumOf } from '../base/money.js'
import type { LineField } from '../model/instance.js'
import { leastRests } from './least-rest.js'
import { type Carrier, carriersOf } from './orders.js'

type WeightOf = (at: number) => number

/** What lines count, and what is taken off. */
interface Sum {
  readonly weightOf: WeightOf
  /** 0 or less. */
  readonly added: number
}

/** The order discounts of the POS where they stay. */
export interface StayingOrders {
  /** Takes off what they take at most, each minor unit times the weight of the line that it is on in the end. */
  readonly takenFrom: <Of extends Sum>(sum: Of) => Of
  /**
   * The same line by line: what moves off a line grows as the line gets cheaper, from nothing to all that can move. The
   * straight line between is never less, so lines count more, and more is taken off.
   */
  readonly takenByLine: <Of extends Sum>(sum: Of) => Of
  /** Whether every line holds what stands on it, whatever is chosen, so that nothing moves. */
  readonly isInPlace: boolean
}

/** Where no order discount stays. */
export const noneStaying: StayingOrders = { takenFrom: (sum) => sum, takenByLine: (sum) => sum, isInPlace: true }

/**
 * What the order discounts of the POS take at most where they stay (3-benefits 3). What stands on a line stays there as far
 * as the line holds it; the rest moves to the other lines with the same discount, or is dropped. So what lines may not
 * hold counts as moved: to lines of the greatest weight, as much of it as can fall to them.
 */
export function stayingOrders(field: LineField): StayingOrders {
  const { lines } = field.basis
  const rests = leastRests(field)
  const standing = lines.map(({ allocations }) => sumOf(allocations.map(({ amount }) => amount)))
  const room: Room = {
    field,
    short: standing.map((amount, at) => Math.max(0, amount - rests[at]!)),
    spare: standing.map((amount, at) => Math.max(0, rests[at]! - amount)),
  }
  const isInPlace = room.short.every((amount) => amount === 0)
  const open = carriersOf(field.basis).map((own) =>
    own.filter(({ at, amount }) => amount > 0 && !lines[at]!.noDiscount),
  )
  const standingIn = (weightOf: WeightOf) =>
    standing.reduce((sum, amount, at) => (amount > 0 ? sum + weightOf(at) * amount : sum), 0)
  return {
    isInPlace,
    takenFrom(sum) {
      const taken = standingIn(sum.weightOf)
      const moved = isInPlace ? 0 : sumOf(open.map((carriers) => movedBy(carriers, room, sum.weightOf)))
      return { ...sum, added: sum.added - taken - moved }
    },
    takenByLine(sum) {
      const weights = lines.map((_, at) => sum.weightOf(at))
      let taken = standingIn(sum.weightOf)
      // What moves off a line is shared out among its discounts: each unit of it counts by the dearest move.
      const rises = new Float64Array(lines.length)
      for (const carriers of open) {
        const { most, rise, heavyCount, share } = moveOf(carriers, room, sum.weightOf)
        const moving = carriers.filter(({ at }) => weights[at]! < most && room.short[at]! > 0)
        if (moving.length > 0 && share < 1) taken += rise * heavyCount
        for (const { at } of moving) rises[at] = Math.max(rises[at]!, rise * share)
      }
      for (let at = 0; at < lines.length; at++) {
        if (rises[at] === 0) continue
        const { gross } = lines[at]!
        const each = (rises[at]! * room.short[at]!) / (gross - rests[at]!)
        weights[at]! += each
        taken += each * gross
      }
      return { ...sum, weightOf: (at: number) => weights[at]!, added: sum.added - taken }
    },
  }
}

/** By basis position: what of its order discounts a line may not hold, and what it holds beside them in any case. */
interface Room {
  readonly field: LineField
  readonly short: readonly Money[]
  readonly spare: readonly Money[]
}

// What moving adds to what a discount takes. It is spread in proportion to what lines have room for, each share less than
// a unit off. Other discounts may have moved before, to lines of the least weight.
function movedBy(carriers: readonly Carrier[], room: Room, weightOf: WeightOf): number {
  const { most, heavy, share, heavyCount, rise } = moveOf(carriers, room, weightOf)
  let moved = 0
  for (const { at, amount } of carriers) if (weightOf(at) < most) moved += Math.min(amount, room.short[at]!)
  return moved === 0 || heavy === 0 ? 0 : rise * Math.min(moved, heavy, moved * share + heavyCount)
}

/** Where what moves of an order discount can go. */
interface Move {
  /** The greatest weight of its lines, and how much more that is than the least. */
  readonly most: number
  readonly rise: number
  /** What lines of more than the least weight can hold, how many they are, and the share of all that moves that goes there. */
  readonly heavy: Money
  readonly heavyCount: number
  readonly share: number
}

function moveOf(carriers: readonly Carrier[], { field, short, spare }: Room, weightOf: WeightOf): Move {
  const weights = carriers.map(({ at }) => weightOf(at))
  const [least, most] = [Math.min(...weights), Math.max(...weights)]
  let [heavy, heavyCount] = [0, 0]
  let light = -sumOf(short)
  for (const [index, { at }] of carriers.entries()) {
    if (weights[index] === least) light += spare[at]!
    else {
      heavy += field.basis.lines[at]!.gross
      heavyCount++
    }
  }
  return { most, rise: most - least, heavy, heavyCount, share: heavy === 0 ? 0 : heavy / (heavy + Math.max(0, light)) }
}
