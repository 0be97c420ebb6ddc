import { useQuery } from '@connectrpc/connect-query'
import {
  ReportService,
  type ReportTrafficResponse,
  type Traffic,
} from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { colourAt, type Line, LineChart, otherColour, Shares } from '../../parts/charts.js'
import { Rows } from '../../parts/rows.js'
import { countText, figureText } from '../../parts/scaled.js'
import { Waiting } from '../../parts/states.js'
import { dateOf } from '../../parts/values.js'
import styles from './today.module.css'

const againMs = 30_000
const stepMinutes = 10
const wholeMinute = 55
/** In the order in which they matter; others follow. */
const outcomes = ['applied', 'unchanged', 'member_not_found', 'refused', 'unavailable', 'failed']

export function Answers({ now, gateways }: { readonly now: Traffic | undefined; readonly gateways: number }) {
  const t = useWords()
  const query = useQuery(ReportService.method.reportTraffic, { stepMinutes }, { refetchInterval: againMs })
  if (!query.isSuccess) return <Waiting query={query} lines={4} />
  const { all, lastMinute } = query.data
  const present = gateways > 1 || (now?.seconds ?? 0) < wholeMinute ? lastMinute : now
  return (
    <>
      <p>{t(gateways > 1 ? 'answers.ofAll' : 'answers.ofOne', { count: gateways })}</p>
      <div className={styles['answers']}>
        <Rows
          label={t('today.answers')}
          columns={[
            { key: 'figure', head: t('answers.figure'), cell: ({ name }) => name },
            { key: 'now', head: t('answers.now'), cell: (row) => row.now, isNumber: true },
            { key: 'day', head: t('answers.day'), cell: (row) => row.day, isNumber: true },
          ]}
          rows={figuresOf(t, present, all)}
          keyOf={({ name }) => name}
        />
        <div className={styles['outcomes']}>
          <Outcomes title={t('answers.now')} traffic={present} />
          <Outcomes title={t('answers.day')} traffic={all} />
        </div>
      </div>
      {all !== undefined && all.baskets > 0n && <Charts report={query.data} />}
    </>
  )
}

function figuresOf(t: Words, now: Traffic | undefined, day: Traffic | undefined) {
  const rate = (traffic: Traffic | undefined) =>
    traffic === undefined || traffic.seconds === 0 ? '–' : figureText(t, Number(traffic.baskets) / traffic.seconds)
  const time = (ms: number | undefined) => (ms === undefined ? '–' : t('answers.ms', { ms: figureText(t, ms) }))
  const both = (name: string, of: (traffic: Traffic | undefined) => string) => ({ name, now: of(now), day: of(day) })
  return [
    both(t('answers.baskets'), (traffic) => countText(t, traffic?.baskets ?? 0n)),
    both(t('answers.rate'), rate),
    both(t('system.p50'), (traffic) => time(traffic?.p50Ms)),
    both(t('system.p95'), (traffic) => time(traffic?.p95Ms)),
    both(t('system.p99'), (traffic) => time(traffic?.p99Ms)),
  ]
}

function Outcomes({ title, traffic }: { readonly title: string; readonly traffic: Traffic | undefined }) {
  const t = useWords()
  const rank = (outcome: string) => (outcomes.includes(outcome) ? outcomes.indexOf(outcome) : outcomes.length)
  const rows = traffic?.outcomes.toSorted((left, right) => rank(left.outcome) - rank(right.outcome)) ?? []
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p className="muted">{t('answers.none')}</p>
      ) : (
        <Shares
          shares={rows.map(({ outcome, baskets }) => ({
            key: outcome,
            label: t.of('outcome', outcome),
            colour: outcomes.includes(outcome) ? colourAt(outcomes.indexOf(outcome)) : otherColour,
            size: Number(baskets),
          }))}
        />
      )}
    </section>
  )
}

function Charts({ report: { steps } }: { readonly report: ReportTrafficResponse }) {
  const t = useWords()
  const zone = useHouseZone()
  const times = steps.map(({ from }) => dateOf(from!))
  const clock = new Intl.DateTimeFormat(t.locale, {
    hour: '2-digit',
    minute: '2-digit',
    ...(zone && { timeZone: zone }),
  })
  const perMinute = steps.map(({ traffic }) => (60 * Number(traffic!.baskets)) / Math.max(1, traffic!.seconds))
  const slowest = steps.map(({ traffic }) => traffic!.p99Ms ?? null)
  const most = highestOf(perMinute)
  const worst = highestOf(slowest)
  const ms = (value: number) => t('answers.ms', { ms: figureText(t, value) })
  const lines: readonly Line[] = (['p99Ms', 'p95Ms', 'p50Ms'] as const).map((key, place) => ({
    key,
    label: t.of('answers', key),
    colour: colourAt([1, 2, 0][place]!),
    values: steps.map(({ traffic }) => traffic![key] ?? null),
  }))
  return (
    <div className={styles['charts']}>
      <LineChart
        title={t('answers.most', { rate: figureText(t, perMinute[most]!), at: clock.format(times[most]) })}
        times={times}
        lines={[{ key: 'baskets', label: t('answers.baskets'), colour: colourAt(0), values: perMinute }]}
        format={(value) => t('answers.perMinute', { rate: figureText(t, value) })}
      />
      <LineChart
        title={t('answers.worst', { ms: ms(slowest[worst]!), at: clock.format(times[worst]) })}
        times={times}
        lines={lines}
        format={ms}
      />
    </div>
  )
}

function highestOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((best, value, at) => ((value ?? -1) > (values[best] ?? -1) ? at : best), 0)
}
