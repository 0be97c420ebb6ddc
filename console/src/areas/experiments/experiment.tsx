import { useQuery } from '@connectrpc/connect-query'
import { useParams } from '@tanstack/react-router'
import {
  type Experiment,
  type ExperimentAnswer,
  type ExperimentArmSums,
  type ExperimentComparison,
  type ExperimentInterval,
  ExperimentMetric,
  ExperimentService,
  ExperimentState,
  type GetExperimentResponse,
} from '../../../../gateway/gen/loyalty/v1/experiment_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords, type Words } from '../../i18n/words.js'
import { IntervalChart } from '../../parts/interval-chart.js'
import { Detail, Facts, Part, Term } from '../../parts/page.js'
import { type Column, moneyColumn, Rows } from '../../parts/rows.js'
import { countText, digitsOf } from '../../parts/scaled.js'
import { Empty, Waiting } from '../../parts/states.js'
import { Money, Time, wordOf } from '../../parts/values.js'
import { armName, decimalsText, estimateText, minorText, sentenceOf, signed } from './sentence.js'

/** Sales count some seconds after they are recorded. */
const againMs = 30_000

export function ExperimentDetail() {
  const { experimentId } = useParams({ from: '/experiments/$experimentId' })
  const query = useQuery(ExperimentService.method.getExperiment, { experimentId }, { refetchInterval: againMs })
  if (!query.isSuccess) return <Waiting query={query} />
  return <Shown key={experimentId} response={query.data} />
}

function Shown({ response }: { readonly response: GetExperimentResponse }) {
  const t = useWords()
  const experiment = response.experiment!
  const { answers, leftOut } = response
  return (
    <Detail title={experiment.name} closeTo="/experiments">
      {answers.map((answer) => (
        <Answer key={answer.currency} experiment={experiment} answer={answer} isOnly={answers.length === 1} />
      ))}
      {answers.length === 0 && <Empty why={t('experiment.none')}>{t('experiment.noneWhat')}</Empty>}
      <Published experiment={experiment} leftOut={leftOut} />
    </Detail>
  )
}

interface AnswerProps {
  readonly experiment: Experiment
  readonly answer: ExperimentAnswer
  /** Without a heading of its own. */
  readonly isOnly: boolean
}

function Answer({ experiment, answer, isOnly }: AnswerProps) {
  const t = useWords()
  const { arms, comparisons, currency, split } = answer
  const isBroken = split?.broken ?? false
  const sentences = isBroken ? comparisons.slice(0, 1) : comparisons
  return (
    <>
      {!isOnly && <h3>{currency}</h3>}
      <div role={isBroken ? 'alert' : 'status'}>
        {sentences.map((comparison) => (
          <p key={comparison.armId} className={isBroken ? 'lead lost' : 'lead'}>
            {sentenceOf(t, { experiment, answer, comparison })}
          </p>
        ))}
        {isBroken && <p>{t('experiment.splitBrokenWhat')}</p>}
      </div>
      <Part title={t('field.arms')}>
        <Rows
          label={t('field.arms')}
          columns={armColumns(t, experiment, currency)}
          rows={arms}
          keyOf={({ armId }) => armId}
        />
      </Part>
      {!isBroken &&
        comparisons.map((comparison) => (
          <Compared key={comparison.armId} experiment={experiment} answer={answer} comparison={comparison} />
        ))}
      <Part title={t('experiment.split')}>
        <p className={isBroken ? 'lost' : 'muted'}>
          {t(isBroken ? 'experiment.splitBad' : 'experiment.splitGood', { chance: chanceText(t, split?.chance ?? 1) })}
        </p>
      </Part>
    </>
  )
}

const chanceLeast = 0.000_01

function chanceText({ locale }: Words, chance: number): string {
  const format = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 2 })
  return format.format(Math.max(chanceLeast, chance))
}

function armColumns(t: Words, experiment: Experiment, currency: string): readonly Column<ExperimentArmSums>[] {
  const published = (row: ExperimentArmSums) => experiment.arms.find(({ armId }) => armId === row.armId)?.percentage
  const money = (key: 'net' | 'discount' | 'given') =>
    moneyColumn<ExperimentArmSums>({
      key,
      head: `${t.of('experimentSum', key)}, ${currency}`,
      minor: (row) => row[key],
      currency,
      isExtra: key === 'discount',
    })
  return [
    { key: 'arm', head: t('field.armId'), cell: (row) => <Term text={armName(t, row)} /> },
    { key: 'members', head: t('field.memberIds'), cell: (row) => countText(t, row.members), isNumber: true },
    { key: 'share', head: t('experiment.share'), cell: (row) => `${published(row)} %`, isNumber: true, isExtra: true },
    { key: 'visits', head: t('experimentSum.visits'), cell: (row) => countText(t, row.visits), isNumber: true },
    money('net'),
    money('discount'),
    money('given'),
  ]
}

