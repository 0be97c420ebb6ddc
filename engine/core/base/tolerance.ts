/** The most that rounding half up adds to an amount, in minor units. */
export const halfUp = 0.5

export const twoRoundings = 2

/** The relative error of a product of doubles. */
export const productShare = 1e-15

/** The error of sums of doubles, in minor units, and relative to the sum. */
const leastAllowance = 1e-3
const allowanceShare = 1e-14

/** The error of sums of doubles up to `most`, in minor units: better plans gain more than that. */
export function leastMore(most: number): number {
  return Math.max(leastAllowance, most * allowanceShare)
}
