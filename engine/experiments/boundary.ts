/**
 * How far a sum with this variance may be from its expectation, at any of all looks, with probability 1 - `alpha`: the two-sided normal
 * mixture (Howard, Ramdas, McAuliffe, Sekhon: "Time-uniform, nonparametric, nonasymptotic confidence sequences", Proposition 5), which
 * Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas show to hold for estimated variances of sums of many members.
 *
 * @param variance  of the sum at this look, above 0
 * @param tunedTo   the variance at which the boundary is closest, fixed before the sum is looked at, above 0
 */
export function boundaryOf(variance: number, tunedTo: number, alpha: number): number {
  const flat = tunedTo / (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha)))
  return Math.sqrt((variance + flat) * Math.log((variance + flat) / (alpha * alpha * flat)))
}
