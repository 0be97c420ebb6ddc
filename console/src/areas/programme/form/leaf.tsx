import { useId } from 'react'
import styles from './form.module.css'
import { useFieldWords, useForm } from './form-context.js'
import { Labelled } from './labelled.js'
import { type LeafProps, shown } from './leaf-props.js'
import { Moment } from './moment.js'

const number = /^-?(0|[1-9]\d*)(\.\d+)?$/

/** A field without fields of its own. */
export function Leaf(props: LeafProps) {
  const { shape } = props
  if (shape.kind === 'choice') return <Choice {...props} options={shape.options} />
  if (shape.kind === 'switch') return <Switch {...props} />
  if (shape.kind === 'number') return <Figure {...props} />
  if (shape.kind === 'text' && shape.as === 'moment') return <Moment {...props} />
  return <Words {...props} type={shape.kind === 'text' && shape.as === 'time' ? 'time' : 'text'} />
}

function Words({ type, ...props }: LeafProps & { readonly type: 'text' | 'time' }) {
  const { path, name, label, shape, node, onChange, isOwnName } = props
  const ids = useForm().idsFor(name)
  const listId = useId()
  const offers = !isOwnName && ids.length > 0
  return (
    <Labelled path={path} label={label} help={shape.description}>
      {(own) => (
        <>
          <input
            {...own}
            type={type}
            value={shown(node)}
            list={offers ? listId : undefined}
            onChange={({ target }) => onChange(target.value === '' ? null : JSON.stringify(target.value))}
          />
          {offers && <Offers id={listId} ids={ids} />}
        </>
      )}
    </Labelled>
  )
}

/** Ids that a field may have. */
export function Offers({ id, ids }: { readonly id: string; readonly ids: readonly string[] }) {
  return (
    <datalist id={id}>
      {ids.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  )
}

/** A number; what is typed and is none stands in the document as text until it is one, so that the service says so. */
function Figure({ path, label, shape, node, isMoney, onChange }: LeafProps) {
  const { t } = useFieldWords()
  const typed = (text: string) => {
    const trimmed = text.trim()
    onChange(trimmed === '' ? null : number.test(trimmed) ? trimmed : JSON.stringify(text))
  }
  const minor = isMoney && node?.kind === 'plain' ? Number(node.value) : Number.NaN
  const whole = (minor / 100).toLocaleString(t.locale, { minimumFractionDigits: 2 })
  return (
    <Labelled path={path} label={label} help={shape.description}>
      {(own) => (
        <div className={styles['pair']}>
          <input
            {...own}
            inputMode="decimal"
            value={shown(node)}
            placeholder={shape.preset === undefined ? '' : String(shape.preset)}
            onChange={({ target }) => typed(target.value)}
          />
          {Number.isSafeInteger(minor) && <span className="muted small">{t('form.whole', { whole })}</span>}
        </div>
      )}
    </Labelled>
  )
}

function Choice({ path, label, shape, node, onChange, options }: LeafProps & { readonly options: readonly string[] }) {
  const { t, option } = useFieldWords()
  const value = shown(node)
  const preset = typeof shape.preset === 'string' ? t('form.preset', { value: option(shape.preset) }) : '–'
  return (
    <Labelled path={path} label={label} help={shape.description}>
      {(own) => (
        <select
          {...own}
          value={value}
          onChange={({ target }) => onChange(target.value === '' ? null : JSON.stringify(target.value))}
        >
          <option value="">{preset}</option>
          {[...new Set([...options, ...(value === '' ? [] : [value])])].map((one) => (
            <option key={one} value={one}>
              {option(one)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

function Switch({ path, label, shape, node, onChange }: LeafProps) {
  const preset = shape.preset === true
  const isOn = node === undefined ? preset : shown(node) === 'true'
  return (
    <Labelled path={path} label={label} help={shape.description}>
      {(own) => (
        <input
          {...own}
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => onChange(target.checked === preset ? null : String(target.checked))}
        />
      )}
    </Labelled>
  )
}
