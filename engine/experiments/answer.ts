import { type ArmsCompared, compareArms } from './compare-arms.js'
import type { ArmShare, ArmSums, DaySums } from './sums.js'

/** Chance that an interval of an experiment ever misses, over all days and arms. */
const missesMax = 0.05
/** Chance that a sound split is ever called broken. */
const falseAlarmsMax = 0.01
/** Members that each arm needs: with fewer, a mean of what people spend is far from normal. */
export const membersMin = 100
/** Days after which an estimate of the days left is not worth its name. */
const daysLeftMax = 365
/** Times the variance on the first day of an answer: there the interval is closest, some weeks later for most experiments. */
const tunedTo = 100
/** Finds a deviation of 2 points among 5,000 members. */
const splitConcentration = 1_000

export interface ExperimentSums {
  readonly metric: 'net' | 'visits'
  readonly arms: readonly ArmShare[]
  readonly days: readonly DaySums[]
  readonly isOver: boolean
}

export interface Interval {
  readonly estimate: number
  readonly low: number
  readonly high: number
}

export type Verdict = 'pays' | 'does_not_pay' | 'more' | 'fewer' | 'not_yet_known' | 'split_broken' | 'too_little'

export interface Comparison {
  readonly armId: string
  readonly againstArmId: string
  readonly verdict: Verdict
  readonly difference: Interval | null
  readonly byDay: readonly (Interval & { readonly day: number })[]
  /** Given by the arm's benefits a member and week, in minor units. */
  readonly given: number
  /** More of the metric for each minor unit more given; null while what was given is not clearly more. */
  readonly perGiven: Interval | null
  /** Until the interval leaves out 0, if the estimate stays; null if that is over a year, or not awaited. */
  readonly daysLeft: number | null
}

export interface ExperimentAnswer {
  readonly splitPValue: number
  readonly isSplitBroken: boolean
  readonly membersLeast: number
  readonly comparisons: readonly Comparison[]
}

/** Looking daily and stopping at will is honest: every interval of every day and arm holds together (docs/experiments.md). */
export function answerExperiment(experiment: ExperimentSums): ExperimentAnswer {
  const { arms, days } = experiment
  const shares = arms.map(({ share }) => share)
  const splits = days.map(({ arms }) =>
    splitPValue(
      arms.map(({ members }) => Number(members)),
      shares,
      splitConcentration,
    ),
  )
  const leastSplit = Math.min(1, ...splits)
  const isSplitBroken = leastSplit < falseAlarmsMax
  return {
    splitPValue: leastSplit,
    isSplitBroken,
    membersLeast: Math.min(...(days.at(-1)?.arms ?? []).map(({ members }) => Number(members))),
    comparisons: arms.slice(1).map((_, at) => compared(experiment, at + 1, isSplitBroken)),
  }
}

interface Look {
  readonly day: number
  readonly compared: ArmsCompared
  readonly weeks: number
}

function compared({ metric, arms, days, isOver }: ExperimentSums, at: number, isSplitBroken: boolean): Comparison {
  const last = days.at(-1)
  const named = { armId: arms[at]!.armId, againstArmId: arms[0]!.armId }
  const given = last ? givenWeekly(last.arms[at]!, last.day) : 0
  const none = { ...named, difference: null, byDay: [], given, perGiven: null, daysLeft: null }
  if (isSplitBroken) return { ...none, verdict: 'split_broken' }
  const looks = days.flatMap((day) => lookAt(day, at))
  const first = looks[0]
  const look = looks.at(-1)
  if (!first || !look) return { ...none, verdict: 'too_little' }
  const alpha = missesMax / (arms.length - 1)
  const byDay = looks.map((look) => ({ day: look.day, ...differenceOf(look, first, alpha) }))
  const difference = byDay.at(-1)!
  const isKnown = difference.low > 0 || difference.high < 0
  return {
    ...none,
    verdict: verdictOf(metric, difference),
    difference: { estimate: difference.estimate, low: difference.low, high: difference.high },
    byDay,
    perGiven: perGivenOf(look, first, alpha),
    daysLeft: isKnown || isOver ? null : daysLeftOf(byDay),
  }
}

