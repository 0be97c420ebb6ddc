import { useWords } from '../i18n/words.js'
import styles from './charts.module.css'
import { Swatch } from './swatch.js'

/** What is stacked; at most five. */
export interface Layer {
  readonly key: string
  readonly label: string
  readonly colour: string
  /** One for each day; 0 or more. */
  readonly values: readonly bigint[]
}

interface DayColumnsProps {
  /** What the chart finds, in one sentence. */
  readonly title: string
  /** `YYYY-MM-DD`, ascending. */
  readonly days: readonly string[]
  /** From the ground up. */
  readonly layers: readonly Layer[]
  /** A value with its unit. */
  readonly format: (value: bigint) => string
}

export function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}

/** Of at least one value. */
export function mostOf(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most))
}

/** Columns by day from zero, what they are made of stacked; its names with their sums stand beside. */
export function DayColumns({ title, days, layers, format }: DayColumnsProps) {
  const { locale } = useWords()
  const sums = days.map((_, at) => sumOf(layers.map(({ values }) => values[at] ?? 0n)))
  const top = mostOf([1n, ...sums])
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const places = [...new Set([0, Math.floor((days.length - 1) / 2), days.length - 1])]
  return (
    <figure className={styles['chart']}>
      <figcaption>{title}</figcaption>
      <div className={styles['stacked']}>
        <div className={styles['plot']} role="img" aria-label={title}>
          <svg viewBox={`0 0 ${days.length} 100`} preserveAspectRatio="none" aria-hidden="true">
            <line x1={0} x2={days.length} y1={100} y2={100} />
            <line x1={0} x2={days.length} y1={0} y2={0} />
            {days.map((name, at) => (
              <Column key={name} at={at} top={top} layers={layers} />
            ))}
          </svg>
          <span className={styles['bound']} style={{ top: 0 }}>
            {format(top)}
          </span>
          {places.map((at) => (
            <span
              key={at}
              className={styles['tick']}
              data-edge={at === 0 ? 'first' : at === days.length - 1 ? 'last' : undefined}
              style={{
                left: `${(100 * (at === 0 ? 0 : at === days.length - 1 ? days.length : at + 0.5)) / days.length}%`,
              }}
            >
              {day.format(new Date(`${days[at]}T00:00Z`))}
            </span>
          ))}
        </div>
        <ul className={styles['names']}>
          {layers.toReversed().map(({ key, label, colour, values }) => (
            <li key={key}>
              <span>
                <Swatch colour={colour} />
                {label}
              </span>
              <span className="number">{format(sumOf(values))}</span>
            </li>
          ))}
        </ul>
      </div>
    </figure>
  )
}

interface ColumnProps {
  readonly at: number
  readonly top: bigint
  readonly layers: readonly Layer[]
}

function Column({ at, top, layers }: ColumnProps) {
  let ground = 0
  return layers.map(({ key, colour, values }) => {
    const height = (100 * Number(values[at] ?? 0n)) / Number(top)
    ground += height
    return height === 0 ? null : (
      <rect key={key} x={at + 0.1} width={0.8} y={100 - ground} height={height} fill={colour} />
    )
  })
}
