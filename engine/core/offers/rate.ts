import { type BasisLine, partOf } from '../base/basis.js'
import { piecesTriedMax } from '../base/costs.js'
import { type Money, type Percentage, percentageWhole } from '../base/money.js'
import { halfUp } from '../base/tolerance.js'
import type { Offer } from './offer.js'

/** An upper bound of what pieces of a line get: `rate` for each, and `slack` once for the rounding. */
export interface Rate {
  readonly rate: number
  readonly slack: number
}

/** Bounds what an offer takes off k pieces of a line that holds so much, for every k (3-benefits 2). */
export function rateOn(offer: Offer, line: BasisLine, hold: Money): Rate {
  const percentage = percentageOn(offer)
  const rate = rateOf(offer, line, hold)
  if (percentage === null || percentage === percentageWhole) return { rate, slack: 0 }
  if (line.pieces > piecesTriedMax) return { rate, slack: isEven(percentage, line, hold) ? 0 : halfUp }
  let slack = 0
  for (let pieces = 1; pieces <= line.pieces; pieces++) {
    slack = Math.max(slack, offer.amountOn(line, pieces, partOf(line, pieces, hold)) - rate * pieces)
  }
  return { rate, slack }
}

/** The rate alone, which is exact where nothing is rounded. */
export function rateOf(offer: Offer, line: BasisLine, hold: Money): number {
  const percentage = percentageOn(offer)
  if (percentage === null) return offer.amountOn(line, line.pieces, hold) / line.pieces
  return ((percentage / percentageWhole) * hold) / line.pieces
}

/** The percentage that decides what an offer takes; null where an amount or a price does. */
export function percentageOn({ percentage, benefit }: Offer): Percentage | null {
  return benefit.reward.kind === 'buy_get' ? benefit.reward.get.percentage : percentage
}

/** Whether a percentage of every piece of a line is a whole number of minor units, so that nothing is rounded. */
export function isEven(percentage: Percentage, line: BasisLine, hold: Money): boolean {
  return (
    hold === line.price * line.pieces &&
    percentage * line.price < 2 ** 53 &&
    (percentage * line.price) % percentageWhole === 0
  )
}
