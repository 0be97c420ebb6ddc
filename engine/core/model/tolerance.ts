/** What sums of doubles may be short of, in minor units, and as a share of what lines hold. */
const leastAllowance = 1e-4
const shortOf = 1e-11

/** What sums of doubles over lines that hold so much together may be short of: better plans gain more than that. */
export function leastMore(most: number): number {
  return Math.max(leastAllowance, most * shortOf)
}
