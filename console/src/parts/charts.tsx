import { useProgrammeNames } from '../api/programme.js'
import { useHouseZone } from '../api/venues.js'
import { useWords } from '../i18n/words.js'
import styles from './charts.module.css'
import { percentText } from './scaled.js'

interface BarsProps {
  readonly title: string
  readonly bars: readonly { readonly key: string; readonly value: number; readonly label: string }[]
}

const rowHeight = 24
const barHeight = 12
/** Per cent of the width: labels are left of the bars, values right of them. */
const barsFrom = 26
const barsUntil = 74

export function Bars({ title, bars }: BarsProps) {
  const low = Math.min(0, ...bars.map(({ value }) => value))
  const high = Math.max(0, ...bars.map(({ value }) => value))
  const span = high - low || 1
  const at = (value: number) => barsFrom + ((value - low) / span) * (barsUntil - barsFrom)
  const middle = (row: number) => row * rowHeight + rowHeight / 2
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg className={styles['bars']} height={bars.length * rowHeight} role="img" aria-label={title}>
        <line x1={`${at(0)}%`} x2={`${at(0)}%`} y1={0} y2={bars.length * rowHeight} />
        {bars.map(({ key, value, label }, row) => (
          <g key={key}>
            <text x="0" y={middle(row)} dominantBaseline="central">
              {key}
            </text>
            <rect
              data-below={value < 0 || undefined}
              x={`${at(Math.min(0, value))}%`}
              width={`${at(Math.max(0, value)) - at(Math.min(0, value))}%`}
              y={middle(row) - barHeight / 2}
              height={barHeight}
            />
            <text x={`${at(Math.max(0, value))}%`} dx={8} y={middle(row)} dominantBaseline="central">
              {label}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  )
}

/** One line; null: no value at that time. */
export interface Line {
  readonly key: string
  readonly label: string
  readonly colour: string
  readonly values: readonly (number | null)[]
}

interface LineChartProps {
  readonly title: string
  /** At most five. */
  readonly lines: readonly Line[]
  /** One for each value. */
  readonly times: readonly Date[]
  readonly format: (value: number) => string
}

/** Smallest distance of labels, in per cent of the height: their text is a tenth of it. */
const labelsApart = 11
const ticks = 4
/** Values up to which each one is a point of its own; of more, only those without neighbours. */
export const dottedMax = 36

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
              <g key={`${key}/${points[0]![0]}`} stroke={colour}>
                <polyline points={points.map(([x, value]) => `${x},${100 - (100 * value) / top}`).join(' ')} />
                {(points.length === 1 || times.length <= dottedMax) &&
                  points.map(([x, value]) => <Dot key={x} x={x} y={100 - (100 * value) / top} />)}
              </g>
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

/** Round, however its plot is stretched. */
export function Dot({ x, y }: { readonly x: number; readonly y: number }) {
  return <path className={styles['dot']} d={`M${x} ${y}h0`} />
}

/** Runs of values with their places. */
function stretchesOf(values: Line['values']): readonly (readonly (readonly [x: number, value: number])[])[] {
  const stretches: [number, number][][] = []
  for (const [x, value] of values.entries()) {
    if (value === null) continue
    if (x > 0 && values[x - 1] !== null) stretches.at(-1)!.push([x, value])
    else stretches.push([[x, value]])
  }
  return stretches
}

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

export interface Layer {
  readonly key: string
  readonly label: string
  readonly colour: string
  /** One for each day; 0 or more. */
  readonly values: readonly bigint[]
}

interface DayColumnsProps {
  readonly title: string
  /** `YYYY-MM-DD`, ascending. */
  readonly days: readonly string[]
  readonly layers: readonly Layer[]
  readonly format: (value: bigint) => string
}

export function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}

export function mostOf(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most))
}

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

function Column({ at, top, layers }: { readonly at: number; readonly top: bigint; readonly layers: readonly Layer[] }) {
  let ground = 0
  return layers.map(({ key, colour, values }) => {
    const height = (100 * Number(values[at] ?? 0n)) / Number(top)
    ground += height
    return height === 0 ? null : (
      <rect key={key} x={at + 0.1} width={0.8} y={100 - ground} height={height} fill={colour} />
    )
  })
}

export interface Share {
  readonly key: string
  readonly label: string
  readonly colour: string
  readonly size: number
}

