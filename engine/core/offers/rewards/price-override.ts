import { type Money, quantityTimes } from '../../base/money.js'
import type { AmountOn } from '../offer.js'

/** `price_override`: gross less the new price; 0 if the new price is not lower. */
export function priceOverride(unitPrice: Money): AmountOn {
  return (line, pieces) => {
    if (unitPrice >= line.price) return 0
    return line.units === 0 ? line.gross - quantityTimes(line.quantity, unitPrice) : pieces * (line.price - unitPrice)
  }
}
