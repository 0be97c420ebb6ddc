import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/controls.js'
import styles from './builder.module.css'
import { useFieldWords, useForm } from './builder-context.js'
import { withField, withNewItem } from './edits.js'
import { ObjectFields, OneField } from './fields.js'
import { find, isNull, type Node, type Path, readJson, readPath, without } from './json-text.js'
import { fieldAt, type Schema, schemaAt, shapeOf } from './schema.js'

export interface Open {
  /** Paths in the entry, with commas between them. */
  readonly fields: string
  readonly anchor: HTMLElement | null
  /** True where a list begins with a first item, which goes again if nothing is changed. */
  readonly isNew: boolean
}

interface PopoverProps {
  readonly open: Open
  /** The place of the entry. */
  readonly path: Path
  readonly node: Node
  readonly item: Schema
  readonly onClose: () => void
}

/** The fields of one part of an entry, below the part: Escape closes, and a click elsewhere. */
export function Popover({ open, path, node, item, onClose }: PopoverProps) {
  const { text, edit } = useForm()
  const { t } = useFieldWords()
  const own = useRef<HTMLDivElement>(null)
  const place = usePlace(own, open)
  const begun = useBegun(open, { path, node, item })
  const close = (isByKey: boolean) => {
    if (begun !== null && text === begun.after) edit(begun.before)
    onClose()
    if (isByKey) requestAnimationFrame(() => returnFocus(open))
  }
  useEffect(() => {
    const fields = [...own.current!.querySelectorAll<HTMLInputElement>('input, select, textarea')]
    const empty = fields.find(({ value, type }) => value === '' && type !== 'checkbox')
    ;(empty ?? fields[0] ?? own.current!.querySelector('button'))?.focus()
  }, [])
  const closeNow = useRef(close)
  closeNow.current = close
  useEffect(() => {
    const shut = ({ target }: Event) => {
      const isOwn = target instanceof Element && (own.current?.contains(target) || open.anchor?.contains(target))
      if (!isOwn) closeNow.current(false)
    }
    document.addEventListener('pointerdown', shut)
    return () => document.removeEventListener('pointerdown', shut)
  }, [open])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    event.stopPropagation()
    close(true)
  }
  return (
    <div
      ref={own}
      role="dialog"
      aria-label={t('builder.edit')}
      className={styles['popover']}
      style={place}
      onKeyDown={onKeyDown}
    >
      {open.fields.split(',').map((fields) => (
        <FieldsAt key={fields} own={readPath(fields)} path={path} node={node} item={item} />
      ))}
      <Button onClick={() => close(true)} text={t('builder.done')} />
    </div>
  )
}

/** Below its button, within the entry. */
function usePlace(own: RefObject<HTMLDivElement | null>, open: Open) {
  const [place, setPlace] = useState({ left: 0, top: 0 })
  useLayoutEffect(() => {
    const panel = own.current!
    const around = panel.parentElement!.getBoundingClientRect()
    const from = (open.anchor?.isConnected ? open.anchor : panel.parentElement!).getBoundingClientRect()
    const left = Math.max(0, Math.min(from.left - around.left, around.width - panel.offsetWidth))
    setPlace({ left, top: (open.anchor?.isConnected ? from.bottom : from.top) - around.top + 4 })
  }, [own, open])
  return place
}

function returnFocus({ fields }: Open): void {
  const [first = ''] = fields.split(/[,[]/)
  const selectors = [`[data-fields="${CSS.escape(fields)}"]`, `[data-fields^="${CSS.escape(first)}"]`]
  const back = selectors.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)])[0]
  back?.focus()
}

interface Begun {
  readonly before: string
  readonly after: string
}

/** Adds the first item of a list that is opened to be added. */
function useBegun({ fields, isNew }: Open, { path, node, item }: Pick<PopoverProps, 'path' | 'node' | 'item'>) {
  const { schema: root, text, edit } = useForm()
  const [begun] = useState((): Begun | null => {
    const field = fields.includes(',') ? null : fieldAt(root, item, node, readPath(fields))
    const shape = field === null ? null : shapeOf(root, field.schema, undefined)
    const at = [...path, ...readPath(fields)]
    if (!isNew || shape?.kind !== 'list' || find(readJson(text) ?? undefined, at) !== undefined) return null
    return { before: text, after: withNewItem(text, root, shape.item, at) }
  })
  useEffect(() => {
    if (begun !== null) edit(begun.after)
  }, [begun, edit])
  return begun
}

interface FieldsAtProps extends Pick<PopoverProps, 'path' | 'node' | 'item'> {
  /** The part's path in the entry. */
  readonly own: Path
}

function FieldsAt({ own, path, node, item }: FieldsAtProps) {
  const { schema: root, text, edit } = useForm()
  const { t, label } = useFieldWords()
  const at = [...path, ...own]
  const value = find(node, own)
  const above = own.slice(0, -1)
  const last = own.at(-1)
  const parent = schemaAt(root, item, node, above)
  if (parent === null) return null
  if (typeof last === 'number') {
    const shape = shapeOf(root, parent, undefined)
    if (shape.kind !== 'list') return null
    const isOnly = find(node, above)?.kind === 'list' && find(node, [...above, 1]) === undefined
    return (
      <>
        <ObjectFields path={at} node={value} schema={shape.item} />
        <Button onClick={() => edit(without(text, isOnly ? at.slice(0, -1) : at))} text={t('form.remove')} />
      </>
    )
  }
  const field = fieldAt(root, item, node, own)
  if (field === null) return null
  const shape = shapeOf(root, parent, find(node, above))
  const present = value === undefined || isNull(value) ? undefined : value
  return (
    <OneField
      field={field}
      label={label(field.name, shape.within)}
      path={at}
      node={present}
      shape={shapeOf(root, field.schema, present, shape.within)}
      onChange={(json) => edit(withField(text, root, parent, { path: at.slice(0, -1), field, json }))}
    />
  )
}
