import type { BasisLine } from '../base/basis.js'
import type { Money } from '../base/money.js'
import { twoRoundings } from '../base/tolerance.js'
import { hasMaximum, type LineOffers, planLineIn, replaces } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

export interface LinesWithTies {
  readonly lines: readonly BasisLine[]
  readonly lineOffers: readonly LineOffers[]
  readonly tying: readonly Offer[]
}

/**
 * Upper bound of what lines gain by roundings alone if own discounts are off for stackable maxima, before these take
 * anything; minor units. Single pieces have none.
 */
export function offGain({ lines, lineOffers, tying }: LinesWithTies): Money {
  const ties = new Int32Array(lines.length)
  for (const offer of tying) {
    for (let index = 0; index < offer.lines.length; index++) ties[offer.lines[index]!]!++
  }
  let most = 0
  for (const [at, line] of lines.entries()) {
    const { untied, stacks } = lineOffers[at]!
    if (line.own === 0 || line.pieces === 1 || !stacks.some((each) => hasMaximum(each) && replaces(each))) continue
    const uncapped = { untied, stacks: stacks.filter((each) => !hasMaximum(each)) }
    // The part that a benefit has of a line is rounded, and its percentage of that.
    if (ties[at]! > 0) most += twoRoundings * Math.min(line.pieces, ties[at]! + untied.length)
    else {
      const [kept, off] = [false, true].map((each) => planLineIn(line, uncapped, { off: each, fixed: [] }))
      most += Math.max(0, kept!.rest - off!.restBound)
    }
  }
  return most
}
