import { type Money, type Percentage, percentageOf } from '../../base/money.js'

/** `order_percentage`: of what its lines still cost together, rounded once. */
export function orderPercentage(percentage: Percentage): (base: Money) => Money {
  return (base) => percentageOf(percentage, base)
}
