import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../../../parts/controls.js'
import { kindsOf, type NewEntry, namingOf, newId } from './edits.js'
import styles from './form.module.css'
import { useFieldWords, useForm } from './form-context.js'
import { type Node, pathText, textIn } from './json-text.js'
import type { Schema } from './schema.js'

const entriesShown = 200
const filteredFrom = 12

export interface DocumentPart {
  readonly name: string
  readonly items: readonly Node[]
}

interface EntriesProps {
  readonly parts: readonly DocumentPart[]
  readonly part: string
  readonly entry: number
  readonly onAdd: () => void
}

export function Entries({ parts, part, entry, onAdd }: EntriesProps) {
  const { t, label } = useFieldWords()
  return (
    <nav className={styles['parts']} aria-label={t('form.parts')}>
      <ul>
        {parts.map(({ name, items }) => (
          <li key={name}>
            <Link
              to="/programme/draft"
              search={{ part: name }}
              className={styles['partLink']}
              aria-current={name === part ? 'true' : undefined}
            >
              <span>{label(name, 'programme')}</span>
              <span className="muted small">{items.length}</span>
            </Link>
            {name === part && <Listed part={name} items={items} entry={entry} onAdd={onAdd} />}
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface ListedProps {
  readonly part: string
  readonly items: readonly Node[]
  readonly entry: number
  readonly onAdd: () => void
}

function Listed({ part, items, entry, onAdd }: ListedProps) {
  const { t, label } = useFieldWords()
  const { remarks } = useForm()
  const [typed, setTyped] = useState('')
  const wanted = typed.trim().toLowerCase()
  const matching = items
    .map((node, at) => ({ at, ...namesIn(node) }))
    .filter(({ title, id }) => `${title} ${id}`.toLowerCase().includes(wanted))
  const faultsOf = (at: number) => {
    const own = pathText([part, at])
    return remarks.filter(({ isFault, path }) => isFault && (path === own || path.startsWith(`${own}.`))).length
  }
  return (
    <div className={styles['entries']}>
      <button type="button" onClick={onAdd}>
        {t('form.addItem')}
      </button>
      {items.length > filteredFrom && (
        <input
          type="search"
          value={typed}
          aria-label={t('form.find', { part: label(part, 'programme') })}
          placeholder={t('form.find', { part: label(part, 'programme') })}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <ul>
        {matching.slice(0, entriesShown).map(({ at, title, id }) => (
          <li key={at}>
            <Link
              to="/programme/draft"
              search={{ part, entry: at }}
              aria-current={at === entry ? 'page' : undefined}
              data-fault={faultsOf(at) > 0 || undefined}
            >
              <span className={styles['title']}>{title}</span>
              {id !== title && <span className="muted small">{id}</span>}
              {faultsOf(at) > 0 && <span className="lost small">{t('form.faults', { count: faultsOf(at) })}</span>}
            </Link>
          </li>
        ))}
      </ul>
      {matching.length > entriesShown && (
        <p className="muted small">{t('form.more', { count: matching.length - entriesShown })}</p>
      )}
    </div>
  )
}

export function namesIn(node: Node | undefined): { readonly title: string; readonly id: string } {
  const members = node?.kind === 'object' ? node.members : []
  const id = textIn(node, members.find(({ name }) => /^[a-z]+Id$/.test(name))?.name ?? '')
  return { title: textIn(node, 'text') || textIn(node, 'name') || id || '–', id }
}

interface AddEntryDialogProps {
  readonly list: string
  readonly item: Schema
  readonly onAdd: (entry: NewEntry) => void
  readonly onClose: () => void
}

export function AddEntryDialog({ list, item, onAdd, onClose }: AddEntryDialogProps) {
  const { schema: root, text } = useForm()
  const { t, label, option } = useFieldWords()
  const [name, setName] = useState('')
  const kinds = kindsOf(root, item)
  const [kind, setKind] = useState(kinds?.kinds[0])
  const { named, own } = namingOf(root, item)
  const id = newId(text, root, item, name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAdd({ name, kind })
  }
  return (
    <Dialog title={t('add.title', { part: label(list, 'programme') })} onClose={onClose}>
      <form onSubmit={submit} className={styles['add']}>
        <label>
          {label(named ?? own ?? '', list)}
          <input value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <p className="muted small">{t('add.id', { id: name.trim() === '' ? '…' : id })}</p>
        {kinds !== null && (
          <fieldset className={styles['kinds']}>
            <legend>{label(kinds.field.name, list)}</legend>
            {kinds.kinds.map((one) => (
              <label key={one}>
                <input type="radio" name="kind" checked={one === kind} onChange={() => setKind(one)} />
                <span>
                  {option(one)}
                  <span className="muted small">{t.of('kind', one)}</span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        <p className="muted small">{t(kinds === null ? 'add.what' : 'add.whatOff')}</p>
        <div className="end">
          <button type="button" onClick={onClose}>
            {t('dialog.cancel')}
          </button>
          <button type="submit" data-main disabled={name.trim() === ''}>
            {t('form.addItem')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
