import { useState } from 'react'
import { Check, Select } from '../../../parts/controls.js'
import { DayField } from '../../../parts/day-field.js'
import { localOf, withLocal } from '../../../parts/offsets.js'
import { Picker, Suggested } from '../../../parts/picker.js'
import { formatScaled, readScaled } from '../../../parts/scaled.js'
import styles from './builder.module.css'
import { type At, fieldId, Help, Labelled, Said, useFieldWords, useForm } from './builder-context.js'
import { type Node, writeJson } from './json-text.js'
import type { Shape } from './schema.js'
import type { Unit } from './unit-of.js'
import type { NamedId } from './use-ids.js'

const number = /^-?(0|[1-9]\d*)(\.\d+)?$/

export function Leaf(props: LeafProps) {
  const { shape } = props
  if (shape.kind === 'choice') return <Choice {...props} options={shape.options} />
  if (shape.kind === 'switch') return <Switch {...props} />
  if (shape.kind === 'number') return <Figure {...props} />
  if (shape.kind === 'text' && shape.as === 'moment') return <Moment {...props} />
  return <Words {...props} />
}

function Words({ path, name, label, shape, node, onChange, isOwnName }: LeafProps) {
  const { t } = useFieldWords()
  const ids = useForm().idsFor(name)
  const type = (text: string) => onChange(text === '' ? null : JSON.stringify(text))
  const hint = shape.kind === 'text' && shape.as === 'time' ? t('form.time') : ''
  return (
    <Labelled path={path} label={label} help={shape.description}>
      {(own) =>
        isOwnName || ids.length === 0 ? (
          <input {...own} placeholder={hint} value={shown(node)} onChange={({ target }) => type(target.value)} />
        ) : (
          <Suggested {...own} label={label} value={shown(node)} choices={ids.map(choiceOf)} onText={type} />
        )
      }
    </Labelled>
  )
}

/** A number, or an amount in its currency; any other typed text stays in the document as text, so that the service reports it. */
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

function withoutUnit(description: string): string {
  return description.replace(
    /,? in (?:minor units|(?:the )?smallest units(?: of the currency)?|units of 10\^-scale)/i,
    '',
  )
}

/** JSON of the typed text; null: no number. */
function jsonOf(text: string, unit: Unit | null): string | null {
  if (unit !== null) return readScaled(text, unit.digits)?.toString() ?? null
  return number.test(text.trim()) ? text.trim() : null
}

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
        <Select
          {...own}
          value={value}
          onText={(text) => onChange(text === '' ? null : JSON.stringify(text))}
          options={[
            ['', preset],
            ...[...new Set([...options, ...(value === '' ? [] : [value])])].map((one) => [one, option(one)] as const),
          ]}
        />
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

/** A moment on the clock of the venue; the document has it with its offset, which is shown too. */
function Moment({ path, label, shape, node, onChange }: LeafProps) {
  const { zone } = useForm()
  const value = shown(node)
  const local = localOf(value)
  const typed = (text: string) => onChange(text === '' ? null : JSON.stringify(text))
  return (
    <Labelled path={path} label={label} help={shape.description}>
      {(own) =>
        value !== '' && local === null ? (
          <input {...own} value={value} onChange={({ target }) => typed(target.value)} />
        ) : (
          <div className={styles['pair']}>
            <DayField {...own} withTime value={local ?? ''} onText={(text) => typed(withLocal(value, text, zone))} />
            {value !== '' && <code className="muted small">{value}</code>}
          </div>
        )
      }
    </Labelled>
  )
}

export function Texts({ path, node, name, label, shape, onChange }: LeafProps) {
  const { t } = useFieldWords()
  const ids = useForm().idsFor(name)
  const values = textsOf(node)
  const nameOf = (value: string) => ids.find(({ id }) => id === value)?.name ?? ''
  const store = (next: readonly string[]) => onChange(next.length === 0 ? null : writeJson(next, path))
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
        <Picker
          id={fieldId(path)}
          describedBy={`${fieldId(path)}/help`}
          label={label}
          hint={t('form.addText')}
          choices={ids.filter(({ id }) => !values.includes(id)).map(choiceOf)}
          choicesFor={(typed) => (values.includes(typed) ? [] : [choiceOf({ id: typed, name: '' })])}
          onPick={({ key }) => store([...values, key])}
        />
      </div>
      <div id={`${fieldId(path)}/help`}>
        <Said path={path} />
        <Help text={shape.description} />
      </div>
    </div>
  )
}

function choiceOf({ id, name }: NamedId) {
  return { key: id, title: name || id, detail: name === '' ? '' : id }
}

export function Choices(props: LeafProps & { readonly options: readonly string[] }) {
  const { path, node, label, shape, onChange, options } = props
  const { option } = useFieldWords()
  const values = textsOf(node)
  return (
    <fieldset className={styles['field']} id={fieldId(path)} tabIndex={-1}>
      <legend>{label}</legend>
      <div className={styles['texts']}>
        {options.map((one) => (
          <Check
            key={one}
            text={option(one)}
            checked={values.includes(one)}
            onCheck={(isOn) => {
              const next = options.filter((other) => (other === one ? isOn : values.includes(other)))
              onChange(next.length === 0 ? null : JSON.stringify(next).replaceAll(',', ', '))
            }}
          />
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

export interface LeafProps extends At {
  readonly name: string
  readonly label: string
  readonly shape: Shape
  /** Receives the new JSON; null: none. */
  readonly onChange: (json: string | null) => void
  /** True when other fields refer to this one, so that no names of others are offered. */
  readonly isOwnName: boolean
}

export function shown(node: At['node']): string {
  return node === undefined || node.kind === 'object' || node.kind === 'list' ? '' : node.value
}
