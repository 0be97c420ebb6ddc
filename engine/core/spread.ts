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
  for (const each of room) total += each
  if (amount === total) return [...room]
  const shares = room.map((each) => floorProduct(amount, each, total))
  let left = amount
  for (const share of shares) left -= share
  if (left > 0) giveRemainders(amount, total, { room, shares, left })
  return shares
}

interface Leftover {
  readonly room: readonly Money[]
  readonly shares: Money[]
  readonly left: number
}

function giveRemainders(amount: Money, total: Money, { room, shares, left }: Leftover): void {
  const exact = amount <= moneyMax / Math.max(1, total)
  const order = exact
    ? ranked(room, (position) => amount * room[position]! - shares[position]! * total)
    : ranked(room, (position) => BigInt(amount) * BigInt(room[position]!) - BigInt(shares[position]!) * BigInt(total))
  for (let given = 0; given < left; given++) shares[order[given]!]! += 1
}

function ranked(room: readonly Money[], remainder: (position: number) => number | bigint): number[] {
  const remainders = room.map((_, position) => remainder(position))
  const order = room.map((_, position) => position)
  return order.sort((a, b) => compare(remainders[b]!, remainders[a]!) || a - b)
}

function compare(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
