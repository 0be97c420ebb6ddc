import type { ArmSums } from './sums.js'

export interface ArmsCompared {
  readonly members: number
  /** Mean of the metric in the arm less that of the one it is compared with, adjusted. */
  readonly metric: number
  readonly given: number
  /** Variance of `metric`, its covariance with `given`, and the variance of `given`. */
  readonly metricVariance: number
  readonly covariance: number
  readonly givenVariance: number
}

/** A symmetric matrix of three covariates: day of entry, spend before known, spend before. */
type Covariates = readonly [readonly number[], readonly number[], readonly number[]]

interface Spread {
  readonly covariates: Covariates
  readonly metric: readonly number[]
  readonly given: readonly number[]
  readonly metricSquared: number
  readonly metricByGiven: number
  readonly givenSquared: number
}

/**
 * The difference of two arms, adjusted by regression on the day of entry and the spend before it. One slope for both arms, the one with the
 * least variance of the difference, so that the adjustment never widens an interval and a small holdout does not need a slope of its own.
 * Both arms have 2 members or more.
 */
export function compareArms(arm: ArmSums, against: ArmSums): ArmsCompared {
  const sides = [arm, against].map((sums) => ({ spread: spreadOf(sums), members: Number(sums.members) }))
  const overMembers = (value: (spread: Spread) => number) =>
    sides.reduce((sum, { spread, members }) => sum + value(spread) / members, 0)
  const overRow = (row: (spread: Spread) => readonly number[]) =>
    [0, 1, 2].map((at) => overMembers((spread) => row(spread)[at]!))
  const covariates = [0, 1, 2].map((at) => overRow((spread) => spread.covariates[at]!))
  const [metric, given] = [overRow((spread) => spread.metric), overRow((spread) => spread.given)]
  const [metricSlopes, givenSlopes] = [solved(covariates, metric), solved(covariates, given)]
  const imbalance = meansBefore(arm).map((mean, at) => mean - meansBefore(against)[at]!)
  const mean = (sum: (sums: ArmSums) => bigint) =>
    Number(sum(arm)) / Number(arm.members) - Number(sum(against)) / Number(against.members)
  return {
    members: Number(arm.members + against.members),
    metric: mean(({ metric }) => metric) - product(metricSlopes, imbalance),
    given: mean(({ given }) => given) - product(givenSlopes, imbalance),
    metricVariance: overMembers((spread) => spread.metricSquared) - product(metricSlopes, metric),
    covariance: overMembers((spread) => spread.metricByGiven) - product(metricSlopes, given),
    givenVariance: overMembers((spread) => spread.givenSquared) - product(givenSlopes, given),
  }
}

function meansBefore({ members, entry, past, spend }: ArmSums): number[] {
  return [entry, past, spend].map((sum) => Number(sum) / Number(members))
}

function spreadOf(sums: ArmSums): Spread {
  const { members, entry, past, spend, metric, given } = sums
  const pairs = members * (members - 1n)
  // Exact until the division: sums of squares and their means may agree in all digits of a double.
  const of = (products: bigint, left: bigint, right: bigint) =>
    Number(members * products - left * right) / Number(pairs)
  const entryByPast = of(sums.pastByEntry, entry, past)
  const entryBySpend = of(sums.spendByEntry, entry, spend)
  const pastBySpend = of(spend, past, spend)
  return {
    covariates: [
      [of(sums.entrySquared, entry, entry), entryByPast, entryBySpend],
      [entryByPast, of(past, past, past), pastBySpend],
      [entryBySpend, pastBySpend, of(sums.spendSquared, spend, spend)],
    ],
    metric: [
      of(sums.metricByEntry, metric, entry),
      of(sums.metricByPast, metric, past),
      of(sums.metricBySpend, metric, spend),
    ],
    given: [
      of(sums.givenByEntry, given, entry),
      of(sums.givenByPast, given, past),
      of(sums.givenBySpend, given, spend),
    ],
    metricSquared: of(sums.metricSquared, metric, metric),
    metricByGiven: of(sums.metricByGiven, metric, given),
    givenSquared: of(sums.givenSquared, given, given),
  }
}

function product(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + value * right[at]!, 0)
}

/** A covariate whose variance the ones before it explain up to this share has no slope of its own. */
const explainedMax = 1e-9

/** The solution of a symmetric system without negative eigenvalues; 0 for a covariate that tells nothing new. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!])
  const isUsed = rows.map((row, at) => {
    if (row[at]! <= explainedMax * matrix[at]![at]!) return false
    for (const other of rows) {
      if (other === row) continue
      const factor = other[at]! / row[at]!
      for (let column = 0; column < other.length; column++) other[column]! -= factor * row[column]!
    }
    return true
  })
  return rows.map((row, at) => (isUsed[at] ? row.at(-1)! / row[at]! : 0))
}
