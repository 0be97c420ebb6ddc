import { useState } from 'react'
import { useWords } from '../i18n/words.js'
import styles from './table.module.css'

/** What a choice of columns needs of each. */
interface Named {
  readonly key: string
  readonly head: string
}

/** The columns that a person wants to see of a table, kept in this browser; the first one is always there. */
export function useColumnChoice<Column extends Named>(columns: readonly Column[]) {
  const item = `columns/${columns.map(({ key }) => key).join(' ')}`
  const [hidden, setHidden] = useState<readonly string[]>(() => (localStorage.getItem(item) ?? '').split(' '))
  const toggle = (key: string) => {
    const next = hidden.includes(key) ? hidden.filter((other) => other !== key) : [...hidden, key]
    localStorage.setItem(item, next.join(' ').trim())
    setHidden(next)
  }
  return { shown: columns.filter(({ key }, at) => at === 0 || !hidden.includes(key)), hidden, toggle }
}

interface ColumnChoiceProps {
  readonly columns: readonly Named[]
  readonly hidden: readonly string[]
  readonly onToggle: (key: string) => void
}

/** Which columns are shown. */
export function ColumnChoice({ columns, hidden, onToggle }: ColumnChoiceProps) {
  const t = useWords()
  return (
    <details className={styles['columns']}>
      <summary>{t('table.columns')}</summary>
      <div>
        {columns.slice(1).map(({ key, head }) => (
          <label key={key}>
            <input type="checkbox" checked={!hidden.includes(key)} onChange={() => onToggle(key)} />
            {head}
          </label>
        ))}
      </div>
    </details>
  )
}
