import { percentageWhole } from '../../../engine/core/base/money.js'
import type { Comparison } from '../../../engine/experiments/answer.js'
import type { StoredExperiment } from '../../../store/ledger/experiments.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { ExperimentService, ExperimentState } from '../../gen/loyalty/v1/experiment_service_pb.js'
import { type AnswerInCurrency, type ArmTotals, answersOf, bodyOf } from '../../use-cases/experiment-answer.js'
import { refusal } from '../errors.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'

const experimentsMax = 1_000

interface ExperimentParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'experiments'>
}

export function experimentRoutes({ adminLedger }: ExperimentParts) {
  const { experiments } = adminLedger
  return routeOf(ExperimentService, {
    async listExperiments() {
      const now = adminLedger.clock()
      return { experiments: (await experiments.list(experimentsMax)).map((each) => recordOf(each, now)) }
    },
    async getExperiment({ experimentId }) {
      new FieldChecks().expect('experiment_id', experimentId !== '', 'the id of an experiment', '').done()
      const found = await experiments.find(experimentId)
      if (found === null) throw refusal('EXPERIMENT_NOT_FOUND', 'no such experiment was ever published')
      const now = adminLedger.clock()
      return {
        experiment: recordOf(found, now),
        answers: answersOf(found, now).map(messageFromAnswer),
        leftOut: found.leftOut,
      }
    },
  })
}

function recordOf(stored: StoredExperiment, now: number) {
  const { experimentId, name, beginsAt, endsAt } = stored
  const { metric, arms } = bodyOf(stored)
  return {
    ...{ experimentId, name: JSON.parse(name) as string, state: stateOf(stored, now) },
    ...{ from: beginsAt, until: endsAt, metric },
    arms: arms.map(({ armId, percentage, benefitIds }) => {
      return { armId, percentage: String(percentage / (percentageWhole / 100)), benefitIds }
    }),
  }
}

function stateOf({ beginsAt, endsAt }: StoredExperiment, now: number): ExperimentState {
  if (beginsAt === null || (endsAt !== null && endsAt <= now)) return ExperimentState.ENDED
  return beginsAt > now ? ExperimentState.PLANNED : ExperimentState.RUNNING
}

function messageFromAnswer({ currency, arms, answer, dayText }: AnswerInCurrency) {
  const { splitPValue, isSplitBroken, comparisons } = answer
  return {
    currency,
    arms: arms.map(messageFromArm),
    comparisons: comparisons.map((each) => messageFromComparison(each, dayText)),
    split: { broken: isSplitBroken, chance: splitPValue },
  }
}

function messageFromArm({ armId, total, waitingBaskets }: ArmTotals) {
  return {
    armId,
    members: total('members'),
    visits: total('visits'),
    net: total('net'),
    refunded: total('refunded'),
    discount: total('discount'),
    given: total('given'),
    withheld: total('withheld'),
    withheldBaskets: total('withheldBaskets'),
    unpricedBaskets: total('unpricedBaskets') + BigInt(waitingBaskets),
  }
}

function messageFromComparison(
  { armId, verdict, difference, byDay, given, perGiven, daysLeft }: Comparison,
  dayText: AnswerInCurrency['dayText'],
) {
  return {
    armId,
    verdict,
    difference,
    given,
    metricPerGiven: perGiven,
    daysLeft,
    days: byDay.map((each) => ({ day: dayText(each.day), difference: each })),
  }
}
