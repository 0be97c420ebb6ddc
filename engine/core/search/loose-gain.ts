import type { BasisLine } from '../base/basis.js'
import { type Money, percentageWhole } from '../base/money.js'
import { adds, isLoose, type LineOffers, planLine, planLineIn, replaces } from '../lines/plan.js'
import { linesOf } from '../model/components.js'
import type { Offer } from '../offers/offer.js'
import { percentageOn } from '../offers/rate.js'

/** Lines on which own discounts could go for a stackable maximum amount, above which they are not looked at one by one. */
const linesTriedMax = 5

/** Less than any part of a minor unit that a percentage can leave: two roundings differ by less than a whole one. */
const leastPart = 5e-7

/** What sums of doubles over all lines may be short of, as a share of them. */
const shortOf = 3e-14

/** The lines of a basket with what they have to themselves, and the benefits that tie them. */
export interface LooseGround {
  readonly lines: readonly BasisLine[]
  readonly lineOffers: readonly LineOffers[]
  readonly tying: readonly Offer[]
}

/**
 * What the only stackable benefit with a maximum amount can make lines cheaper at most, beside all others: at most its
 * maximum, at most its share of each line, less what own discounts are worth that go for it, and after what later
 * stackable percentages would have taken anyway.
 */
export function looseGain({ lines, lineOffers, tying }: LooseGround, offer: Offer): Money {
  const tied = new Set(tying.flatMap(linesOf))
  if (offer.lines.some((at) => tied.has(at))) return offer.maximumAmount
  const cases = offer.lines.map((at) => casesOn(lines[at]!, lineOffers[at]!, offer))
  if (cases.filter(({ length }) => length > 1).length > linesTriedMax) return offer.maximumAmount
  let most = 0
  const chosen: Part[] = []
  const choose = (at: number) => {
    if (at === cases.length) {
      most = Math.max(most, dealt(chosen, offer.maximumAmount))
      return
    }
    for (const part of cases[at]!) {
      chosen[at] = part
      choose(at + 1)
    }
  }
  choose(0)
  return Math.min(most, offer.maximumAmount)
}

/** Minor units by which what one benefit takes off part of a line can be rounded: the part, and its percentage. */
const roundingsPerServe = 2

/**
 * What lines can cost less at most, by roundings alone, once their own discounts are off for the sake of stackable
 * maximum amounts, and before those take anything. A single piece is never parted: it costs no less then.
 */
export function offGain({ lines, lineOffers, tying }: LooseGround): Money {
  const ties = new Int32Array(lines.length)
  for (const offer of tying) {
    for (let index = 0; index < offer.lines.length; index++) ties[offer.lines[index]!]!++
  }
  let most = 0
  for (const [at, line] of lines.entries()) {
    const { free, stacks } = lineOffers[at]!
    if (line.own === 0 || line.pieces === 1 || !stacks.some((each) => isLoose(each) && replaces(each))) continue
    const firm = { free, stacks: stacks.filter((each) => !isLoose(each)) }
    if (ties[at]! > 0) most += roundingsPerServe * Math.min(line.pieces, ties[at]! + free.length)
    else {
      const [kept, off] = [false, true].map((each) => planLineIn(line, firm, { off: each, fixed: [] }))
      most += Math.max(0, kept!.rest - off!.restBound)
    }
  }
  return most
}

/** What the benefit can have of a line in one of its cases. */
interface Part {
  readonly most: Money
  /** What a minor unit of it makes the line cheaper, and what roundings can add. */
  readonly weight: number
  readonly slack: number
  /** How much dearer the line is in this case without it. */
  readonly cost: Money
}

// A line without own discounts has one case; on any other they stay, or go, or the benefit leaves it out.
function casesOn(line: BasisLine, offers: LineOffers, offer: Offer): Part[] {
  const place = offers.stacks.findIndex(({ rank }) => rank === offer.rank)
  const others = { free: offers.free, stacks: offers.stacks.filter((_, at) => at !== place) }
  const before = { free: offers.free, stacks: offers.stacks.slice(0, place) }
  const least = planLine(line, others).restBound
  const later = offers.stacks.slice(place + 1)
  const isSummed = later.every((each) => percentageOn(each) !== null)
  const weight = isSummed ? later.reduce((left, each) => left * (1 - percentageOn(each)! / percentageWhole), 1) : 1
  const slack = !isSummed || later.length === 0 ? 0 : later.length - (later.length === 1 ? leastPart : 0)
  const partIn = (off: boolean): Part => {
    const hold = planLineIn(line, before, { off, fixed: [] }).restBound
    const cost = planLineIn(line, others, { off, fixed: [] }).restBound - least
    // Percentages that keep away from a line with own discounts take nothing of it then.
    return {
      most: offer.amountOn(line, line.pieces, hold),
      weight: off ? weight : 1,
      slack: off ? slack : 0,
      cost,
    }
  }
  if (line.own === 0) return [partIn(true)]
  const none = { most: 0, weight: 1, slack: 0, cost: 0 }
  return adds(offer) ? [none, partIn(false), partIn(true)] : [none, partIn(true)]
}

// The most that parts gain together, those first of which a minor unit counts most; roundings wherever there may be one, for
// the maximum is spread over more parts than gain most of it.
function dealt(parts: readonly Part[], maximum: Money): Money {
  let [left, gain] = [maximum, 0]
  for (const { most, weight, slack, cost } of [...parts].sort((a, b) => b.weight - a.weight)) {
    const amount = Math.min(left, most)
    left -= amount
    gain += amount * weight - cost + (most > 0 ? slack : 0)
  }
  return Math.floor(gain + Math.max(leastPart / 10, gain * shortOf))
}
