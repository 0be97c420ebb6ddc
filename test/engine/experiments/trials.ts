import { parseArgs } from 'node:util'
import { answerExperiment, type ExperimentSums, type Interval } from '../../../engine/experiments/answer.js'
import { compareArms } from '../../../engine/experiments/compare-arms.js'
import type { DaySums } from '../../../engine/experiments/sums.js'
import { Dice } from '../../support/dice.js'
import { type Cafe, playedCafe } from './cafe.js'

type DayInterval = Interval & { readonly day: number }

/** The intervals of each day of an experiment. */
type Judge = (experiment: ExperimentSums) => readonly DayInterval[]

export const daily: Judge = (experiment) => answerExperiment(experiment).comparisons[0]!.byDay

const fixedSample = 1.96

/** The mistake that experiments are made to prevent: an interval for one look alone, looked at daily. */
export const peeking: Judge = ({ days }) =>
  days.flatMap(({ day, arms: [base, arm] }) => {
    if (base!.members < 100 || arm!.members < 100) return []
    const { metric, metricVariance } = compareArms(arm!, base!)
    const margin = fixedSample * Math.sqrt(metricVariance)
    return [{ day, estimate: metric, low: metric - margin, high: metric + margin }]
  })

export interface Trials {
  readonly count: number
  readonly brokenSplits: number
  /** The first day whose interval leaves out 0, of each trial that has one. */
  readonly decidedOn: readonly number[]
  /** Trials in which the interval of every day has the true difference in it. */
  readonly covered: number
  /** Members that entered, on average. */
  readonly entered: number
}

/** Plays this experiment `count` times, with the seeds from 1. */
export function triedCafe(cafe: Cafe, count: number, judge: Judge = daily): Trials {
  const trials = Array.from({ length: count }, (_, at) => {
    const days = playedCafe(cafe, new Dice(at + 1))
    const experiment = asExperiment(cafe.holdout, days)
    return { intervals: judge(experiment), isBroken: answerExperiment(experiment).isSplitBroken, days }
  })
  const truth = trueDifferences(
    cafe,
    trials.map(({ days }) => days),
  )
  const isIn = ({ day, low, high }: DayInterval) => low <= truth[day]! && truth[day]! <= high
  const entered = ({ days }: { days: DaySums[] }) =>
    days.at(-1)!.arms.reduce((sum, { members }) => sum + Number(members), 0)
  return {
    count,
    brokenSplits: trials.filter(({ isBroken }) => isBroken).length,
    decidedOn: trials.flatMap(({ intervals }) => intervals.find(({ low, high }) => low > 0 || high < 0)?.day ?? []),
    covered: trials.filter(({ intervals }) => intervals.every(isIn)).length,
    entered: trials.reduce((sum, trial) => sum + entered(trial), 0) / count,
  }
}

export function asExperiment(holdout: number, days: readonly DaySums[]): ExperimentSums {
  const arms = [
    { armId: 'holdout', share: holdout },
    { armId: 'open', share: 1 - holdout },
  ]
  return { metric: 'net', arms, days, isOver: false }
}

/** The lift in money a member and week, by what all trials together pay without it. */
function trueDifferences({ days, lift }: Cafe, trials: readonly (readonly DaySums[])[]): number[] {
  return Array.from({ length: days }, (_, day) => {
    let [paid, weeks] = [0, 0]
    for (const trial of trials) {
      for (const [at, { members, entry, metric }] of trial[day]!.arms.entries()) {
        paid += Number(metric) / (at === 0 ? 1 : 1 + lift)
        weeks += Number(members * BigInt(day + 1) - entry) / 7
      }
    }
    return (lift * paid) / weeks
  })
}

/** Prints how often and when a lift is found, by the size of the chain. */
function main(): void {
  const { values } = parseArgs({ options: { each: { type: 'string', default: '100' } } })
  const each = Number(values.each)
  for (const members of [5_000, 20_000, 160_000]) {
    for (const lift of [0.03, 0.05, 0.1]) {
      const { decidedOn, covered, entered } = triedCafe({ members, days: 90, holdout: 0.5, lift }, each)
      const by = [28, 56, 90].map((day) => `${percent(decidedOn.filter((on) => on < day).length / each)} by day ${day}`)
      const median = decidedOn.toSorted((left, right) => left - right)[Math.floor(decidedOn.length / 2)]
      const found = `found ${by.join(', ')}, half of these by day ${median === undefined ? '-' : median + 1}`
      const line = `${Math.round(entered)} members, lift ${percent(lift)}: ${found}; covered ${percent(covered / each)}`
      process.stdout.write(`${line}\n`)
    }
  }
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`
}

if (import.meta.filename === process.argv[1]) main()
