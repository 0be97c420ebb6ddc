/** What rounding half up adds to an amount at most, in minor units. */
export const halfUp = 0.5

/** What two amounts, each rounded once, can be off together, in whole minor units. */
export const twoRoundings = 2

/** What a product of doubles may be off, as a share of it. */
export const productShare = 1e-15

/** What sums of doubles may be off, in minor units, and as a share of what is summed. */
const leastAllowance = 1e-3
const allowanceShare = 1e-14

/** What sums of doubles over so much money may be off, in minor units: better plans gain more than that. */
export function leastMore(most: number): number {
  return Math.max(leastAllowance, most * allowanceShare)
}
