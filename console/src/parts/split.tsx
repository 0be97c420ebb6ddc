import type { ReactNode } from 'react'
import styles from './split.module.css'

interface SplitProps {
  readonly title: string
  /** A sentence with what matters. */
  readonly lead?: ReactNode
  readonly list: ReactNode
  /** What is open beside the list; null: nothing. */
  readonly open: ReactNode | null
}

/** A list, and beside it the row that is open; where there is no room for both, the open row alone. */
export function Split({ title, lead, list, open }: SplitProps) {
  return (
    <div className={styles['split']} data-open={open !== null || undefined}>
      <div className={styles['list']}>
        <h1>{title}</h1>
        {lead !== undefined && <p className="muted">{lead}</p>}
        {list}
      </div>
      {open !== null && (
        <section className={styles['open']} data-beside>
          {open}
        </section>
      )}
    </div>
  )
}
