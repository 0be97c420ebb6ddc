/** Minor units, 0 to `moneyMax` (contract 2.4; wire decisions 1). Larger products use bigint in this room. */
export type Money = number

/** The largest amount, and the largest result, that is accepted: 2^53 - 1. */
export const moneyMax: Money = Number.MAX_SAFE_INTEGER

export type Quantity = number

export type Percentage = number

export const percentageWhole: Percentage = 1_000_000

export const quantityOne: Quantity = 1000

/**
 * `a * b / divisor`, rounded down, exact for safe integers.
 *
 * @returns a whole number; above `moneyMax` only that is certain
 */
export function floorProduct(a: number, b: number, divisor: number): number {
  const product = a * b
  if (product <= moneyMax) return floorQuotient(product, divisor)
  const whole = floorQuotient(b, divisor)
  const left = a * (b - whole * divisor)
  if (left <= moneyMax) return a * whole + floorQuotient(left, divisor)
  return Number((BigInt(a) * BigInt(b)) / BigInt(divisor))
}

export function roundProduct(a: number, b: number, divisor: number): number {
  const product = a * b
  if (product <= moneyMax) return roundQuotient(product, divisor)
  const whole = floorQuotient(b, divisor)
  const left = a * (b - whole * divisor)
  if (left <= moneyMax) return a * whole + roundQuotient(left, divisor)
  const wide = BigInt(divisor)
  return Number((2n * BigInt(a) * BigInt(b) + wide) / (2n * wide))
}

export function quantityTimes(quantity: Quantity, price: Money): Money {
  return roundProduct(quantity, price, quantityOne)
}

export function percentageOf(percentage: Percentage, amount: Money): Money {
  return roundProduct(percentage, amount, percentageWhole)
}

function roundQuotient(dividend: number, divisor: number): number {
  const whole = floorQuotient(dividend, divisor)
  return 2 * (dividend - whole * divisor) >= divisor ? whole + 1 : whole
}

// Exact for safe integers: a quotient below a whole number k is below it by at least 1 / divisor. The doubles next to k
// are closer, as k * divisor < 2^53.
function floorQuotient(dividend: number, divisor: number): number {
  return Math.floor(dividend / divisor)
}

export function sumOf(amounts: readonly Money[]): Money {
  let sum = 0
  for (let at = 0; at < amounts.length; at++) sum += amounts[at]!
  return sum
}

export function wholeUnits(quantity: Quantity): number {
  return quantity % quantityOne === 0 ? quantity / quantityOne : 0
}
