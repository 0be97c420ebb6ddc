import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Button, Check } from '../../../parts/controls.js'
import { facetsOf } from '../describe/summary.js'
import { readDocument, useSaying } from '../describe/use-saying.js'
import styles from './builder.module.css'
import { fieldId, useFieldWords, useForm } from './builder-context.js'
import { withField } from './edits.js'
import { namesIn, whole } from './entries.js'
import { Examples } from './examples.js'
import { find, type Node, type Path, pathText, withoutComments } from './json-text.js'
import { type Open, Popover } from './popover.js'
import { fieldAt, type Schema } from './schema.js'
import { fieldsAt, Sentence } from './sentence.js'

interface EntryProps {
  readonly list: string
  readonly path: Path
  readonly node: Node
  readonly item: Schema
  /** The path of a remark to go to, in the document. */
  readonly wanted: Path | null
  readonly buttons: ReactNode
}

/** An entry of the programme, edited as its sentence. */
export function Entry({ list, path, node, item, wanted, buttons }: EntryProps) {
  const { schema: root, text, settled } = useForm()
  const { label } = useFieldWords()
  const [open, setOpen] = useState<Open | null>(null)
  const facets = facetsOf(list)
  const place = pathText(path)
  const documents = useMemo(() => [readDocument(withoutComments(settled)) ?? {}], [settled])
  const saying = useSaying(documents, true)
  useEffect(() => {
    if (wanted === null || pathText(wanted.slice(0, path.length)) !== place) return
    const own = wanted.slice(path.length)
    if (own.length === 0 || own[0] === '') return
    setOpen({ fields: fieldsAt(facets, own), anchor: null, isNew: false })
    if (own.length > 1) requestAnimationFrame(() => focusAt(wanted))
  }, [wanted, path.length, place, facets])
  const title = list === whole ? label(whole, '') : namesIn(node).title
  const named = ['text', 'name'].find((name) => fieldAt(root, item, node, [name]) !== null)
  return (
    <div className={styles['entry']}>
      <header className={styles['head']}>
        <h2>
          {named === undefined ? (
            title
          ) : (
            <Button
              data-plain
              data-fields={named}
              aria-haspopup="dialog"
              aria-label={`${label(named, list)}: ${title}`}
              onClick={({ currentTarget }) => setOpen({ fields: named, anchor: currentTarget, isNew: false })}
              text={title}
            />
          )}
        </h2>
        <Enabled path={path} node={node} item={item} />
        {buttons}
      </header>
      <Sentence list={list} {...{ node, item, facets, saying, open }} onOpen={setOpen} />
      {open !== null && <Popover key={open.fields} {...{ open, path, node, item }} onClose={() => setOpen(null)} />}
      {list === 'benefits' && <Examples text={text} entry={Number(path[1])} />}
    </div>
  )
}

function Enabled({ path, node, item }: Pick<EntryProps, 'path' | 'node' | 'item'>) {
  const { schema: root, text, edit } = useForm()
  const { label } = useFieldWords()
  const field = fieldAt(root, item, node, ['enabled'])
  if (field === null) return null
  const value = find(node, ['enabled'])
  return (
    <Check
      text={label('enabled', 'benefit')}
      checked={value?.kind !== 'plain' || value.value !== 'false'}
      onCheck={(isOn) => edit(withField(text, root, item, { path, field, json: isOn ? null : 'false' }))}
    />
  )
}

/** The field at a path, or the nearest around it that is on the screen. */
function focusAt(path: Path): void {
  for (let length = path.length; length > 2; length -= 1) {
    const element = document.getElementById(fieldId(path.slice(0, length)))
    if (element === null) continue
    element.scrollIntoView({ block: 'center' })
    element.focus()
    return
  }
}
