import type { Money } from '../base/money.js'
import { sumOf } from '../base/money.js'
import type { LineField } from '../model/instance.js'
import { leastRests } from './least-rest.js'
import { type Carrier, carriersOf } from './orders.js'

/** The order discounts of the POS where they stay. */
export interface StayingOrders {
  /** What they take at most, each minor unit times the weight of the line that it is on in the end. */
  readonly takenBy: (weightOf: (at: number) => number) => number
  /** Whether every line holds what stands on it, whatever is chosen, so that nothing moves. */
  readonly isInPlace: boolean
}

/** Where no order discount stays. */
export const noneStaying: StayingOrders = { takenBy: () => 0, isInPlace: true }

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
  return {
    isInPlace,
    takenBy(weightOf) {
      let taken = 0
      for (let at = 0; at < lines.length; at++) if (standing[at]! > 0) taken += weightOf(at) * standing[at]!
      return isInPlace ? taken : open.reduce((sum, carriers) => sum + movedBy(carriers, room, weightOf), taken)
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
function movedBy(
  carriers: readonly Carrier[],
  { field, short, spare }: Room,
  weightOf: (at: number) => number,
): number {
  const weights = carriers.map(({ at }) => weightOf(at))
  const [least, most] = [Math.min(...weights), Math.max(...weights)]
  let [moved, heavy, heavyCount] = [0, 0, 0]
  let light = -sumOf(short)
  for (const [index, { at, amount }] of carriers.entries()) {
    if (weights[index]! < most) moved += Math.min(amount, short[at]!)
    if (weights[index] === least) light += spare[at]!
    else {
      heavy += field.basis.lines[at]!.gross
      heavyCount++
    }
  }
  if (moved === 0 || heavy === 0) return 0
  const share = heavy / (heavy + Math.max(0, light))
  return (most - least) * Math.min(moved, heavy, moved * share + heavyCount)
}
