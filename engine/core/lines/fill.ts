import { type BasisLine, partOf } from '../base/basis.js'
import { piecesTriedMax, splitContendersMax, splitsMax } from '../base/costs.js'
import { type Money, moneyMax, percentageWhole } from '../base/money.js'
import { halfUp, productShare, twoRoundings } from '../base/tolerance.js'
import type { Share } from '../offers/following.js'
import type { Offer } from '../offers/offer.js'
import { rateOf } from '../offers/rate.js'

export interface Serve {
  readonly offer: Offer
  readonly pieces: number
  readonly bought: number
  readonly share?: Share
}

export interface Fill {
  readonly gain: Money
  readonly serves: readonly Serve[]
  readonly bound: Money
}

const nothing: Fill = { gain: 0, serves: [], bound: 0 }

/**
 * Divides free pieces of a line among offers for the greatest gain (3-benefits 4). Amounts are linear up to one
 * rounding each. So sharing is searched only within roundings, and within one period of them: time does not depend on
 * the quantity.
 *
 * @param offers  in the order of benefitId
 * @param free    available pieces, 0 to `line.pieces`
 * @param hold    cost of the whole line, minor units
 */
export function fillLine(
  line: BasisLine,
  offers: readonly Offer[],
  { free, hold }: { free: number; hold: Money },
): Fill {
  if (free === 0 || offers.length === 0) return nothing
  const part = partOf(line, free, hold)
  let best = 0
  let second = 0
  let winner: Offer | null = null
  let divisible = 0
  for (const offer of offers) {
    if (offer.wholeLine) {
      if (free < line.pieces) continue
    } else divisible++
    const gain = offer.amountOn(line, free, part)
    if (gain > best || (gain === best && winner !== null && winsTie(offer, winner))) {
      second = best
      best = gain
      winner = offer
    } else if (gain > second) second = gain
  }
  if (winner === null) return nothing
  // Least loss for each piece given to another offer.
  const margin = best - second > offers.length ? (best - second - 1) / free : 0
  const alone = { gain: best, serves: [{ offer: winner, pieces: free, bought: 0 }], bound: best }
  // From there on each piece moved costs more than the two roundings it can win.
  const isSafe = margin >= twoRoundings
  return divisible < 2 || free < 2 || isSafe ? alone : shared(line, offers, { free, hold, alone })
}

export function winsTie(offer: Offer, other: Offer): boolean {
  const limited = offer.limits.length - other.limits.length
  if (limited !== 0) return limited < 0
  const priority = offer.benefit.priority - other.benefit.priority
  return priority === 0 ? offer.rank < other.rank : priority > 0
}

interface Contender {
  readonly offer: Offer
  readonly rate: number
  readonly slack: number
}

interface Sharing {
  readonly free: number
  readonly hold: Money
  readonly alone: Fill
}

function shared(line: BasisLine, offers: readonly Offer[], { free, hold, alone }: Sharing): Fill {
  const top = topOf(line, offers, hold)
  if (top === null) return alone
  const reach = top.rate * free * (1 + productShare) + top.slack
  let room = reach - alone.gain
  for (const offer of offers) {
    if (offer === top.offer || offer.wholeLine || offer.percentage === null) continue
    const rate = rateOf(offer, line, hold)
    if (rate > 0) room += Math.max(0, halfUp - (top.rate - rate))
  }
  if (room < 1) return alone
  let hasContenders = false
  const near: Contender[] = []
  const spans: number[] = []
  let splits = 1
  for (let at = 0; at < offers.length && (splits <= splitsMax || near.length < splitContendersMax); at++) {
    const each = contenderOf(line, offers[at]!, { top, hold, room })
    if (each === null) continue
    hasContenders = true
    const span = spanOf(line, each, { top, free, room, hold })
    if (span === 0) continue
    near.push(each)
    spans.push(span)
    splits *= span + 1
  }
  if (!hasContenders) return alone
  if (splits <= splitsMax) return bestOfSplits(line, { top, near, spans, free, hold, alone, bound: null })
  const few = spans.slice(0, splitContendersMax).map((span) => Math.min(span, piecesTriedMax))
  const bound = Math.floor(alone.gain + room)
  return bestOfSplits(line, { top, near: near.slice(0, splitContendersMax), spans: few, free, hold, alone, bound })
}

