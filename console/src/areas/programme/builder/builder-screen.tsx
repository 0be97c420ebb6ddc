import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useVenues } from '../../../api/venues.js'
import { Button } from '../../../parts/controls.js'
import { Empty, Waiting } from '../../../parts/states.js'
import { useSettled } from '../../../parts/use-draft.js'
import { editDraft, useProgrammeDraft } from '../draft-store.js'
import { type Remark, Remarks, useRemarks } from '../remarks.js'
import styles from './builder.module.css'
import { type FormOf, FormProvider, useFieldWords, useForm, useSchema } from './builder-context.js'
import { type Guide, kindsOf, type NewEntry, withCopy, withGuide, withNewEntry } from './edits.js'
import { AddEntryDialog, type DocumentPart, Entries, namesIn, whole } from './entries.js'
import { Entry } from './entry.js'
import { find, itemsOf, type Node, type Path, readJson, readPath, textIn, without } from './json-text.js'
import { type Schema, shapeOf } from './schema.js'
import { useIds, useUnits } from './use-ids.js'

export function BuilderScreen() {
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
  // While one types, only the entry is read and shown anew.
  const settled = useSettled(text)
  const settledTop = useMemo(() => readJson(settled), [settled])
  const { idsFor, selectable } = useIds(settledTop)
  const unitOf = useUnits(top)
  const zone = useVenues()[0]?.timeZone
  const { remarks } = said
  const form: FormOf = useMemo(
    () => ({ schema, text, settled, edit: editDraft, remarks, idsFor, selectable, unitOf, zone }),
    [schema, text, settled, remarks, idsFor, selectable, unitOf, zone],
  )
  const { wanted, setWanted, goTo } = useGoTo(schema)
  return (
    <FormProvider value={form}>
      <div className={styles['screen']}>
        {top?.kind === 'object' ? (
          <Document {...{ top, settledTop, schema, text }} wantedField={wanted} onWanted={setWanted} />
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

interface DocumentProps {
  readonly top: Node
  /** As it was when typing last paused; null: no JSON. */
  readonly settledTop: Node | null
  readonly schema: Schema
  readonly text: string
  /** The field that a remark or a new entry asks for. */
  readonly wantedField: Path | null
  readonly onWanted: (path: Path) => void
}

function Document({ top, settledTop, schema, text, wantedField, onWanted }: DocumentProps) {
  const { t, label } = useFieldWords()
  const navigate = useNavigate()
  const [taken, setTaken] = useState<Taken | null>(null)
  const [isAdding, setAdding] = useState(false)
  const { part: wanted = 'benefits', entry = 0 } = useSearch({ from: '/programme/draft/' })
  const parts = partsOf(schema, top)
  const listed = useMemo(() => partsOf(schema, settledTop), [schema, settledTop])
  const add = useCallback(() => setAdding(true), [])
  const part = parts.find(({ name }) => name === wanted) ?? parts[0]!
  const node = part.items[part.name === whole ? 0 : entry]
  const path = part.name === whole ? [] : [part.name, entry]
  const go = (at: number) => navigate({ to: '/programme/draft', search: { part: part.name, entry: at } })
  const { title } = namesIn(node)
  return (
    <>
      <Entries parts={listed} part={part.name} entry={entry} remarks={useForm().remarks} onAdd={add} />
      {isAdding && (
        <AddEntryDialog
          list={part.name}
          item={part.item}
          onClose={() => setAdding(false)}
          onAdd={(added) => {
            setAdding(false)
            const next = withAdded(text, schema, part, added)
            editDraft(next)
            void go(part.items.length)
            onWanted([part.name, part.items.length, firstMissing(schema, part, next)])
          }}
        />
      )}
      <section className={styles['form']} aria-label={title}>
        {taken?.after === text && <TakenNote taken={taken} />}
        {node === undefined ? (
          <Empty why={t('form.none', { part: label(part.name, 'programme') })}>{t('form.noneWhat')}</Empty>
        ) : (
          <Entry
            key={`${part.name}/${entry}`}
            list={part.name}
            path={path}
            node={node}
            item={part.item}
            wanted={wantedField}
            buttons={
              part.name !== whole && (
                <EntryButtons
                  onCopy={() => {
                    editDraft(withCopy(text, schema, part.item, path))
                    void go(entry + 1)
                  }}
                  onRemove={() => {
                    const after = without(text, path)
                    setTaken({ title, before: text, after })
                    editDraft(after)
                    void go(Math.max(0, entry - 1))
                  }}
                />
              )
            }
          />
        )}
        {part.name === 'currencies' && <Together of={together(top, node)} parts={parts} wanted={wantedField} />}
      </section>
    </>
  )
}

interface TogetherProps {
  readonly of: ReturnType<typeof together>
  readonly parts: readonly EditedPart[]
  readonly wanted: Path | null
}

function Together({ of, parts, wanted }: TogetherProps) {
  return of.map(([list, at, node]) => (
    <Entry
      key={`${list}/${at}`}
      {...{ list, path: [list, at], node, wanted, buttons: null }}
      item={parts.find(({ name }) => name === list)!.item}
    />
  ))
}

function TakenNote({ taken: { title, before } }: { readonly taken: Taken }) {
  const { t } = useFieldWords()
  return (
    <p role="status" className={styles['taken']}>
      {t('form.taken', { value: title })}
      <Button onClick={() => editDraft(before)} text={t('form.undo')} />
    </p>
  )
}

interface EntryButtonsProps {
  readonly onCopy: () => void
  readonly onRemove: () => void
}

function EntryButtons({ onCopy, onRemove }: EntryButtonsProps) {
  const { t } = useFieldWords()
  return (
    <>
      <Button onClick={onCopy} text={t('form.copy')} />
      <Button onClick={onRemove} text={t('form.remove')} />
    </>
  )
}

type EditedPart = DocumentPart & { readonly item: Schema }

function withAdded(text: string, schema: Schema, { name: list, item }: EditedPart, entry: NewEntry): string {
  if (list !== 'currencies') return withNewEntry(text, schema, item, { list, ...entry })
  return withGuide(text, schema, entry.name, entry.kind === 'plain' ? null : (entry.kind as Guide))
}

/** The required fields that a new entry lacks, or its kind of reward. */
function firstMissing(schema: Schema, { name, item, items }: EditedPart, text: string): string {
  const node = find(readJson(text) ?? undefined, [name, items.length])
  const shape = shapeOf(schema, item, node)
  const required = shape.kind === 'object' ? shape.fields.filter(({ isRequired }) => isRequired) : []
  const missing = required.filter((field) => find(node, [field.name]) === undefined).map((field) => field.name)
  return missing.length > 0 ? missing.join() : (kindsOf(schema, item)?.field.name ?? '')
}

/** Entries that give, take or ask for a currency: its page has them all. */
function together(top: Node, currency: Node | undefined): readonly (readonly [string, number, Node])[] {
  const id = textIn(currency, 'currencyId')
  return ['earning', 'tiers', 'exchanges', 'benefits'].flatMap((list) =>
    itemsOf(top, [list]).flatMap((node, at) => {
      const named = [[], ['costs'], ['from'], ['to']].map((path) => textIn(find(node, path), 'currencyId'))
      return id !== '' && named.includes(id) ? [[list, at, node] as const] : []
    }),
  )
}

/** A removed entry, which can be restored until the next change. */
interface Taken {
  readonly title: string
  readonly before: string
  readonly after: string
}

function partsOf(schema: Schema, top: Node | null): readonly EditedPart[] {
  const shape = shapeOf(schema, schema, top ?? undefined)
  const fields = shape.kind === 'object' ? shape.fields : []
  const lists = fields.flatMap((field) => {
    const own = shapeOf(schema, field.schema, undefined)
    if (own.kind !== 'list') return []
    return [{ name: field.name, item: own.item, items: itemsOf(top, [field.name]) }]
  })
  return [...lists, { name: whole, item: schema, items: top === null ? [] : [top] }]
}

/** Goes to the entry of a remark, and opens the part that says its field. */
function useGoTo(schema: Schema) {
  const navigate = useNavigate()
  const [wanted, setWanted] = useState<Path | null>(null)
  const goTo = ({ path: text }: Remark) => {
    const path = readPath(text)
    const [part, entry] = path
    setWanted(path)
    if (typeof part === 'string' && typeof entry === 'number') {
      void navigate({ to: '/programme/draft', search: { part, entry } })
    } else if (shapeOf(schema, schema.properties?.[String(part)] ?? {}, undefined).kind !== 'list') {
      void navigate({ to: '/programme/draft', search: { part: whole } })
    }
  }
  const current = useRef(goTo)
  current.current = goTo
  return { wanted, setWanted, goTo: useCallback((remark: Remark) => current.current(remark), []) }
}
