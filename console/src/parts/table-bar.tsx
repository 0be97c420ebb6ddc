import type { ReactNode, RefObject } from 'react'
import { useWords } from '../i18n/words.js'
import type { Column } from './column.js'
import { ColumnChoice } from './column-choice.js'
import styles from './table.module.css'
import { SortChoice } from './table-head.js'
import type { Sorting } from './table-order.js'

interface BarProps<Row> {
  readonly filter: RefObject<HTMLInputElement | null>
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly columns: readonly Column<Row>[]
  readonly shown: readonly Column<Row>[]
  readonly onToggle: (key: string) => void
  /** null: heads of columns sort. */
  readonly sorting: { readonly sorting: Sorting | null; readonly onSort: (sorting: Sorting | null) => void } | null
  /** Filters that the service applies. */
  readonly children: ReactNode
}

/** What narrows and arranges the rows of a table. */
export function TableBar<Row>({ filter, typed, onType, columns, shown, onToggle, sorting, children }: BarProps<Row>) {
  const t = useWords()
  return (
    <div className={styles['filters']}>
      <input
        ref={filter}
        type="search"
        value={typed}
        placeholder={t('table.filter')}
        aria-label={t('table.filter')}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {children}
      {sorting !== null && <SortChoice columns={shown} {...sorting} />}
      {columns.length > 2 && <ColumnChoice columns={columns} shown={shown} onToggle={onToggle} />}
    </div>
  )
}
