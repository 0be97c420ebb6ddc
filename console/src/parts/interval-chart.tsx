import { useWords } from '../i18n/words.js'
import { Dot, dottedMax } from './charts.js'
import styles from './charts.module.css'

interface IntervalChartProps {
  readonly title: string
  /** Two or more, ascending by `YYYY-MM-DD`. */
  readonly days: readonly {
    readonly day: string
    readonly estimate: number
    readonly low: number
    readonly high: number
  }[]
  readonly format: (value: number) => string
}

/** Intervals are wide at first: those of the first third may leave the chart, so that the later ones can be read. */
const scaledFrom = 1 / 3
/** Smallest distance of labels, in per cent of the height. */
const labelsApart = 11

/** An estimate with its interval, day by day, against 0. */
export function IntervalChart({ title, days, format }: IntervalChartProps) {
  const { locale } = useWords()
  const scaled = days.slice(Math.floor(days.length * scaledFrom))
  const top = Math.max(0, ...scaled.map(({ high }) => high))
  const bottom = Math.min(0, ...scaled.map(({ low }) => low))
  const at = (value: number) => (100 * (top - value)) / (top - bottom || 1)
  const span = days.length - 1
  const line = (value: (day: IntervalChartProps['days'][number]) => number) =>
    days.map((day, x) => `${x},${at(value(day))}`)
  const last = days.at(-1)!
  const dayText = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const highAt = at(last.high)
  return (
    <figure className={styles['chart']}>
      <figcaption>{title}</figcaption>
      <div className={styles['plot']} role="img" aria-label={title}>
        <svg viewBox={`0 0 ${span} 100`} preserveAspectRatio="none" aria-hidden="true" data-clipped>
          <polygon points={[...line(({ low }) => low), ...line(({ high }) => high).toReversed()].join(' ')} />
          <line data-zero x1={0} x2={span} y1={at(0)} y2={at(0)} />
          <g stroke="var(--accent)">
            <polyline points={line(({ estimate }) => estimate).join(' ')} />
            {days.length <= dottedMax && days.map(({ day, estimate }, x) => <Dot key={day} x={x} y={at(estimate)} />)}
          </g>
        </svg>
        <span className={styles['bound']} style={{ top: `${at(0)}%` }}>
          0
        </span>
        <span className={styles['tick']} data-edge="first" style={{ left: 0 }}>
          {dayText.format(new Date(days[0]!.day))}
        </span>
        <span className={styles['tick']} data-edge="last" style={{ left: '100%' }}>
          {dayText.format(new Date(last.day))}
        </span>
        <span className={styles['end']} style={{ top: `${highAt}%` }}>
          {format(last.high)}
        </span>
        <span className={styles['end']} style={{ top: `${Math.max(at(last.low), highAt + labelsApart)}%` }}>
          {format(last.low)}
        </span>
      </div>
    </figure>
  )
}
