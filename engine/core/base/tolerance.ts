export const halfUp = 0.5

export const twoRoundings = 2

/** The relative error of a product of doubles. */
export const productShare = 1e-15

const leastAllowance = 1e-3
const allowanceShare = 1e-14

/** The error of sums of doubles up to `most`, in minor units: better plans gain more than that. */
export function leastMore(most: number): number {
  return Math.max(leastAllowance, most * allowanceShare)
}
