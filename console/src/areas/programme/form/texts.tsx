import { useId, useState } from 'react'
import styles from './form.module.css'
import { type At, useFieldWords, useForm } from './form-context.js'
import { type Node, writeJson } from './json-text.js'
import { fieldId, Help, Said } from './labelled.js'
import { Offers } from './leaf.js'
import { type LeafProps, shown } from './leaf-props.js'

/** Several ids: each can be taken away, and another typed or chosen. */
export function Texts({ path, node, name, label, shape, onChange }: LeafProps) {
  const { t } = useFieldWords()
  const ids = useForm().idsFor(name)
  const listId = useId()
  const [typed, setTyped] = useState('')
  const values = textsOf(node)
  const nameOf = (value: string) => ids.find(({ id }) => id === value)?.name ?? ''
  const store = (next: readonly string[]) => onChange(next.length === 0 ? null : writeJson(next, path))
  const add = () => {
    const one = typed.trim()
    setTyped('')
    if (one !== '' && !values.includes(one)) store([...values, one])
  }
  return (
    <div className={styles['field']}>
      <label htmlFor={fieldId(path)}>{label}</label>
      <div className={styles['texts']}>
        {values.map((value) => (
          <span key={value} className={styles['chip']}>
            {nameOf(value) === '' ? value : `${nameOf(value)} (${value})`}
            <button
              type="button"
              data-plain
              aria-label={t('form.take', { value })}
              onClick={() => store(values.filter((other) => other !== value))}
            >
              <span aria-hidden="true">✕</span>
            </button>
          </span>
        ))}
        <input
          id={fieldId(path)}
          aria-describedby={`${fieldId(path)}/help`}
          value={typed}
          list={listId}
          placeholder={t('form.addText')}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
        <Offers id={listId} ids={ids.filter(({ id }) => !values.includes(id))} />
      </div>
      <div id={`${fieldId(path)}/help`}>
        <Said path={path} />
        <Help text={shape.description} />
      </div>
    </div>
  )
}

/** Any of a few words, such as days of the week, in their own order. */
export function Choices(props: LeafProps & { readonly options: readonly string[] }) {
  const { path, node, label, shape, onChange, options } = props
  const { option } = useFieldWords()
  const values = textsOf(node)
  return (
    <fieldset className={styles['field']} id={fieldId(path)} tabIndex={-1}>
      <legend>{label}</legend>
      <div className={styles['texts']}>
        {options.map((one) => (
          <label key={one}>
            <input
              type="checkbox"
              checked={values.includes(one)}
              onChange={({ target }) => {
                const next = options.filter((other) => (other === one ? target.checked : values.includes(other)))
                onChange(next.length === 0 ? null : JSON.stringify(next).replaceAll(',', ', '))
              }}
            />
            {option(one)}
          </label>
        ))}
      </div>
      <Said path={path} />
      <Help text={shape.description} />
    </fieldset>
  )
}

export function textsOf(node: At['node']): readonly string[] {
  return node?.kind === 'list' ? node.items.map((item: Node) => shown(item)) : []
}
