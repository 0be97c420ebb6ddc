import { useQuery } from '@connectrpc/connect-query'
import {
  type CodeCount,
  ReportService,
  type ReportTrafficResponse,
  type Traffic,
  type TrafficPlace,
} from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useHouseZone, useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { colourAt, type Line, LineChart, otherColour, Shares } from '../../parts/charts.js'
import { TextLink } from '../../parts/controls.js'
import { type Column, Rows } from '../../parts/rows.js'
import { countText, figureText, percentText } from '../../parts/scaled.js'
import { Waiting } from '../../parts/states.js'
import { dateOf, Time } from '../../parts/values.js'
import styles from './today.module.css'

const againMs = 5_000
const stepMinutes = 10
/** Registers of a table; the worst. */
const placesShown = 10
/** In the order in which they matter; others follow. */
const outcomes = ['applied', 'unchanged', 'member_not_found', 'refused', 'unavailable', 'failed']

/** The answers to POSs: the last minute, hour and day. */
function useTraffic() {
  return useQuery(ReportService.method.reportTraffic, { stepMinutes }, { refetchInterval: againMs })
}

/** Faults of the answers of the last minute, or else of the last hour, the worst first; null: not known yet. */
export function useAnswerFaults(): readonly string[] | null {
  const t = useWords()
  const query = useTraffic()
  const zone = useHouseZone()
  const venueName = useVenueNames()
  if (query.isPending) return null
  if (!query.isSuccess) return [t('lead.answersUnknown')]
  const { now, hour, amissSince, p99MaxMs } = query.data
  const judged = now?.well === false ? now : hour
  if (judged === undefined || judged.well) return []
  const when = t(judged === now ? 'lead.lastMinute' : 'lead.lastHour')
  const { failedCalls: failed, calls, errors, places, p99Ms = 0 } = judged
  const whereOf = (countOf: (place: TrafficPlace) => bigint) => {
    const worst = places.toSorted((left, right) => Number(countOf(right) - countOf(left)))[0]
    if (worst === undefined || worst.venueId === '' || countOf(worst) === 0n) return ''
    return t('lead.where', { place: placeText(t, worst, venueName), count: countOf(worst) })
  }
  const since = amissSince === undefined ? '' : t('lead.since', { at: clockOf(t, zone).format(dateOf(amissSince)) })
  const refused = t('lead.refused', { when, failed, calls, codes: codesText(t, errors) })
  const slow = t('lead.slow', { when, ms: figureText(t, p99Ms), max: figureText(t, p99MaxMs) })
  return [
    ...(failed === 0n ? [] : [`${refused}${whereOf((place) => place.failedCalls)}${since}`]),
    ...(p99Ms <= p99MaxMs ? [] : [`${slow}${whereOf((place) => place.slow)}${since}`]),
  ]
}

function codesText(t: Words, errors: readonly CodeCount[]): string {
  return errors.map(({ code, calls }) => `${t.of('code', code)} ${countText(t, calls)}`).join(', ')
}

function placeText(t: Words, { venueId, cashRegisterId }: TrafficPlace, venueName: (venueId: string) => string) {
  if (venueId === '') return t('answers.elsewhere')
  if (cashRegisterId === '') return venueName(venueId)
  return t('answers.register', { venue: venueName(venueId), register: cashRegisterId })
}

function clockOf({ locale }: Words, timeZone: string) {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone })
}

export function Answers() {
  const t = useWords()
  const zone = useHouseZone()
  const query = useTraffic()
  if (!query.isSuccess) return <Waiting query={query} lines={4} />
  const { all, hour, now, amissSince, until } = query.data
  const ended = until === undefined ? '' : clockOf(t, zone).format(dateOf(until))
  const hasPlaces = (traffic: Traffic | undefined) => (traffic?.places.length ?? 0) > 0
  const worst = hasPlaces(now) ? 'now' : hasPlaces(hour) ? 'hour' : 'day'
  return (
    <>
      <p>
        {t('answers.contract', { p95: query.data.p95MaxMs, p99: query.data.p99MaxMs, until: ended })}
        {amissSince !== undefined && now?.well === false && (
          <span className="lost">
            {' '}
            {t('answers.amissSince')} <Time at={amissSince} show="time" />
          </span>
        )}
      </p>
      <div className={styles['answers']}>
        <Rows
          label={t('today.answers')}
          columns={[
            {
              key: 'figure',
              head: t('answers.figure'),
              cell: ({ name, isError }) => (isError ? <span className={styles['code']}>{name}</span> : name),
            },
            ...(['now', 'hour', 'day'] as const).map((key) => ({
              key,
              head: t.of('answers', key),
              cell: (row: Figure) => row[key],
              isNumber: true,
            })),
          ]}
          rows={figuresOf(t, query.data)}
          keyOf={({ name }) => name}
        />
        <div className={styles['outcomes']}>
          <Outcomes title={t('answers.now')} traffic={now} />
          <Outcomes title={t('answers.day')} traffic={all} />
        </div>
      </div>
      {(['now', 'hour', 'day'] as const).map((key) => (
        <Places key={key} title={t.of('answers', key)} traffic={{ now, hour, day: all }[key]} isOpen={key === worst} />
      ))}
      {all !== undefined && all.baskets > 0n && <Charts report={query.data} />}
    </>
  )
}

