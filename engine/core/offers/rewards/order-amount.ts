import type { Money } from '../../base/money.js'

/** `order_amount`: at most what its lines still cost together. */
export function orderAmount(amount: Money): (base: Money) => Money {
  return (base) => Math.min(amount, base)
}
