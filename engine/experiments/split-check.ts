/**
 * The p-value of the split for these members of each arm, valid at any look if the least of all looks so far is taken: the Bayes factor of a
 * Dirichlet prior around the shares (Lindon, Malek: "Anytime-valid inference for multinomial count data").
 *
 * @param shares         as counts, above 0, adding up to 1
 * @param concentration  members that the prior is worth: the larger, the smaller the deviations it looks for
 */
export function splitPValue(counts: readonly number[], shares: readonly number[], concentration: number): number {
  const members = counts.reduce((sum, count) => sum + count, 0)
  const logFactor = counts.reduce((sum, count, at) => {
    const share = shares[at]!
    return sum + logRising(concentration * share, count) - count * Math.log(share)
  }, -logRising(concentration, members))
  return Math.min(1, Math.exp(-logFactor))
}

/** The logarithm of from * (from + 1) * ... with `count` factors. */
function logRising(from: number, count: number): number {
  return logGamma(from + count) - logGamma(from)
}

const stirlingFrom = 15

/** The logarithm of the gamma function of a number above 0, to 13 digits, by Stirling's series. */
function logGamma(of: number): number {
  let [at, product] = [of, 1]
  for (; at < stirlingFrom; at++) product *= at
  const square = 1 / (at * at)
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680)))) / at
  return (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
}
