import styles from './bars.module.css'

interface BarsProps {
  /** What the chart finds, in one sentence. */
  readonly title: string
  readonly bars: readonly { readonly key: string; readonly value: number; readonly label: string }[]
}

const rowHeight = 24
const barHeight = 12
/** Per cent of the width: labels stand left of the bars, values beyond them. */
const barsFrom = 26
const barsUntil = 74

/** Bars from a common zero, each with its name and its value beside it. */
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
