import { useId, useState } from 'react'
import { formatScaled } from '../../../parts/scaled.js'
import { readScaled } from '../../members/read-scaled.js'
import styles from './form.module.css'
import { useFieldWords, useForm } from './form-context.js'
import { Labelled } from './labelled.js'
import { type LeafProps, shown } from './leaf-props.js'
import { Moment } from './moment.js'
import type { Unit } from './unit-of.js'
import type { NamedId } from './use-ids.js'

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
export function Offers({ id, ids }: { readonly id: string; readonly ids: readonly NamedId[] }) {
  return (
    <datalist id={id}>
      {ids.map((one) => (
        <option key={one.id} value={one.id}>
          {one.name}
        </option>
      ))}
    </datalist>
  )
}

/**
 * A number, or an amount in its currency; what is typed and is none stands in the document as text until it is one, so that the service
 * says so.
 */
function Figure({ path, name, label, shape, node, onChange }: LeafProps) {
  const { t } = useFieldWords()
  const unit = useForm().unitOf({ name, description: shape.description, path })
  const [typed, setTyped] = useState<string | null>(null)
  const change = (text: string) => {
    setTyped(text)
    onChange(text.trim() === '' ? null : (jsonOf(text, unit) ?? JSON.stringify(text)))
  }
  const stands = node?.kind === 'plain' ? inUnits(node.value, unit, t.locale) : shown(node)
  return (
    <Labelled path={path} label={label} help={unit === null ? shape.description : withoutUnit(shape.description)}>
      {(own) => (
        <div className={styles['amount']}>
          <input
            {...own}
            inputMode="decimal"
            value={typed ?? stands}
            placeholder={shape.preset === undefined ? '' : String(shape.preset)}
            onChange={({ target }) => change(target.value)}
            onBlur={() => setTyped(null)}
          />
          {unit !== null && <span className="muted">{unit.name}</span>}
        </div>
      )}
    </Labelled>
  )
}

/** What the document counts in: whoever fills the form in types the currency itself. */
function withoutUnit(description: string): string {
  return description.replace(
    /,? in (?:minor units|(?:the )?smallest units(?: of the currency)?|units of 10\^-scale)/i,
    '',
  )
}

/** JSON of what is typed; null: it is no number. */
function jsonOf(text: string, unit: Unit | null): string | null {
  if (unit !== null) return readScaled(text, unit.digits)?.toString() ?? null
  return number.test(text.trim()) ? text.trim() : null
}

/** A number of the document as a person reads it. */
function inUnits(json: string, unit: Unit | null, locale: string): string {
  return unit === null || !/^-?\d+$/.test(json) ? json : formatScaled(BigInt(json), unit.digits, locale)
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