function topOf(line: BasisLine, offers: readonly Offer[], hold: Money): Contender | null {
  let [best, most]: [Offer | null, number] = [null, 0]
  for (const offer of offers) {
    if (offer.wholeLine) continue
    const rate = rateOf(offer, line, hold)
    if (rate <= most) continue
    most = rate
    best = offer
  }
  return best === null ? null : { offer: best, rate: most, slack: slackOf(best) }
}

function slackOf({ percentage }: Offer): number {
  return percentage === null ? 0 : halfUp
}

// Null if sharing with this offer cannot gain.
function contenderOf(
  line: BasisLine,
  offer: Offer,
  { top, hold, room }: { top: Contender; hold: Money; room: number },
): Contender | null {
  if (offer === top.offer || offer.wholeLine) return null
  const rate = rateOf(offer, line, hold)
  const slack = slackOf(offer)
  return rate > 0 && top.rate - rate <= room - 1 + slack ? { offer, rate, slack } : null
}

interface Span {
  readonly top: Contender
  readonly free: number
  readonly room: number
  readonly hold: Money
}

// At most the part that roundings can win back, and less than their common period: moving a whole period to the top loses
// nothing.
function spanOf(line: BasisLine, each: Contender, { top, free, room, hold }: Span): number {
  const gap = top.rate - each.rate
  const bySlope = gap <= 0 ? free : Math.floor((room + each.slack) / gap)
  const period = hold === line.price * line.pieces ? commonPeriod(periodOf(line, each), periodOf(line, top)) : free + 1
  return Math.min(free, bySlope, period - 1)
}

function periodOf(line: BasisLine, { offer }: Contender): number {
  if (offer.percentage === null) return 1
  const product = offer.percentage * line.price
  const step =
    product <= moneyMax
      ? product % percentageWhole
      : Number((BigInt(offer.percentage) * BigInt(line.price)) % BigInt(percentageWhole))
  return percentageWhole / greatestDivisor(percentageWhole, step)
}

function commonPeriod(a: number, b: number): number {
  return (a / greatestDivisor(a, b)) * b
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

interface Splits {
  readonly top: Contender
  readonly near: readonly Contender[]
  readonly spans: readonly number[]
  readonly free: number
  readonly hold: Money
  readonly alone: Fill
  /** null: all splits that can gain are evaluated. */
  readonly bound: Money | null
}

function bestOfSplits(line: BasisLine, { top, near, spans, free, hold, alone, bound }: Splits): Fill {
  let best = alone.gain
  let bestCounts: number[] | null = null
  const counts = near.map(() => 0)
  const amountOf = ({ offer }: Contender, pieces: number) =>
    pieces === 0 ? 0 : offer.amountOn(line, pieces, partOf(line, pieces, hold))
  const walk = (at: number, left: number, gain: number) => {
    if (at === near.length) {
      const total = gain + amountOf(top, left)
      if (total > best) {
        best = total
        bestCounts = [...counts]
      }
      return
    }
    for (let pieces = 0; pieces <= Math.min(spans[at]!, left); pieces++) {
      counts[at] = pieces
      walk(at + 1, left - pieces, gain + amountOf(near[at]!, pieces))
    }
    counts[at] = 0
  }
  walk(0, free, 0)
  if (bestCounts === null) return { ...alone, bound: bound ?? alone.gain }
  const given = bestCounts as number[]
  const rest = free - given.reduce((sum, pieces) => sum + pieces, 0)
  const shares = [...near.map((each, at) => ({ each, pieces: given[at]! })), { each: top, pieces: rest }]
  const serves = shares
    .filter(({ each, pieces }) => amountOf(each, pieces) > 0)
    .map(({ each, pieces }) => ({ offer: each.offer, pieces, bought: 0 }))
    .sort((a, b) => a.offer.rank - b.offer.rank)
  return { gain: best, serves, bound: bound ?? best }
}
