import { type Money, type Percentage, percentageOf, quantityTimes } from '../base/money.js'
import type { VolumeTier } from '../base/programme.js'
import type { AmountOn } from './offer.js'

/** `line_amount`: per unit (times the quantity of weighed goods) or per line, at most the part's cost. */
export function lineAmount(amount: Money, per: 'unit' | 'line'): AmountOn {
  if (per === 'line') return (_line, _pieces, part) => Math.min(amount, part)
  return (line, pieces, part) =>
    Math.min(line.units === 0 ? quantityTimes(line.quantity, amount) : pieces * amount, part)
}

/** `line_percentage` and `volume_percentage`: a percentage of the pieces' cost. */
export function linePercentage(percentage: Percentage): AmountOn {
  return (_line, _pieces, part) => percentageOf(percentage, part)
}

/** `member_price`: what the pieces cost above the member's price, at least 0. */
export function memberPrice(unitPrice: Money): AmountOn {
  return (line, pieces, part) => {
    const cost = line.units === 0 ? quantityTimes(line.quantity, unitPrice) : pieces * unitPrice
    return Math.max(0, part - cost)
  }
}

/** `price_override`: gross less the new price; 0 if the new price is not lower. */
export function priceOverride(unitPrice: Money): AmountOn {
  return (line, pieces) => {
    if (unitPrice >= line.price) return 0
    return line.units === 0 ? line.gross - quantityTimes(line.quantity, unitPrice) : pieces * (line.price - unitPrice)
  }
}

/** The highest tier reached; null below the first. Tiers ascend, which publishing checks. */
export function tierFor(tiers: readonly VolumeTier[], units: number): VolumeTier | null {
  let reached: VolumeTier | null = null
  for (const tier of tiers) if (tier.quantity <= units) reached = tier
  return reached
}

/** `order_amount`: at most what its lines still cost together. */
export function orderAmount(amount: Money): (base: Money) => Money {
  return (base) => Math.min(amount, base)
}

/** `order_percentage`: of what its lines still cost together, rounded once. */
export function orderPercentage(percentage: Percentage): (base: Money) => Money {
  return (base) => percentageOf(percentage, base)
}
