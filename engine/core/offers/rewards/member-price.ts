import { type Money, quantityTimes } from '../../base/money.js'
import type { AmountOn } from '../offer.js'

/** `member_price`: what the pieces cost above the member's price, at least 0. */
export function memberPrice(unitPrice: Money): AmountOn {
  return (line, pieces, part) => {
    const cost = line.units === 0 ? quantityTimes(line.quantity, unitPrice) : pieces * unitPrice
    return Math.max(0, part - cost)
  }
}
