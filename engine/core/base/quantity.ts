import { type Quantity, quantityOne } from './money.js'

/** Whole units of a quantity; 0 for weighed goods (3-benefits 1: a quantity is whole by its value). */
export function wholeUnits(quantity: Quantity): number {
  return quantity % quantityOne === 0 ? quantity / quantityOne : 0
}
