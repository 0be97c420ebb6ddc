import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/controls.js'
import { Picker } from '../../../parts/picker.js'
import styles from './builder.module.css'
import { type At, fieldId, Help, Said, SaidAll, useFieldWords, useForm } from './builder-context.js'
import { partJson, withField, withNewItem } from './edits.js'
import { find, type Node, pathText, without, withValue } from './json-text.js'
import { Choices, Leaf, type LeafProps, shown, Texts, textsOf } from './leaf.js'
import { type Field, firstValue, isOwnName, type Schema, type Shape, shapeOf } from './schema.js'
import { readFieldValue, type Selectable, selectorLists } from './use-ids.js'

const itemsShown = 20

interface OfSchema extends At {
  readonly schema: Schema
}

export function ObjectFields({ path, node, schema }: OfSchema) {
  const { schema: root, text, edit } = useForm()
  const { t, label } = useFieldWords()
  const shape = shapeOf(root, schema, node)
  if (shape.kind !== 'object') return null
  const isSwitch = ({ name }: Field) => name === 'enabled'
  const fields = [...shape.fields.filter(isSwitch), ...shape.fields.filter((field) => !isSwitch(field))]
    .filter(({ name }) => !name.startsWith('$'))
    .map((field) => {
      const own = present(find(node, [field.name]))
      return { field, own, shape: shapeOf(root, field.schema, own, shape.within) }
    })
  // The search of a selector names what it has not: its empty lists are left out.
  const isSearched = ({ own, shape: its }: (typeof fields)[number]) =>
    own === undefined && shape.within === 'selector' && its.kind === 'texts'
  const isOffered = (one: (typeof fields)[number]) => isSearched(one) || (one.own === undefined && isPart(one.shape))
  const change = (field: Field, json: string | null) => edit(withField(text, root, schema, { path, field, json }))
  const offered = fields.filter((one) => isOffered(one) && !isSearched(one) && one.shape.kind !== 'free')
  const listNode = (name: string) => fields.find(({ field }) => field.name === name)
  return (
    <>
      {shape.within === 'selector' && (
        <SelectorPicker
          has={({ list, id }) => hasOne(find(node, [list]), list, id)}
          onPick={({ list, id }) => {
            const its = listNode(list)
            if (its === undefined) return
            if (list !== 'fields') return change(its.field, JSON.stringify([...textsOf(its.own), id]))
            const [name, value] = readFieldValue(id)
            const values = textsOf(find(its.own, [name]))
            edit(withValue(text, [...path, 'fields', name], JSON.stringify([...values, value])))
          }}
        />
      )}
      <div className={styles['fields']}>
        {fields
          .filter((one) => !isOffered(one))
          .map(({ field, own, shape: its }) => (
            <OneField
              key={field.name}
              field={field}
              label={label(field.name, shape.within)}
              path={[...path, field.name]}
              node={own}
              shape={its}
              onChange={(json) => change(field, json)}
            />
          ))}
      </div>
      <Rest path={path} node={node} shown={fields.filter((one) => !isOffered(one)).map(({ field }) => field.name)} />
      {offered.length > 0 && (
        <div className="flow">
          {offered.map(({ field, shape: its }) => (
            <button
              key={field.name}
              type="button"
              title={its.description}
              onClick={() => change(field, partJson(text, root, field.schema, [...path, field.name]))}
            >
              {t('form.addPart', { part: label(field.name, shape.within) })}
            </button>
          ))}
        </div>
      )}
    </>
  )
}

interface OneFieldProps extends At {
  readonly field: Field
  readonly label: string
  readonly shape: Shape
  readonly onChange: (json: string | null) => void
}

