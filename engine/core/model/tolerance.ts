/** What sums of doubles may be short of, in minor units, and as a share of what lines hold. */
const leastAllowance = 1e-4
const shortOf = 1e-11

/** Tolerance of sums of doubles over lines that total `most`, minor units; better plans gain more. */
export function leastMore(most: number): number {
  return Math.max(leastAllowance, most * shortOf)
}
