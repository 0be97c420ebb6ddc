import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useVenues } from '../../../api/venues.js'
import { Empty, Waiting } from '../../../parts/states.js'
import { editDraft, useProgrammeDraft } from '../draft-store.js'
import { type Remark, Remarks, useRemarks } from '../remarks.js'
import { withCopy, withNewEntry } from './edits.js'
import { AddEntryDialog, type DocumentPart, Entries, namesIn } from './entries.js'
import { ObjectFields } from './fields.js'
import styles from './form.module.css'
import { type FormOf, FormProvider, fieldId, useFieldWords, useSchema } from './form-context.js'
import { itemsOf, type Node, type Path, readJson, readPath, without } from './json-text.js'
import { type Schema, shapeOf } from './schema.js'
import { useIds, useUnits } from './use-ids.js'

export function FormScreen() {
  const draft = useProgrammeDraft()
  const schema = useSchema()
  if (draft === null) return null
  if (!schema.isSuccess) return <Waiting query={schema} />
  return <Form text={draft.text} schema={schema.data} />
}

function Form({ text, schema }: { readonly text: string; readonly schema: Schema }) {
  const { t } = useFieldWords()
  const said = useRemarks(text)
  const top = useMemo(() => readJson(text), [text])
  const { idsFor, selectable } = useIds(top)
  const unitOf = useUnits(top)
  const zone = useVenues()[0]?.timeZone
  const { remarks } = said
  const form: FormOf = useMemo(
    () => ({ schema, text, edit: editDraft, remarks, idsFor, selectable, unitOf, zone }),
    [schema, text, remarks, idsFor, selectable, unitOf, zone],
  )
  const goTo = useGoTo()
  return (
    <FormProvider value={form}>
      <div className={styles['screen']}>
        {top?.kind === 'object' ? (
          <Document top={top} schema={schema} text={text} />
        ) : (
          <div className={styles['broken']}>
            <Empty why={t('form.broken')}>
              <Link to="/programme/draft/json">{t('draft.json')}</Link>
            </Empty>
          </div>
        )}
        <Remarks of={said} onGo={goTo} />
      </div>
    </FormProvider>
  )
}

function Document({ top, schema, text }: { readonly top: Node; readonly schema: Schema; readonly text: string }) {
  const { t, label } = useFieldWords()
  const navigate = useNavigate()
  const [taken, setTaken] = useState<Taken | null>(null)
  const [isAdding, setAdding] = useState(false)
  const { part: wanted = 'benefits', entry = 0 } = useSearch({ from: '/programme/draft/' })
  const parts = partsOf(schema, top)
  const part = parts.find(({ name }) => name === wanted) ?? parts[0]!
  const node = part.items[entry]
  const path = [part.name, entry]
  const go = (at: number) => navigate({ to: '/programme/draft', search: { part: part.name, entry: at } })
  const { title } = namesIn(node)
  return (
    <>
      <Entries parts={parts} part={part.name} entry={entry} onAdd={() => setAdding(true)} />
      {isAdding && (
        <AddEntryDialog
          list={part.name}
          item={part.item}
          onClose={() => setAdding(false)}
          onAdd={(added) => {
            setAdding(false)
            editDraft(withNewEntry(text, schema, part.item, { list: part.name, ...added }))
            void go(part.items.length)
          }}
        />
      )}
      <section className={styles['form']} aria-label={title}>
        {taken?.after === text && (
          <p role="status" className={styles['taken']}>
            {t('form.taken', { value: taken.title })}
            <button type="button" onClick={() => editDraft(taken.before)}>
              {t('form.undo')}
            </button>
          </p>
        )}
        {node === undefined ? (
          <Empty why={t('form.none', { part: label(part.name, 'programme') })}>{t('form.noneWhat')}</Empty>
        ) : (
          <>
            <header className={styles['head']}>
              <h2>{title}</h2>
              <button
                type="button"
                onClick={() => {
                  editDraft(withCopy(text, schema, part.item, path))
                  void go(entry + 1)
                }}
              >
                {t('form.copy')}
              </button>
              <button
                type="button"
                onClick={() => {
                  const after = without(text, path)
                  setTaken({ title, before: text, after })
                  editDraft(after)
                  void go(Math.max(0, entry - 1))
                }}
              >
                {t('form.remove')}
              </button>
            </header>
            <ObjectFields key={`${part.name}/${entry}`} path={path} node={node} schema={part.item} />
          </>
        )}
      </section>
    </>
  )
}

/** A removed entry, which can be restored until the next change. */
interface Taken {
  readonly title: string
  readonly before: string
  readonly after: string
}

function partsOf(schema: Schema, top: Node): readonly (DocumentPart & { readonly item: Schema })[] {
  const shape = shapeOf(schema, schema, top)
  const fields = shape.kind === 'object' ? shape.fields : []
  return fields.flatMap((field) => {
    const own = shapeOf(schema, field.schema, undefined)
    if (own.kind !== 'list') return []
    return [{ name: field.name, item: own.item, items: itemsOf(top, [field.name]) }]
  })
}

/** Goes to the field of a fault, or to the nearest existing one. */
function useGoTo() {
  const navigate = useNavigate()
  const wanted = useRef<Path | null>(null)
  const [, setCount] = useState(0)
  useEffect(() => {
    const path = wanted.current
    if (path === null) return
    for (let length = path.length; length > 0; length -= 1) {
      const element = document.getElementById(fieldId(path.slice(0, length)))
      if (element === null) continue
      wanted.current = null
      element.scrollIntoView({ block: 'center' })
      element.focus()
      return
    }
  })
  return ({ path: text }: Remark) => {
    const path = readPath(text)
    const [part, entry] = path
    wanted.current = path
    setCount((count) => count + 1)
    if (typeof part === 'string' && typeof entry === 'number') {
      void navigate({ to: '/programme/draft', search: { part, entry } })
    }
  }
}
