/** floor(a * b / c), exact; all whole and not negative, c above 0. */
export function floorOf(a: number, b: number, c: number): number {
  const product = a * b
  if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % c)) / c
  return Number((BigInt(a) * BigInt(b)) / BigInt(c))
}

/** a * b / c rounded half up, exact; all whole and not negative, c above 0. */
export function roundOf(a: number, b: number, c: number): number {
  const product = 2 * a * b + c
  if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % (2 * c))) / (2 * c)
  return Number((2n * BigInt(a) * BigInt(b) + BigInt(c)) / (2n * BigInt(c)))
}

export function sumOf(terms: readonly number[]): number {
  return terms.reduce((sum, term) => sum + term, 0)
}

/** The sum of two lists, by place. */
export function sumOfBoth(one: readonly number[], other: readonly number[]): number[] {
  return one.map((amount, at) => amount + other[at]!)
}

/**
 * Spreading (benefits 2): in proportion to the weights, rounded down; the remainder goes one each to the largest remainders, ties to
 * the earlier line.
 *
 * @param amount minor units, 0 to the sum of the weights
 * @param weights room of each line; 0 gets nothing
 */
export function spread(amount: number, weights: readonly number[]): number[] {
  const total = sumOf(weights)
  if (total === 0) return weights.map(() => 0)
  const shares = weights.map((weight) => floorOf(amount, weight, total))
  const remainders = weights.map((weight) => Number((BigInt(amount) * BigInt(weight)) % BigInt(total)))
  const order = weights.map((_, line) => line).sort((a, b) => remainders[b]! - remainders[a]! || a - b)
  const left = amount - sumOf(shares)
  for (const line of order.slice(0, left)) shares[line]! += 1
  return shares
}
