import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createClient, type Transport } from '@connectrpc/connect'
import type { Command } from 'commander'
import type { Interval, Verdict } from '../../engine/experiments/answer.js'
import { experimentSentence } from '../../engine/experiments/sentence.js'
import {
  type Experiment,
  type ExperimentAnswer,
  type ExperimentComparison,
  type ExperimentInterval,
  ExperimentMetric,
  ExperimentService,
  ExperimentState,
  ExperimentStateSchema,
  ExperimentVerdictSchema,
  type GetExperimentResponse,
  GetExperimentResponseSchema,
  ListExperimentsResponseSchema,
} from '../../gateway/gen/loyalty/v1/experiment_service_pb.js'
import { wordFromEnum } from '../../gateway/internal/messages/message.js'
import { printAnswer } from './answer.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, print, printTable } from './screen.js'
import { moneyText } from './words.js'

interface ExperimentOptions extends InternalOptions {
  readonly json?: boolean
}

export function addExperiment(program: Command): void {
  const command = program
    .command('experiment [id]')
    .summary('what benefits earn, by members who have them and members who do not')
    .description(`Lists the experiments of all programmes, or answers one: a sentence for each comparison, then its arms. Every interval holds at all times
together, so you may look daily and stop when it is known.

  lps experiment
  lps experiment happy-hour

Exit code 0: done; 1: the members are not split as published, so there is no answer.`)
    .option('--json', 'the answer as JSON')
  withInternal(command).action(
    exits((id: string | undefined, options: ExperimentOptions) =>
      onInternal(options, (transport) => (id === undefined ? list(transport, options) : show(transport, id, options))),
    ),
  )
}

async function list(transport: Transport, { json }: ExperimentOptions): Promise<number> {
  const answer = await createClient(ExperimentService, transport).listExperiments({})
  if (json) printAnswer(ListExperimentsResponseSchema, answer, { asJson: true })
  else
    printTable(
      ['experiment', 'state', 'from', 'until', 'name'],
      answer.experiments.map(({ experimentId, name, state, from, until }) => {
        return [experimentId, wordFromEnum(ExperimentStateSchema, state) ?? '', dayText(from), dayText(until), name]
      }),
    )
  return 0
}

function dayText(at: Experiment['from']): string {
  return at === undefined ? '' : timestampDate(at).toISOString().slice(0, 10)
}

async function show(transport: Transport, experimentId: string, { json }: ExperimentOptions): Promise<number> {
  const found = await createClient(ExperimentService, transport).getExperiment({ experimentId })
  if (json) printAnswer(GetExperimentResponseSchema, found, { asJson: true })
  else showAnswers(found)
  return found.answers.some(({ split }) => split?.broken) ? 1 : 0
}

function showAnswers({ experiment, answers, leftOut }: GetExperimentResponse): void {
  if (answers.length === 0) print('Too early: no member has entered.')
  for (const answer of answers) {
    for (const comparison of answer.comparisons) print(sentenceOf(experiment!, answer, comparison))
    print('')
    showArms(answer)
  }
  if (leftOut > 0n) print(`${leftOut} merged members of several arms are in no figure`)
}

function sentenceOf(experiment: Experiment, answer: ExperimentAnswer, comparison: ExperimentComparison): string {
  const { difference, given, daysLeft, armId } = comparison
  const [first] = experiment.arms
  const isHoldout = first?.armId === 'holdout'
  const said = {
    verdict: (wordFromEnum(ExperimentVerdictSchema, comparison.verdict) ?? 'too_little') as Verdict,
    ...{ difference: boundsOf(difference), given, daysLeft: daysLeft ?? null },
  }
  return experimentSentence(said, {
    subject: isHoldout ? experiment.name : armId,
    ...(isHoldout ? {} : { against: first?.armId ?? '' }),
    metric: experiment.metric === ExperimentMetric.VISITS ? 'visits' : 'net',
    currency: answer.currency,
    isOver: experiment.state === ExperimentState.ENDED,
    membersLeast: Math.min(...answer.arms.map(({ members }) => Number(members))),
  })
}

function boundsOf(interval: ExperimentInterval | undefined): Interval | null {
  return interval === undefined ? null : { estimate: interval.estimate, low: interval.low, high: interval.high }
}

function showArms({ currency, arms }: ExperimentAnswer): void {
  const money = (minor: bigint) => moneyText(minor, currency)
  printTable(
    ['arm', 'members', 'visits', 'net', 'refunded', 'discount', 'given', 'withheld'],
    arms.map(({ armId, members, visits, net, refunded, discount, given, withheld, unpricedBaskets }) => [
      ...[armId, String(members), String(visits), money(net), money(refunded), money(discount), money(given)],
      `${money(withheld)}${unpricedBaskets === 0n ? '' : ` and ${unpricedBaskets} baskets not priced`}`,
    ]),
  )
}
