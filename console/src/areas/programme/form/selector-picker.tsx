import { useId, useState } from 'react'
import styles from './form.module.css'
import { useFieldWords, useForm } from './form-context.js'
import type { Selectable } from './use-ids.js'

interface SelectorPickerProps {
  /** What the selector has already, by list. */
  readonly has: (one: Selectable) => boolean
  readonly onPick: (one: Selectable) => void
}

/** Finds a product or a group by its name, so that nobody needs to know by which of its ids a line is looked up. */
export function SelectorPicker({ has, onPick }: SelectorPickerProps) {
  const { t } = useFieldWords()
  const { selectable } = useForm()
  const [typed, setTyped] = useState('')
  const id = useId()
  const textOf = (one: Selectable) =>
    one.list === 'productGroupIds'
      ? t('pick.group', { id: one.id })
      : one.name === ''
        ? one.id
        : `${one.name} (${one.id})`
  const offered = selectable.filter((one) => !has(one))
  if (selectable.length === 0) return null
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{t('pick.label')}</label>
      <input
        id={id}
        type="search"
        list={`${id}/list`}
        value={typed}
        placeholder={t('pick.how')}
        onChange={({ target }) => {
          const picked = offered.find((one) => textOf(one) === target.value)
          setTyped(picked === undefined ? target.value : '')
          if (picked !== undefined) onPick(picked)
        }}
      />
      <datalist id={`${id}/list`}>
        {offered.map((one) => (
          <option key={`${one.list}/${one.id}`} value={textOf(one)} />
        ))}
      </datalist>
    </div>
  )
}
