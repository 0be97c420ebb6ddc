/**
 * Tokens of a bucket that sale events never take (wire decisions 3): the last 40 % of the burst, whole tokens. Even a burst of 1
 * leaves sale events the rest, so that they get through in the end.
 */
export function tokensKeptFromSales(burst: number): number {
  return Math.floor((burst * 2) / 5)
}
