import { useMemo, useState } from 'react'
import { useWords } from '../i18n/words.js'
import { Menu } from './menu.js'
import styles from './table.module.css'

/** What a choice of columns needs of each. */
interface Named {
  readonly key: string
  readonly head: string
  readonly isExtra?: boolean
}

/** Before the key of a column that was chosen; a column that was hidden stands alone. */
const chosenMark = '+'

/**
 * The columns that a person wants to see of a table, kept in this browser; the first one is always there.
 *
 * @param room  for so many: further ones that are extra are shown only to who chose them
 */
export function useColumnChoice<Column extends Named>(columns: readonly Column[], room: number) {
  const item = `columns/${columns.map(({ key }) => key).join(' ')}`
  const [choices, setChoices] = useState<readonly string[]>(() => (localStorage.getItem(item) ?? '').split(' '))
  const shown = useMemo(() => {
    const has = (choice: string) => choices.includes(choice)
    const usual = columns.filter(({ key, isExtra }) => !isExtra && !has(key)).length
    const extra = columns.filter(({ key, isExtra }) => isExtra && !has(key)).slice(0, Math.max(0, room - usual))
    return columns.filter((column, at) => {
      if (at === 0 || has(chosenMark + column.key)) return true
      return !has(column.key) && (!column.isExtra || extra.includes(column))
    })
  }, [columns, choices, room])
  const toggle = (key: string) => {
    const others = choices.filter((choice) => choice !== key && choice !== chosenMark + key)
    const next = [...others, shown.some((column) => column.key === key) ? key : chosenMark + key]
    localStorage.setItem(item, next.join(' ').trim())
    setChoices(next)
  }
  return { shown, toggle }
}

interface ColumnChoiceProps {
  readonly columns: readonly Named[]
  readonly shown: readonly Named[]
  readonly onToggle: (key: string) => void
}

/** Which columns are shown. */
export function ColumnChoice({ columns, shown, onToggle }: ColumnChoiceProps) {
  const t = useWords()
  return (
    <Menu className={styles['columns']} title={t('table.columns')}>
      {columns.slice(1).map(({ key, head }) => (
        <label key={key}>
          <input type="checkbox" checked={shown.some((column) => column.key === key)} onChange={() => onToggle(key)} />
          {head}
        </label>
      ))}
    </Menu>
  )
}