export function OneField({ field, ...props }: OneFieldProps) {
  const { label, path, node, shape, onChange } = props
  const { schema: root } = useForm()
  const leaf: LeafProps = { ...props, name: field.name, isOwnName: isOwnName(root, field) }
  if (!fits(shape, node)) return <Raw {...leaf} />
  if (shape.kind === 'texts') return <Texts {...leaf} />
  if (shape.kind === 'choices') return <Choices {...leaf} options={shape.options} />
  if (shape.kind === 'variants') return <Variants {...leaf} words={shape.words} fields={shape.fields} />
  if (!isPart(shape)) return <Leaf {...leaf} />
  return (
    <fieldset className={styles['part']} id={fieldId(path)} tabIndex={-1}>
      <legend>{label}</legend>
      <PartHead shape={shape} onTake={field.isRequired ? null : () => onChange(null)} label={label} />
      {shape.kind === 'list' && <Items path={path} node={node} item={shape.item} label={label} />}
      {shape.kind === 'object' && <ObjectFields path={path} node={node} schema={field.schema} />}
      {shape.kind === 'free' && <RawText node={node} />}
    </fieldset>
  )
}

interface PartHeadProps {
  readonly shape: Shape
  readonly label: string
  /** null: it is required. */
  readonly onTake: (() => void) | null
}

function PartHead({ shape, label, onTake }: PartHeadProps) {
  const { t } = useFieldWords()
  return (
    <div className={styles['partHead']}>
      <Help text={shape.description} />
      {onTake !== null && (
        <Button data-plain aria-label={t('form.take', { value: label })} onClick={onTake} text={t('form.remove')} />
      )}
    </div>
  )
}

interface ItemsProps extends At {
  readonly item: Schema
  readonly label: string
}

function Items({ path, node, item, label }: ItemsProps) {
  const { schema: root, text, edit } = useForm()
  const { t } = useFieldWords()
  const [count, setCount] = useState(itemsShown)
  const items = node?.kind === 'list' ? node.items : []
  const take = (at: number) => edit(without(text, items.length === 1 ? path : [...path, at]))
  return (
    <>
      {items.slice(0, count).map((one, at) => {
        const name = t('form.item', { list: label, number: at + 1 })
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a document have no other name
          <fieldset key={at} className={styles['item']} id={fieldId([...path, at])} tabIndex={-1}>
            <legend>{name}</legend>
            <Button
              data-plain
              aria-label={t('form.take', { value: name })}
              onClick={() => take(at)}
              text={t('form.remove')}
            />
            {one.kind === 'object' ? (
              <ObjectFields path={[...path, at]} node={one} schema={item} />
            ) : (
              <RawText node={one} />
            )}
          </fieldset>
        )
      })}
      <div className="flow">
        {items.length > count && (
          <Button onClick={() => setCount(count + itemsShown)} text={t('form.more', { count: items.length - count })} />
        )}
        <Button onClick={() => edit(withNewItem(text, root, item, path))} text={t('form.addItem')} />
      </div>
    </>
  )
}

interface VariantsProps extends LeafProps {
  readonly words: readonly string[]
  readonly fields: readonly Field[]
}

function Variants({ path, node, label, shape, words, fields, onChange }: VariantsProps) {
  const { schema: root, text, edit } = useForm()
  const { option, label: fieldLabel } = useFieldWords()
  const held = node?.kind === 'object' ? node.members.find(({ name }) => fields.some((one) => one.name === name)) : null
  const chosen = held == null ? shown(node) : held.name
  const field = fields.find(({ name }) => name === chosen)
  const choose = (value: string) => {
    const next = fields.find(({ name }) => name === value)
    if (value === '') onChange(null)
    else if (next === undefined) onChange(JSON.stringify(value))
    else onChange(`{ ${JSON.stringify(value)}: ${JSON.stringify(firstValue(root, next.schema) ?? null)} }`)
  }
  const asChoice = { ...shape, kind: 'choice' as const, options: [...words, ...fields.map(({ name }) => name)] }
  return (
    <fieldset className={styles['variants']}>
      <legend className="hidden">{label}</legend>
      <div className={styles['fields']}>
        <Leaf
          {...{ path, label, name: label, isOwnName: true }}
          node={{ kind: 'text', start: 0, end: 0, value: chosen }}
          shape={asChoice}
          onChange={(json) => choose(json === null ? '' : String(JSON.parse(json)))}
        />
        {held != null && field !== undefined && (
          <OneField
            field={field}
            label={fieldLabel(field.name, shape.within) || option(field.name)}
            path={[...path, field.name]}
            node={present(held.value)}
            shape={shapeOf(root, field.schema, held.value, shape.within)}
            onChange={(json) => edit(withField(text, root, { type: 'object' }, { path, field, json: json ?? 'null' }))}
          />
        )}
      </div>
      <span className="hidden">{shape.description}</span>
    </fieldset>
  )
}