function givenWeekly(arm: ArmSums, day: number): number {
  return arm.members === 0n ? 0 : Number(arm.given) / memberWeeks([arm], day)
}

function memberWeeks(arms: readonly ArmSums[], day: number): number {
  return arms.reduce((sum, { members, entry }) => sum + Number(members * BigInt(day + 1) - entry), 0) / 7
}

function lookAt({ day, arms }: DaySums, at: number): Look[] {
  const [arm, against] = [arms[at]!, arms[0]!]
  if (arm.members < membersMin || against.members < membersMin) return []
  const compared = compareArms(arm, against)
  if (compared.metricVariance <= 0) return []
  return [{ day, compared, weeks: memberWeeks([arm, against], day) / compared.members }]
}

/** How far the metric less `price` times what was given may be from its expectation, a member; the tuning is the first look's. */
function marginOf(look: ArmsCompared, first: ArmsCompared, alpha: number, price: number): number {
  const variance = (of: ArmsCompared) =>
    Math.max(of.metricVariance - 2 * price * of.covariance + price * price * of.givenVariance, Number.EPSILON) *
    of.members ** 2
  return boundaryOf(variance(look), tunedTo * variance(first), alpha) / look.members
}

function differenceOf({ compared, weeks }: Look, first: Look, alpha: number): Interval {
  const margin = marginOf(compared, first.compared, alpha, 0)
  const [low, high] = [(compared.metric - margin) / weeks, (compared.metric + margin) / weeks]
  return { estimate: compared.metric / weeks, low, high }
}

function verdictOf(metric: 'net' | 'visits', { low, high }: Interval): Verdict {
  if (low > 0) return metric === 'net' ? 'pays' : 'more'
  if (high < 0) return metric === 'net' ? 'does_not_pay' : 'fewer'
  return 'not_yet_known'
}

/**
 * Fieller's interval: every ratio for which the metric less the ratio times what was given is within its margin of 0. It is bounded if what
 * was given is not, at a ratio without bound, within its own.
 */
function perGivenOf({ compared }: Look, { compared: first }: Look, alpha: number): Interval | null {
  const isWithin = (ratio: number) =>
    Math.abs(compared.metric - ratio * compared.given) <= marginOf(compared, first, alpha, ratio)
  const estimate = compared.metric / compared.given
  const step = marginOf(compared, first, alpha, 0) / Math.abs(compared.given)
  const low = edgeOf(isWithin, estimate, -step)
  const high = edgeOf(isWithin, estimate, step)
  return low === null || high === null ? null : { estimate, low, high }
}

const doublingsMax = 20
const halvings = 50

/** The last number within, going from one that is within by this step, doubled while it stays within. */
function edgeOf(isWithin: (at: number) => boolean, from: number, step: number): number | null {
  let [inside, width] = [from, step]
  for (let doubling = 0; isWithin(inside + width); doubling++) {
    if (doubling === doublingsMax) return null
    inside += width
    width *= 2
  }
  for (let halving = 0; halving < halvings; halving++) {
    width /= 2
    if (isWithin(inside + width)) inside += width
  }
  return inside
}

/** Half widths of intervals shrink by a power of the days; the power is the one seen since the middle of the looks. */
function daysLeftOf(byDay: readonly (Interval & { readonly day: number })[]): number | null {
  const last = byDay.at(-1)!
  const middle = byDay[Math.floor(byDay.length / 2)]!
  const half = ({ low, high }: Interval) => (high - low) / 2
  const days = last.day + 1
  const seen = Math.log(half(middle) / half(last)) / Math.log(days / (middle.day + 1))
  const power = Number.isFinite(seen) ? Math.min(1.5, Math.max(0.25, seen)) : 0.5
  const left = Math.ceil(days * (half(last) / Math.abs(last.estimate)) ** (1 / power) - days)
  return left <= daysLeftMax ? Math.max(1, left) : null
}

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
