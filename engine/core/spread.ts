import { floorProduct, type Money, moneyMax } from './money.js'

/**
 * Spreads an amount over lines in proportion to what each can hold (3-benefits, section 2).
 *
 * @param amount  minor units, 0 to the sum of `room`
 * @param room    one per line, in basket order, minor units, 0 or more
 * @returns       one share per line, same order, each at most its room; the shares sum to `amount` exactly
 *
 * Units left over go to the largest remainders; on a tie the earlier line wins, so that the same
 * basket always prints the same receipt. A line without room gets nothing, wherever it stands.
 */
export function spread(amount: Money, room: readonly Money[]): Money[] {
  let total = 0
  for (let at = 0; at < room.length; at++) total += room[at]!
  if (amount === total) return [...room]
  // A copy written over is as long as it has to be from the start.
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
  /** Rounded down; units left over are added to them. */
  readonly shares: Money[]
}

// The largest remainders first, of equal ones the earlier line.
function giveRest(spreading: Spreading, left: number): void {
  const { amount, total, room, shares } = spreading
  const remainders =
    amount > moneyMax / total ? wideRemainders(spreading) : room.map((each, at) => amount * each - shares[at]! * total)
  const order = room.map((_, at) => at).sort((a, b) => remainders[b]! - remainders[a]! || a - b)
  for (let each = 0; each < left; each++) shares[order[each]!]! += 1
}

// The same for products that a number does not hold; what is left of them is less than the total.
function wideRemainders({ amount, total, room, shares }: Spreading): number[] {
  const [wideAmount, wideTotal] = [BigInt(amount), BigInt(total)]
  return room.map((each, at) => Number(wideAmount * BigInt(each) - BigInt(shares[at]!) * wideTotal))
}
