import {
  type Experiment,
  type ExperimentAnswer,
  type ExperimentArm,
  type ExperimentComparison,
  ExperimentMetric,
  ExperimentState,
  ExperimentVerdict,
} from '../../../../gateway/gen/loyalty/v1/experiment_service_pb.js'
import type { Words } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'

const holdout = 'holdout'
const membersMin = 100

/** An arm for people: the arms of an experiment with a holdout have the service's own ids. */
export function armName(t: Words, { armId }: Pick<ExperimentArm, 'armId'>): string {
  if (armId === holdout) return t('experiment.holdout')
  return armId === 'open' ? t('experiment.open') : armId
}

/** Estimates of one answer as text: money in its currency, visits with two decimals. */
export function estimateText(t: Words, { metric }: Pick<Experiment, 'metric'>, currency: string) {
  return (estimate: number) =>
    metric === ExperimentMetric.NET ? minorText(t, estimate, currency) : decimalsText(t, estimate)
}

export function minorText({ locale }: Pick<Words, 'locale'>, minor: number, currency: string): string {
  return formatScaled(BigInt(Math.round(minor)), digitsOf(currency), locale)
}

export function decimalsText({ locale }: Pick<Words, 'locale'>, value: number): string {
  return formatScaled(BigInt(Math.round(value * 100)), 2, locale)
}

export function signed(text: string): string {
  return text.startsWith('−') ? text : `+${text}`
}

interface Said {
  readonly experiment: Experiment
  readonly answer: ExperimentAnswer
  readonly comparison: ExperimentComparison
}

/** The answer of a comparison in one sentence. */
export function sentenceOf(t: Words, { experiment, answer, comparison }: Said): string {
  const { verdict, difference, given, daysLeft } = comparison
  if (verdict === ExperimentVerdict.SPLIT_BROKEN) return t('experiment.splitBroken')
  if (verdict === ExperimentVerdict.TOO_LITTLE || difference === undefined) {
    const least = Math.min(...answer.arms.map(({ members }) => Number(members)))
    return least < membersMin ? t('experiment.tooLittle', { wanted: membersMin, least }) : t('experiment.alike')
  }
  const isNet = experiment.metric === ExperimentMetric.NET
  const [base] = experiment.arms
  const isAgainstArm = base!.armId !== holdout
  const figure = estimateText(t, experiment, answer.currency)
  const unit = isNet ? answer.currency : t('experiment.visits')
  const [low, high] = [figure(difference.low), figure(difference.high)]
  if (verdict === ExperimentVerdict.NOT_YET_KNOWN) {
    const range = { low: signed(low), high: signed(high), unit }
    if (experiment.state === ExperimentState.ENDED) return t('experiment.notKnown', range)
    const more = daysLeft === undefined ? t('experiment.noEnd') : t('experiment.daysLeft', { count: daysLeft })
    return t('experiment.notYetKnown', { ...range, more })
  }
  const than = isAgainstArm ? ` ${t('experiment.than', { against: armName(t, base!) })}` : ''
  const name = isAgainstArm ? armName(t, comparison) : experiment.name
  const values = { name, low, high, unit: unit + than, cost: minorText(t, given, answer.currency) }
  if (!isNet) return t('experiment.moreOrFewer', { ...values, currency: answer.currency })
  return t(verdict === ExperimentVerdict.PAYS ? 'experiment.pays' : 'experiment.doesNotPay', values)
}
