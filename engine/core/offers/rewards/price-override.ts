import { type Money, quantityTimes } from '../../base/money.js'
import type { AmountOn } from '../offer.js'

/** `price_override`: what the new price takes off the gross, where it is below the price that counts. */
export function priceOverride(unitPrice: Money): AmountOn {
  return (line, pieces) => {
    if (unitPrice >= line.price) return 0
    return line.units === 0 ? line.gross - quantityTimes(line.quantity, unitPrice) : pieces * (line.price - unitPrice)
  }
}