interface ComparedProps extends Omit<AnswerProps, 'isOnly'> {
  readonly comparison: ExperimentComparison
}

function Compared({ experiment, answer, comparison }: ComparedProps) {
  const t = useWords()
  const { difference, days } = comparison
  const { currency } = answer
  const [base] = experiment.arms
  const title = t('experiment.compared', { arm: armName(t, comparison), base: armName(t, base!) })
  const figure = estimateText(t, experiment, currency)
  const unit = experiment.metric === ExperimentMetric.NET ? currency : t('experiment.visits')
  const range = difference && { low: signed(figure(difference.low)), high: signed(figure(difference.high)), unit }
  return (
    <>
      {range !== undefined && days.length > 1 && (
        <Part title={title}>
          <IntervalChart
            title={t('experiment.chart', { ...range, count: days.length })}
            days={days.map(({ day, difference }) => ({ day, ...difference! }))}
            format={(value) => signed(figure(value))}
          />
        </Part>
      )}
      <Part title={t('experiment.cost')}>
        <Facts facts={costFacts(t, { experiment, answer, comparison })} />
      </Part>
    </>
  )
}

function costFacts(t: Words, { experiment, answer, comparison }: ComparedProps) {
  const { currency, arms } = answer
  const { difference, metricPerGiven: ratio, given } = comparison
  const arm = arms.find(({ armId }) => armId === comparison.armId)
  const [base] = arms
  const isNet = experiment.metric === ExperimentMetric.NET
  const figure = estimateText(t, experiment, currency)
  const rangeText = ({ low, high }: ExperimentInterval, text: (value: number) => string) =>
    t('experiment.range', { low: signed(text(low)), high: signed(text(high)) })
  // Money for money has no unit; visits are few, so they are said for a hundred.
  const perUnit = (value: number) => decimalsText(t, isNet ? value : value * 100 * 10 ** digitsOf(currency))
  return [
    [
      t('experiment.difference'),
      difference && `${rangeText(difference, figure)} ${isNet ? currency : t('experiment.visits')}`,
    ],
    [t('experiment.givenWeekly'), `${minorText(t, given, currency)} ${currency}`],
    [t('experiment.givenInAll'), arm && <Money key="given" minor={arm.given} currency={currency} withCurrency />],
    [t(isNet ? 'experiment.perGiven' : 'experiment.per100Given', { currency }), ratio && rangeText(ratio, perUnit)],
    [
      t('experiment.withheld'),
      base === undefined || base.withheldBaskets === 0n
        ? undefined
        : t('experiment.withheldIn', {
            amount: `${minorText(t, Number(base.withheld), currency)} ${currency}`,
            count: base.withheldBaskets,
            unpriced: base.unpricedBaskets,
          }),
    ],
  ] as const
}

interface PublishedProps {
  readonly experiment: Experiment
  readonly leftOut: bigint
}

function Published({ experiment, leftOut }: PublishedProps) {
  const t = useWords()
  const { benefits } = useProgrammeNames(0)
  const { experimentId, state, from, until, metric, arms } = experiment
  const benefitIds = [...new Set(arms.flatMap((arm) => arm.benefitIds))]
  const names = benefitIds.map((id) => benefits.get(id)?.text ?? id).join(', ')
  return (
    <Part title={t('experiment.published')}>
      <Facts
        facts={[
          [t('experiments.state'), wordOf(t, 'experimentState', ExperimentState, state)],
          [t('field.from'), <Time key="from" at={from} />],
          [t('field.until'), until && <Time key="until" at={until} />],
          [t('experiments.metric'), wordOf(t, 'experimentMetric', ExperimentMetric, metric)],
          [t('field.benefitIds'), names || t('experiment.allBenefits')],
          [t('experiment.leftOut'), leftOut === 0n ? undefined : countText(t, leftOut)],
          [t('experiment.id'), experimentId],
        ]}
      />
    </Part>
  )
}
