import { useHouseZone } from '../api/venues.js'
import { useWords } from '../i18n/words.js'
import styles from './charts.module.css'

/** One line; null: there is nothing at that time. */
export interface Line {
  readonly key: string
  /** Beside its end. */
  readonly label: string
  readonly colour: string
  readonly values: readonly (number | null)[]
}

interface LineChartProps {
  /** What the chart finds, in one sentence. */
  readonly title: string
  /** At most five. */
  readonly lines: readonly Line[]
  /** One for each value. */
  readonly times: readonly Date[]
  /** A value with its unit. */
  readonly format: (value: number) => string
}

/** Per cent of the height that labels are apart at least: their text is a tenth of it. */
const labelsApart = 11
const ticks = 4

/** Lines over time from a common zero, each with its name at its end. */
export function LineChart({ title, lines, times, format }: LineChartProps) {
  const { locale } = useWords()
  const zone = useHouseZone()
  const top = roundUp(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', ...(zone && { timeZone: zone }) })
  const last = Math.max(1, times.length - 1)
  const places = Array.from({ length: ticks + 1 }, (_, at) => Math.round((at * last) / ticks))
  return (
    <figure className={styles['chart']}>
      <figcaption>{title}</figcaption>
      <div className={styles['plot']} role="img" aria-label={title}>
        <svg viewBox={`0 0 ${last} 100`} preserveAspectRatio="none" aria-hidden="true">
          {[0, 50, 100].map((y) => (
            <line key={y} x1={0} x2={last} y1={y} y2={y} />
          ))}
          {lines.flatMap(({ key, colour, values }) =>
            stretchesOf(values).map((points) => (
              <polyline
                key={`${key}/${points[0]![0]}`}
                stroke={colour}
                points={points.map(([x, value]) => `${x},${100 - (100 * value) / top}`).join(' ')}
              />
            )),
          )}
        </svg>
        <span className={styles['bound']} style={{ top: 0 }}>
          {format(top)}
        </span>
        {places.map((place, at) => (
          <span
            key={place}
            className={styles['tick']}
            data-edge={at === 0 ? 'first' : at === ticks ? 'last' : undefined}
            style={{ left: `${(100 * place) / last}%` }}
            title={zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
          >
            {times[place] === undefined ? '' : clock.format(times[place])}
          </span>
        ))}
        {spread(lines, top).map(({ key, label, colour, y }) => (
          <span key={key} className={styles['end']} style={{ top: `${y}%`, color: colour }}>
            {label}
          </span>
        ))}
      </div>
    </figure>
  )
}

/** Runs of values with their places; a single one is drawn as a short line. */
function stretchesOf(values: Line['values']): readonly (readonly (readonly [x: number, value: number])[])[] {
  const stretches: [number, number][][] = []
  for (const [x, value] of values.entries()) {
    if (value === null) continue
    if (x > 0 && values[x - 1] !== null) stretches.at(-1)!.push([x, value])
    else stretches.push([[x, value]])
  }
  return stretches.map((points) => (points.length > 1 ? points : [points[0]!, [points[0]![0] + 0.5, points[0]![1]]]))
}

/** Labels where the lines end, moved apart where they would overlap. */
function spread(lines: readonly Line[], top: number): readonly (Line & { readonly y: number })[] {
  const placed = lines
    .map((line) => ({ ...line, y: 100 - (100 * (line.values.findLast((value) => value !== null) ?? 0)) / top }))
    .sort((left, right) => right.y - left.y)
  let below = Number.POSITIVE_INFINITY
  return placed.map((line) => {
    below = Math.min(line.y, below - labelsApart)
    return { ...line, y: below }
  })
}

/** The next of 1, 2, 5, 10, 20 and so on. */
function roundUp(value: number): number {
  if (value <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(value))
  return unit * ([1, 2, 5, 10].find((step) => step * unit >= value) ?? 10)
}