/** Fields of an object that the form does not have, which stay as they are, and the service's remarks on them or on missing ones. */
function Rest({ path, node, shown: names }: At & { readonly shown: readonly string[] }) {
  const { remarks } = useForm()
  const { t } = useFieldWords()
  const foreign = node?.kind === 'object' ? node.members.filter(({ name }) => !names.includes(name)) : []
  const kept = foreign.filter(({ name, value }) => present(value) !== undefined && !name.startsWith('$'))
  const own = pathText(path)
  const fields = names.map((name) => pathText([...path, name]))
  const isBelow = (at: string, top: string) => at === top || at.startsWith(`${top}.`) || at.startsWith(`${top}[`)
  const said = remarks.filter(
    ({ path: at }) => own !== '' && isBelow(at, own) && !fields.some((field) => isBelow(at, field)),
  )
  return (
    <>
      <SaidAll remarks={said} />
      {kept.length > 0 && (
        <p className="muted small">
          {t('form.kept', { names: kept.map(({ name }) => name).join(', ') })}{' '}
          <Link to="/programme/draft/json">{t('draft.json')}</Link>
        </p>
      )}
    </>
  )
}

/** A value of another type than its field: the form leaves it as it is. */
function Raw({ path, label, node, onChange }: LeafProps) {
  const { t } = useFieldWords()
  return (
    <fieldset className={styles['part']} id={fieldId(path)} tabIndex={-1}>
      <legend>{label}</legend>
      <RawText node={node} />
      <Said path={path} />
      <Button onClick={() => onChange(null)} text={t('form.remove')} />
    </fieldset>
  )
}

function RawText({ node }: { readonly node: Node | undefined }) {
  const { text } = useForm()
  return node === undefined ? null : <pre className={styles['raw']}>{text.slice(node.start, node.end)}</pre>
}

function hasOne(node: Node | undefined, list: Selectable['list'], id: string): boolean {
  if (list !== 'fields') return textsOf(node).includes(id)
  const [name, value] = readFieldValue(id)
  return textsOf(find(node, [name])).includes(value)
}

/** null counts as absent. */
function present(node: Node | undefined): Node | undefined {
  return node?.kind === 'plain' && node.value === 'null' ? undefined : node
}

function isPart({ kind }: Shape): boolean {
  return kind === 'object' || kind === 'list' || kind === 'free'
}

function fits({ kind }: Shape, node: Node | undefined): boolean {
  if (node === undefined) return true
  if (kind === 'object' || kind === 'free') return node.kind === 'object'
  if (kind === 'list') return node.kind === 'list'
  if (kind === 'texts' || kind === 'choices') {
    return node.kind === 'list' && node.items.every((item) => item.kind === 'text')
  }
  return kind === 'variants' ? node.kind !== 'list' : node.kind === 'text' || node.kind === 'plain'
}

interface SelectorPickerProps {
  readonly has: (one: Selectable) => boolean
  readonly onPick: (one: Selectable) => void
}

/** Takes names and ids of every kind that a selector can name; an unknown id is taken as the kind that is chosen. */
function SelectorPicker({ has, onPick }: SelectorPickerProps) {
  const { t, label } = useFieldWords()
  const { selectable } = useForm()
  const choiceOf = (one: Selectable) => {
    const [title, kind] = [one.name || one.id, label(one.list, 'selector')]
    return { one, key: `${one.list}/${one.id}`, title, detail: one.name === '' ? kind : `${one.id}, ${kind}` }
  }
  return (
    <Picker
      label={t('pick.label')}
      hint={t('pick.how')}
      choices={selectable.filter((one) => !has(one)).map(choiceOf)}
      choicesFor={(id) =>
        selectorLists
          .map((list) => ({ list, id, name: '' }))
          .filter((one) => !has(one) && !selectable.some((known) => known.list === one.list && known.id === id))
          .map(choiceOf)
          .map((choice) => ({ ...choice, detail: t('pick.unknown', { kind: choice.detail }) }))
      }
      onPick={({ one }) => onPick(one)}
    />
  )
}
