import { type BasisLine, partOf } from '../base/basis.js'
import { piecesTriedMax } from '../base/costs.js'
import { type Money, type Percentage, percentageWhole } from '../base/money.js'
import { halfUp } from '../base/tolerance.js'
import type { Offer } from './offer.js'

export interface Rate {
  readonly rate: number
  readonly slack: number
}

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

export function rateOf(offer: Offer, line: BasisLine, hold: Money): number {
  const percentage = percentageOn(offer)
  if (percentage === null) return offer.amountOn(line, line.pieces, hold) / line.pieces
  return ((percentage / percentageWhole) * hold) / line.pieces - offer.worthEach
}

export function percentageOn({ percentage, benefit: { reward } }: Offer): Percentage | null {
  if (reward.kind === 'free_product') return percentageWhole
  if (reward.kind === 'bundle_discount') return 'percentage' in reward.off ? reward.off.percentage : null
  return reward.kind === 'buy_get' ? reward.get.percentage : percentage
}

export function isEven(percentage: Percentage, line: BasisLine, hold: Money): boolean {
  return (
    hold === line.price * line.pieces &&
    percentage * line.price < 2 ** 53 &&
    (percentage * line.price) % percentageWhole === 0
  )
}
