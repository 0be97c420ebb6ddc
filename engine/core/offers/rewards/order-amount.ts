import type { Money } from '../../base/money.js'

/** `order_amount`: never more than what its lines still cost together. */
export function orderAmount(amount: Money): (base: Money) => Money {
  return (base) => Math.min(amount, base)
}
