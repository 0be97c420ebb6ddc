import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import { percentageWhole } from '../../../engine/core/base/money.js'
import type { Comparison, Interval } from '../../../engine/experiments/answer.js'
import type { StoredExperiment } from '../../../store/ledger/experiments.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type ExperimentAnswerSchema,
  type ExperimentArmSumsSchema,
  type ExperimentComparisonSchema,
  ExperimentMetricSchema,
  type ExperimentSchema,
  ExperimentService,
  ExperimentState,
  ExperimentVerdictSchema,
} from '../../gen/loyalty/v1/experiment_service_pb.js'
import { type AnswerInCurrency, type ArmTotals, answersOf, bodyOf } from '../../use-cases/experiment-answer.js'
import { refusal } from '../errors.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { enumFromWord } from '../messages/words.js'

const experimentsMax = 1_000

interface ExperimentParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'experiments'>
}

export function experimentRoutes({ adminLedger }: ExperimentParts): (router: ConnectRouter) => void {
  const { experiments } = adminLedger
  return (router) => {
    router.service(ExperimentService, {
      async listExperiments() {
        const now = adminLedger.clock()
        return { experiments: (await experiments.list(experimentsMax)).map((each) => messageFrom(each, now)) }
      },
      async getExperiment({ experimentId }) {
        new FieldChecks().expect('experiment_id', experimentId !== '', 'the id of an experiment', '').done()
        const found = await experiments.find(experimentId)
        if (found === null) throw refusal('EXPERIMENT_NOT_FOUND', 'no such experiment was ever published')
        const now = adminLedger.clock()
        return {
          experiment: messageFrom(found, now),
          answers: answersOf(found, now).map(messageFromAnswer),
          leftOut: BigInt(found.leftOut),
        }
      },
    })
  }
}

function messageFrom(stored: StoredExperiment, now: number): MessageInitShape<typeof ExperimentSchema> {
  const { experimentId, name, beginsAt, endsAt } = stored
  const { metric, arms } = bodyOf(stored)
  return {
    experimentId,
    name: JSON.parse(name) as string,
    state: stateOf(stored, now),
    ...(beginsAt !== null && { from: timestamp(beginsAt) }),
    ...(endsAt !== null && { until: timestamp(endsAt) }),
    metric: enumFromWord(ExperimentMetricSchema, metric),
    arms: arms.map(({ armId, percentage, benefitIds }) => {
      return { armId, percentage: String(percentage / (percentageWhole / 100)), benefitIds: [...(benefitIds ?? [])] }
    }),
  }
}

function stateOf({ beginsAt, endsAt }: StoredExperiment, now: number): ExperimentState {
  if (beginsAt === null || (endsAt !== null && endsAt <= now)) return ExperimentState.ENDED
  return beginsAt > now ? ExperimentState.PLANNED : ExperimentState.RUNNING
}

function messageFromAnswer({
  currency,
  arms,
  answer,
  dayText,
}: AnswerInCurrency): MessageInitShape<typeof ExperimentAnswerSchema> {
  const { splitPValue, isSplitBroken, comparisons } = answer
  return {
    currency,
    arms: arms.map(messageFromArm),
    comparisons: comparisons.map((each) => messageFromComparison(each, dayText)),
    split: { broken: isSplitBroken, chance: splitPValue },
  }
}

function messageFromArm({ armId, total, waitingBaskets }: ArmTotals): MessageInitShape<typeof ExperimentArmSumsSchema> {
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
): MessageInitShape<typeof ExperimentComparisonSchema> {
  return {
    armId,
    verdict: enumFromWord(ExperimentVerdictSchema, verdict),
    ...(difference !== null && { difference: bounds(difference) }),
    given,
    ...(perGiven !== null && { metricPerGiven: bounds(perGiven) }),
    ...(daysLeft !== null && { daysLeft }),
    days: byDay.map((each) => ({ day: dayText(each.day), difference: bounds(each) })),
  }
}

function bounds({ estimate, low, high }: Interval): Interval {
  return { estimate, low, high }
}
