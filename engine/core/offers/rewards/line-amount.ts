import { type Money, quantityTimes } from '../../base/money.js'
import type { AmountOn } from '../offer.js'

/** `line_amount`: per unit (times the quantity of weighed goods) or per line, at most the part's cost. */
export function lineAmount(amount: Money, per: 'unit' | 'line'): AmountOn {
  if (per === 'line') return (_line, _pieces, part) => Math.min(amount, part)
  return (line, pieces, part) =>
    Math.min(line.units === 0 ? quantityTimes(line.quantity, amount) : pieces * amount, part)
}
