import styles from './shadow.module.css'

interface ColumnsProps {
  /** What the chart finds, in one sentence. */
  readonly title: string
  readonly columns: readonly { readonly key: string; readonly value: number; readonly label: string }[]
}

const height = 120
/** Room for labels above and below the columns. */
const margin = 20

/** One column for each day, from a common zero: the first, the last and the largest with their labels. */
export function Columns({ title, columns }: ColumnsProps) {
  const values = columns.map(({ value }) => value)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const inner = height - 2 * margin
  const at = (value: number) => margin + ((high - value) / (high - low || 1)) * inner
  const width = 100 / columns.length
  const largest = columns.reduce((best, one) => (Math.abs(one.value) > Math.abs(best.value) ? one : best), columns[0]!)
  const place = columns.indexOf(largest)
  const anchor = place < columns.length / 4 ? 'start' : place > (columns.length * 3) / 4 ? 'end' : 'middle'
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg className={styles['columns']} height={height} role="img" aria-label={title}>
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
        <text x="0" y={height - 4}>
          {columns[0]!.key}
        </text>
        <text x="100%" y={height - 4} textAnchor="end">
          {columns.at(-1)!.key}
        </text>
      </svg>
    </figure>
  )
}