export function Shares({ shares }: { readonly shares: readonly Share[] }) {
  const t = useWords()
  const whole = shares.reduce((sum, { size }) => sum + size, 0)
  return (
    <>
      <div className={styles['bar']} aria-hidden="true">
        {shares.map(({ key, colour, size }) => (
          <span key={key} style={{ flex: `${size} 0 0`, background: colour }} />
        ))}
      </div>
      <ul className={styles['shares']}>
        {shares.map(({ key, label, colour, size }) => (
          <li key={key}>
            <Swatch colour={colour} />
            {percentText(t, size, whole)} {label}
          </li>
        ))}
      </ul>
    </>
  )
}

interface TakenBarProps {
  readonly parts: readonly { readonly key: string; readonly size: number; readonly colour: string }[]
  readonly whole: number
}

export function TakenBar({ parts, whole }: TakenBarProps) {
  const left = Math.max(0, whole - parts.reduce((sum, { size }) => sum + size, 0))
  return (
    <div className={styles['bar']} aria-hidden="true">
      {parts
        .filter(({ size }) => size > 0)
        .map(({ key, size, colour }) => (
          <span key={key} style={{ flex: `${size} 0 0`, background: colour }} />
        ))}
      <span style={{ flex: `${left} 0 0`, minWidth: 0 }} />
    </div>
  )
}

export function Swatch({ colour }: { readonly colour: string }) {
  return <span className={styles['swatch']} style={{ background: colour }} aria-hidden="true" />
}

const colours = Array.from({ length: 16 }, (_, at) => `var(--series-${at + 1})`)

export const otherColour = 'var(--series-other)'

export function colourAt(place: number): string {
  return colours[place % colours.length]!
}

/** The colour of a benefit, the same everywhere: by its place in the programme in force, else by its id. Grey until that is loaded. */
export function useBenefitColour(): (benefitId: string) => string {
  const { benefits } = useProgrammeNames(0)
  const places = new Map([...benefits.keys()].map((benefitId, place) => [benefitId, place]))
  return (benefitId) => (places.size === 0 ? otherColour : colourAt(places.get(benefitId) ?? codeSum(benefitId)))
}

function codeSum(text: string): number {
  return Array.from(text, (character) => character.codePointAt(0)!).reduce((sum, code) => sum + code, 0)
}

const columnsHeight = 120
/** Above and below the columns, for labels. */
const columnsMargin = 20

/** One column for each day, from a common zero: the first, the last and the largest with their labels. */
export function Columns({ title, bars: columns }: BarsProps) {
  const values = columns.map(({ value }) => value)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const inner = columnsHeight - 2 * columnsMargin
  const at = (value: number) => columnsMargin + ((high - value) / (high - low || 1)) * inner
  const width = 100 / columns.length
  const largest = columns.reduce((best, one) => (Math.abs(one.value) > Math.abs(best.value) ? one : best), columns[0]!)
  const place = columns.indexOf(largest)
  const anchor = place < columns.length / 4 ? 'start' : place > (columns.length * 3) / 4 ? 'end' : 'middle'
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg className={styles['bars']} height={columnsHeight} role="img" aria-label={title}>
        {columns.map(({ key, value }, column) => (
          <rect
            key={key}
            data-below={value < 0 || undefined}
            x={`${column * width + width * 0.15}%`}
            width={`${width * 0.7}%`}
            y={Math.min(at(value), at(0))}
            height={Math.abs(at(value) - at(0))}
          />
        ))}
        <line x1="0" x2="100%" y1={at(0)} y2={at(0)} />
        <text x={`${(place + 0.5) * width}%`} y={at(Math.max(0, largest.value)) - 6} textAnchor={anchor}>
          {largest.label}
        </text>
        <text x="0" y={columnsHeight - 4}>
          {columns[0]!.key}
        </text>
        <text x="100%" y={columnsHeight - 4} textAnchor="end">
          {columns.at(-1)!.key}
        </text>
      </svg>
    </figure>
  )
}

interface SparklineProps {
  readonly title: string
  readonly values: readonly bigint[]
  readonly colour: string
}

const sparkWidth = 112
const sparkHeight = 20

/** A line without axes, from a common zero. */
export function Sparkline({ title, values, colour }: SparklineProps) {
  const top = Number(mostOf([1n, ...values]))
  const step = sparkWidth / Math.max(1, values.length - 1)
  const points = values.map(
    (value, at) => `${at * step},${sparkHeight - 1 - ((sparkHeight - 2) * Number(value)) / top}`,
  )
  return (
    <svg className={styles['spark']} width={sparkWidth} height={sparkHeight} role="img" aria-label={title}>
      <g stroke={colour}>
        <polyline points={points.join(' ')} />
        {values.map((value, at) => {
          const isAlone = value > 0n && !values[at - 1] && !values[at + 1]
          return isAlone && <path key={points[at]} className={styles['dot']} d={`M${points[at]}h0`} />
        })}
      </g>
    </svg>
  )
}
