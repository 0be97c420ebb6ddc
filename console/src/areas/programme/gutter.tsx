import styles from './editor.module.css'

/** Pixels; as in editor.module.css. */
export const lineHeight = 20
/** More lines than fit the tallest window. */
const linesShown = 160

interface GutterProps {
  /** Pixels by which the text is scrolled. */
  readonly scrolled: number
  readonly lines: number
  readonly remarks: readonly { readonly line: number; readonly isFault: boolean }[]
}

/** Numbers of the lines that are seen; those with faults and warnings are marked. */
export function Gutter({ scrolled, lines, remarks }: GutterProps) {
  const first = Math.floor(scrolled / lineHeight)
  const marks = new Map<number, 'fault' | 'warning'>()
  for (const { line, isFault } of remarks) {
    if (isFault || !marks.has(line)) marks.set(line, isFault ? 'fault' : 'warning')
  }
  const shown = Array.from({ length: Math.min(linesShown, lines - first) }, (_, at) => first + at + 1)
  return (
    <div className={styles['gutter']} aria-hidden="true">
      <div style={{ transform: `translateY(${first * lineHeight - scrolled}px)` }}>
        {shown.map((line) => (
          <div key={line} data-mark={marks.get(line)}>
            {line}
          </div>
        ))}
      </div>
    </div>
  )
}
