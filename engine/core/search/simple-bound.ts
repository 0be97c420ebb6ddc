import type { BasisLine } from '../base/basis.js'
import { percentageWhole, sumOf } from '../base/money.js'
import type { TieGround } from '../model/tie-ground.js'
import type { Offer } from '../offers/offer.js'
import { percentageOn, rateOn } from '../offers/rate.js'

/**
 * What one `buy_get` alone can gain at most on lines that nothing else looks at, without a search: the m-th dearest
 * unit got has m units got and all that their times buy above it (3-benefits 2). Null for any other component.
 *
 * Covers the two usual shapes: what is got can all be bought too, or none of it can.
 */
export function simpleBound({ lines, lineOffers, offers, indexOf }: TieGround): number | null {
  const [offer] = offers
  if (offers.length !== 1 || offer!.shape.kind !== 'buy_get') return null
  if (lines.some(({ own }) => own > 0) || lineOffers.some(({ free, stacks }) => free.length + stacks.length > 0))
    return null
  const { buy, get, buyLines, timesMax } = offer!.shape
  const gets = offer!.lines.map((position) => lines[indexOf.get(position)!]!).sort((a, b) => b.price - a.price)
  const shared = offer!.lines.filter((position) => buyLines.includes(position)).length
  if (shared !== 0 && shared !== gets.length) return null
  const bought = buyLines.reduce((sum, position) => sum + lines[indexOf.get(position)!]!.pieces, 0)
  const got = gets.reduce((sum, { pieces }) => sum + pieces, 0)
  const pure = shared === 0 ? Number.POSITIVE_INFINITY : bought - got
  const times =
    shared === 0 ? Math.min(Math.floor(bought / buy), Math.floor(got / get)) : Math.floor(bought / (buy + get))
  const units = Math.min(times, timesMax) * get
  const share = percentageOn(offer!)! / percentageWhole
  let [gain, taken, above] = [0, 0, 0]
  for (const { price, pieces } of gets) {
    above += pieces
    const most = Math.min(units, unitsGot(pure + above, above, { buy, get }))
    if (most <= taken) continue
    gain += (most - taken) * price * share
    taken = most
  }
  if (share === 1) return gain
  return Math.floor(gain + roundings(offer!, gets, units) + Math.max(1e-6, gain * shortOf))
}

// What is rounded up on the lines of so many units got at most: once on each.
function roundings(offer: Offer, gets: readonly BasisLine[], units: number): number {
  const slacks = gets.map((line) => rateOn(offer, line, line.gross).slack).sort((a, b) => b - a)
  return sumOf(slacks.slice(0, units))
}

/** What sums of doubles over all lines may be short of, as a share of them. */
const shortOf = 3e-14

// How many units can be got when so many can be bought or got, and so many of them got.
function unitsGot(all: number, gettable: number, { buy, get }: { buy: number; get: number }): number {
  if (all === Number.POSITIVE_INFINITY) return gettable
  const times = Math.floor(all / (buy + get))
  return Math.min(gettable, times * get + Math.max(0, Math.min(get, all - times * (buy + get) - buy)))
}