interface Figure {
  readonly name: string
  readonly isError?: boolean
  readonly now: string
  readonly hour: string
  readonly day: string
}

function figuresOf(t: Words, { now, hour, all }: ReportTrafficResponse): readonly Figure[] {
  const time = (ms: number | undefined) => (ms === undefined ? '–' : t('answers.ms', { ms: figureText(t, ms) }))
  const each = (name: string, of: (traffic: Traffic) => string) => ({
    name,
    now: of(now!),
    hour: of(hour!),
    day: of(all!),
  })
  const shareOf = (count: bigint, { calls }: Traffic) =>
    count === 0n ? '–' : `${countText(t, count)} (${percentText(t, count, calls)})`
  const codes = new Set([now!, hour!, all!].flatMap(({ errors }) => errors.map(({ code }) => code)))
  return [
    each(t('answers.calls'), ({ calls }) => countText(t, calls)),
    each(t('answers.errors'), (traffic) => shareOf(traffic.failedCalls, traffic)),
    ...[...codes].map((code) => ({
      ...each(t.of('code', code), (traffic) =>
        shareOf(traffic.errors.find((error) => error.code === code)?.calls ?? 0n, traffic),
      ),
      isError: true,
    })),
    each(t('answers.rate'), ({ baskets, seconds }) => figureText(t, (60 * Number(baskets)) / seconds)),
    each(t('answers.p50Ms'), ({ p50Ms }) => time(p50Ms)),
    each(t('answers.p95Ms'), ({ p95Ms }) => time(p95Ms)),
    each(t('answers.p99Ms'), ({ p99Ms }) => time(p99Ms)),
  ]
}

interface PlacesProps {
  readonly title: string
  readonly traffic: Traffic | undefined
  readonly isOpen: boolean
}

function Places({ title, traffic, isOpen }: PlacesProps) {
  const t = useWords()
  const venueName = useVenueNames()
  if (traffic === undefined || traffic.places.length === 0) return null
  const columns: readonly Column<TrafficPlace>[] = [
    {
      key: 'place',
      head: t('answers.place'),
      cell: (place) => {
        const text = placeText(t, place, venueName)
        const { venueId } = place
        return venueId === '' ? text : <TextLink to="/requests" search={{ venueId }} text={text} />
      },
    },
    {
      key: 'errors',
      head: t('answers.errors'),
      cell: ({ failedCalls, calls }) => t('answers.ofCalls', { count: failedCalls, calls }),
      isNumber: true,
    },
    { key: 'codes', head: t('answers.codes'), cell: ({ errors }) => codesText(t, errors) || '–' },
    {
      key: 'times',
      head: t('answers.percentiles'),
      cell: ({ p50Ms, p95Ms, p99Ms }) =>
        p99Ms === undefined
          ? '–'
          : t('answers.ms', { ms: [p50Ms, p95Ms, p99Ms].map((each) => figureText(t, each ?? 0)).join(' / ') }),
      isNumber: true,
      isExtra: true,
    },
    { key: 'slow', head: t('answers.slow'), cell: ({ slow }) => countText(t, slow), isNumber: true },
  ]
  return (
    <details open={isOpen}>
      <summary>
        <h3>{t('answers.where', { when: title })}</h3>
      </summary>
      <Rows
        label={t('answers.where', { when: title })}
        columns={columns}
        rows={traffic.places.slice(0, placesShown)}
        keyOf={({ venueId, cashRegisterId }) => `${venueId}/${cashRegisterId}`}
      />
    </details>
  )
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
  const clock = clockOf(t, useHouseZone())
  const times = steps.map(({ from }) => dateOf(from!))
  const perMinute = steps.map(({ traffic }) => (60 * Number(traffic!.calls)) / Math.max(1, traffic!.seconds))
  const refused = steps.map(({ traffic }) => (60 * Number(traffic!.failedCalls)) / Math.max(1, traffic!.seconds))
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
        lines={[
          { key: 'calls', label: t('answers.calls'), colour: colourAt(0), values: perMinute },
          { key: 'errors', label: t('answers.errors'), colour: 'var(--lost)', values: refused },
        ]}
        format={(value) => t('answers.perMinute', { rate: figureText(t, value) })}
      />
      <LineChart
        title={t('answers.worst', { ms: ms(slowest[worst] ?? 0), at: clock.format(times[worst]) })}
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
