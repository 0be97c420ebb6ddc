import { percentageWhole } from '../../engine/core/base/money.js'
import type { Experiment } from '../../engine/core/base/programme.js'
import { answerExperiment, type ExperimentAnswer } from '../../engine/experiments/answer.js'
import type { ArmSums, DaySums } from '../../engine/experiments/sums.js'
import { holdoutArm } from '../../engine/programme/read-experiment.js'
import type { ExperimentRecord, ExperimentSum, StoredExperiment } from '../../store/ledger/experiments.js'

/** The fixed part of an experiment, as published. */
export type ExperimentBody = Pick<Experiment, 'metric' | 'arms'>

export interface ArmTotals {
  readonly armId: string
  /** A sum by its name; 0: there is none. */
  total(figure: string): bigint
  readonly waitingBaskets: number
}

export interface AnswerInCurrency {
  readonly currency: string
  readonly arms: readonly ArmTotals[]
  readonly answer: ExperimentAnswer
  /** `YYYY-MM-DD` of a day of the answer. */
  dayText(day: number): string
}

const dayMs = 86_400_000

export function bodyOf({ body }: StoredExperiment): ExperimentBody {
  return JSON.parse(body) as ExperimentBody
}

/** The answers of an experiment by its sums, one for each currency, ascending. */
export function answersOf(record: ExperimentRecord, now: number): readonly AnswerInCurrency[] {
  const { sums, waiting, beginsAt, endsAt } = record
  const { metric, arms } = bodyOf(record)
  const firstDay = dayOf(beginsAt ?? now)
  const lastDay = dayOf(Math.min(now, endsAt ?? now))
  const currencies = [...new Set(sums.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const own = sums.filter((sum) => sum.currency === currency)
    const days = daysOf(own, arms, { firstDay, lastDay })
    return {
      currency,
      arms: arms.map(({ armId }) => ({
        armId,
        total: (figure: string) => totalOf(own, armId, figure),
        waitingBaskets: waiting.find((each) => each.armId === armId && each.currency === currency)?.baskets ?? 0,
      })),
      answer: answerExperiment({
        metric,
        arms: arms.map(({ armId, percentage }) => {
          return { armId, share: percentage / percentageWhole, isHoldout: armId === holdoutArm }
        }),
        days,
        isOver: endsAt !== null && endsAt <= now,
      }),
      dayText: (day: number) => new Date((firstDay + day) * dayMs).toISOString().slice(0, 10),
    }
  })
}

interface Days {
  /** Days since the epoch, both inclusive. */
  readonly firstDay: number
  readonly lastDay: number
}

/** Running totals of every day, also of those on which nothing came. */
function daysOf(
  sums: readonly ExperimentSum[],
  arms: Experiment['arms'],
  { firstDay, lastDay }: Days,
): readonly DaySums[] {
  const byDay = new Map<string, ExperimentSum[]>()
  for (const sum of sums) byDay.set(sum.day, [...(byDay.get(sum.day) ?? []), sum])
  let totals: readonly ArmSums[] = arms.map(() => noSums)
  return Array.from({ length: Math.max(0, lastDay - firstDay + 1) }, (_, day) => {
    const added = byDay.get(new Date((firstDay + day) * dayMs).toISOString().slice(0, 10)) ?? []
    totals = arms.map(({ armId }, at) =>
      plus(
        totals[at]!,
        added.find((each) => each.armId === armId),
      ),
    )
    return { day, arms: totals }
  })
}

function plus(sums: ArmSums, added: ExperimentSum | undefined): ArmSums {
  if (added === undefined) return sums
  const entries = Object.entries(sums).map(([figure, sum]) => [figure, sum + BigInt(added.figures[figure] ?? 0)])
  return Object.fromEntries(entries) as ArmSums
}

function totalOf(sums: readonly ExperimentSum[], armId: string, figure: string): bigint {
  return sums
    .filter((sum) => sum.armId === armId)
    .reduce((total, { figures }) => total + BigInt(figures[figure] ?? 0), 0n)
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs)
}

const noSums: ArmSums = {
  members: 0n,
  entry: 0n,
  entrySquared: 0n,
  past: 0n,
  pastByEntry: 0n,
  spend: 0n,
  spendSquared: 0n,
  spendByEntry: 0n,
  metric: 0n,
  metricSquared: 0n,
  metricByEntry: 0n,
  metricByPast: 0n,
  metricBySpend: 0n,
  given: 0n,
  givenSquared: 0n,
  givenByEntry: 0n,
  givenByPast: 0n,
  givenBySpend: 0n,
  metricByGiven: 0n,
}
