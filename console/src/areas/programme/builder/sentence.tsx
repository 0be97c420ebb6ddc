import { Fragment, type ReactNode } from 'react'
import { type ProgrammePart, type Saying, type Segment, segmentsOf } from '../describe/saying.js'
import { entryText, type Facet } from '../describe/summary.js'
import styles from './builder.module.css'
import { useFieldWords, useForm } from './builder-context.js'
import { whole } from './entries.js'
import { find, type Node, pathText, readPath, valueAt } from './json-text.js'
import type { Open } from './popover.js'
import { type Schema, shapeOf } from './schema.js'

interface SentenceProps {
  readonly list: string
  readonly node: Node
  readonly item: Schema
  readonly facets: readonly Facet[]
  readonly saying: Saying
  readonly open: Open | null
  readonly onOpen: (open: Open) => void
}

/** Fields offered one by one; the others are below "more". */
const offeredMax = 5
/** Fields that the head of an entry has. */
const inHead = new Set(['text', 'name', 'enabled'])

/** An entry as its sentence: each part is a button that opens what it says, and what is not said is offered below. */
export function Sentence({ list, node, item, facets, saying, open, onOpen }: SentenceProps) {
  const { schema: root, text } = useForm()
  const { t, label } = useFieldWords()
  const part = valueAt(text, node) as ProgrammePart
  const isSaid = (name: string) => part[name] !== undefined && part[name] !== null
  const segments = said(saying, facets, part)
  const inFacets = new Set(facets.flatMap(({ fields }) => fields))
  const others = fieldsIn(root, item, node)
    // Lists of the document are parts of their own; free fields are added as JSON.
    .filter(({ kind }) => list !== whole || kind !== 'list')
    .filter(({ name, kind }) => isSaid(name) || kind !== 'free')
    .map(({ name }) => name)
    .filter((name) => !inFacets.has(name) && !inHead.has(name) && !name.startsWith('$'))
  const silent = facets
    .filter((facet) => !segments.some(({ fields }) => belongs(fields, facet.fields)))
    .map(({ fields }) => fields.join())
  const unsaid = [...silent, ...others.filter((name) => !isSaid(name))]
  const offered = unsaid.slice(0, offeredMax)
  const rest = unsaid.slice(offeredMax).join()
  const button = (fields: string, shown: ReactNode, props: object = {}) => (
    <PartButton {...{ fields, open, onOpen, ...props }}>{shown}</PartButton>
  )
  const row = (name: string) => {
    const shown = valueText(t.of, text, find(node, [name])!)
    return button(name, shown, { 'aria-label': `${label(name, list)}: ${shown}` })
  }
  return (
    <>
      {segments.length > 0 && (
        <p className={styles['sentence']} lang={t.language}>
          {segments.map((segment, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: segments have no other name
            <Fragment key={at}>
              {segment.fields === ''
                ? segment.text
                : button(segment.fields, segment.text, segment.isUnsaid ? { 'data-unsaid': true } : {})}
            </Fragment>
          ))}
          .
        </p>
      )}
      <dl className={styles['rows']}>
        {others.filter(isSaid).map((name) => (
          <div key={name}>
            <dt>{label(name, list)}</dt>
            <dd>{row(name)}</dd>
          </div>
        ))}
      </dl>
      {unsaid.length > 0 && (
        <p className="flow">
          {offered.map((fields) => (
            <Fragment key={fields}>
              {button(fields, t('builder.plus', { what: plusText(t.of, fields) }), {
                'data-plus': true,
                'data-plain': true,
              })}
            </Fragment>
          ))}
          {rest !== '' && button(rest, t('builder.more'), { 'data-plus': true, 'data-plain': true })}
        </p>
      )}
    </>
  )
}

interface PartButtonProps extends Pick<SentenceProps, 'open' | 'onOpen'> {
  readonly fields: string
  readonly children: ReactNode
}

function PartButton({ fields, open, onOpen, ...props }: PartButtonProps) {
  return (
    <button
      type="button"
      data-fields={fields}
      aria-haspopup="dialog"
      aria-expanded={open?.fields === fields}
      onClick={({ currentTarget }) =>
        onOpen({ fields, anchor: currentTarget, isNew: 'data-plus' in props || 'data-unsaid' in props })
      }
      {...props}
    />
  )
}

function fieldsIn(root: Schema, item: Schema, node: Node) {
  const shape = shapeOf(root, item, node)
  const fields = shape.kind === 'object' ? shape.fields : []
  return fields.map(({ name, schema }) => ({ name, kind: shapeOf(root, schema, undefined).kind }))
}

function said(saying: Saying, facets: readonly Facet[], part: ProgrammePart): readonly Segment[] {
  const segments = segmentsOf(entryText(saying, facets, part))
  return segments.map((segment, at) =>
    at === 0 ? { ...segment, text: upperFirst(segment.text, saying.t.locale) } : segment,
  )
}

function upperFirst(text: string, locale: string): string {
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1)
}

/** True for a segment of one of some fields, or of a part of one. */
function belongs(fields: string, own: readonly string[]): boolean {
  return fields !== '' && fields.split(',').some((field) => own.includes(String(readPath(field)[0])))
}

type Of = ReturnType<typeof useFieldWords>['t']['of']

function plusText(of: Of, fields: string): string {
  const [first = ''] = fields.split(',')
  const own = of('plus', first)
  return own === first ? of('field', first) : own
}

const rowCharactersMax = 60
const itemsShown = 3

/** A value in a few words: a text as it is, a list by its first items, an object by its values. */
function valueText(of: Of, text: string, node: Node): string {
  if (node.kind === 'text') return of('option', node.value)
  if (node.kind === 'plain') return node.value
  const values = node.kind === 'list' ? node.items : node.members.map(({ value }) => value)
  const shown = values.slice(0, itemsShown).map((value) => valueText(of, text, value))
  const whole = [...shown, ...(values.length > itemsShown ? [`… (${values.length})`] : [])].join(', ')
  return whole.length > rowCharactersMax ? `${whole.slice(0, rowCharactersMax)}…` : whole
}

/** The part of a sentence that says a field, by its path in the entry. */
export function fieldsAt(facets: readonly Facet[], path: readonly (string | number)[]): string {
  const [top = '', second] = path
  const own = facets.find(({ fields }) => fields.includes(String(top)))
  if (top === 'limits' && typeof second === 'number') return pathText([top, second])
  return own === undefined ? String(top) : own.fields.join()
}
