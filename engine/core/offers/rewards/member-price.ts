import { type Money, quantityTimes } from '../../base/money.js'
import type { AmountOn } from '../offer.js'

/** `member_price`: what is above the member's price, where the pieces hold more than that. */
export function memberPrice(unitPrice: Money): AmountOn {
  return (line, pieces, part) => {
    const cost = line.units === 0 ? quantityTimes(line.quantity, unitPrice) : pieces * unitPrice
    return Math.max(0, part - cost)
  }
}
