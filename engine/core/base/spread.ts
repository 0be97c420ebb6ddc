import { floorProduct, type Money, moneyMax } from './money.js'

/**
 * Spreads an amount over lines in proportion to their room (3-benefits, section 2).
 *
 * @param amount  minor units, 0 to the sum of `room`
 * @param room    one per line, in basket order, minor units, 0 or more
 * @returns       one share per line, same order, each at most its room; the shares sum to `amount` exactly
 *
 * Units left over go to the largest remainders; on a tie the earlier line wins, so that the same
 * basket always prints the same receipt. A line without room gets nothing, at any position.
 */
export function spread(amount: Money, room: readonly Money[]): Money[] {
  let total = 0
  for (let at = 0; at < room.length; at++) total += room[at]!
  if (amount === total) return [...room]
  const shares = room.slice()
  let left = amount
  for (let at = 0; at < room.length; at++) {
    const share = floorProduct(amount, room[at]!, total)
    shares[at] = share
    left -= share
  }
  if (left > 0) giveRest({ amount, total, room, shares }, left)
  return shares
}

interface Spreading {
  readonly amount: Money
  readonly total: Money
  readonly room: readonly Money[]
  readonly shares: Money[]
}

// Lines are counted in `lineCount` classes of remainder. In the class where units run out, remainder and line make one
// number, to sort plain numbers; on a tie the earlier line is greater. A remainder is below the total, and total times
// lines below 2^53, so no quotient rounds into a higher class. Fewer units than lines are left over.
function giveRest(spreading: Spreading, left: number): void {
  const { amount, total, room, shares } = spreading
  const lineCount = room.length
  if (amount > moneyMax / total || total > moneyMax / lineCount) {
    for (const at of firstOfWide(spreading, left)) shares[at]! += 1
    return
  }
  const { remainders, classes, counts, keys } = scratchFor(lineCount)
  for (let at = 0; at < lineCount; at++) {
    const remainder = amount * room[at]! - shares[at]! * total
    const own = Math.floor((remainder / total) * lineCount)
    remainders[at] = remainder
    classes[at] = own
    counts[own]!++
  }
  let last = lineCount - 1
  let open = left
  for (; counts[last]! <= open; last--) open -= counts[last]!
  let keyCount = 0
  for (let at = 0; at < lineCount; at++) {
    const own = classes[at]!
    if (own > last) shares[at]! += 1
    else if (own === last) keys[keyCount++] = remainders[at]! * lineCount + lineCount - 1 - at
  }
  counts.fill(0, 0, lineCount)
  if (open === 0) return
  const sorted = keys.subarray(0, keyCount).sort()
  for (let each = 1; each <= open; each++) shares[lineCount - 1 - (sorted[keyCount - each]! % lineCount)]! += 1
}

let scratch = scratchOf(0)

function scratchFor(lineCount: number): typeof scratch {
  if (scratch.counts.length < lineCount) scratch = scratchOf(2 * lineCount)
  return scratch
}

function scratchOf(size: number) {
  return {
    remainders: new Float64Array(size),
    classes: new Int32Array(size),
    counts: new Int32Array(size),
    keys: new Float64Array(size),
  }
}

function firstOfWide({ amount, total, room, shares }: Spreading, left: number): number[] {
  const [wideAmount, wideTotal] = [BigInt(amount), BigInt(total)]
  const remainders = room.map((each, at) => Number(wideAmount * BigInt(each) - BigInt(shares[at]!) * wideTotal))
  const order = room.map((_, at) => at)
  // Stable: on a tie the earlier line stays first.
  return order.sort((a, b) => remainders[b]! - remainders[a]!).slice(0, left)
}
