import { Link } from '@tanstack/react-router'
import { type FormEvent, memo, useState } from 'react'
import { Button, Dialog } from '../../../parts/controls.js'
import type { Remark } from '../remarks.js'
import styles from './builder.module.css'
import { useFieldWords, useForm } from './builder-context.js'
import { guides, kindsOf, type NewEntry, namingOf, newId } from './edits.js'
import { type Node, pathText, textIn } from './json-text.js'
import type { Schema } from './schema.js'

const entriesShown = 200
const filteredFrom = 12

/** The part for the fields of the document that are no lists. */
export const whole = 'programme'

export interface DocumentPart {
  readonly name: string
  readonly items: readonly Node[]
}

interface EntriesProps {
  readonly parts: readonly DocumentPart[]
  readonly part: string
  readonly entry: number
  readonly remarks: readonly Remark[]
  readonly onAdd: () => void
}

/** Kept while its parts are: a key press need not wait for the links. */
export const Entries = memo(function Entries({ parts, part, entry, remarks, onAdd }: EntriesProps) {
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
              {name !== whole && <span className="muted small">{items.length}</span>}
            </Link>
            {name === part && name !== whole && (
              <Listed part={name} items={items} entry={entry} remarks={remarks} onAdd={onAdd} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
})

interface ListedProps extends Omit<EntriesProps, 'parts'> {
  readonly items: readonly Node[]
}

function Listed({ part, items, entry, remarks, onAdd }: ListedProps) {
  const { t, label } = useFieldWords()
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
      <Button onClick={onAdd} text={t('form.addItem')} />
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
  const kinds = list === 'currencies' ? null : kindsOf(root, item)
  const choices = list === 'currencies' ? ['plain', ...Object.keys(guides)] : kinds?.kinds
  const [kind, setKind] = useState<string | undefined>()
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
        {choices !== undefined && (
          <fieldset className={styles['kinds']}>
            <legend>{kinds === null ? t('guide.title') : label(kinds.field.name, list)}</legend>
            {choices.map((one) => (
              <label key={one}>
                <input type="radio" name="kind" checked={one === kind} onChange={() => setKind(one)} />
                <span>
                  {kinds === null ? t.of('guide', one) : option(one)}
                  <span className="muted small">{kinds === null ? t.of('guideWhat', one) : t.of('kind', one)}</span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        <p className="muted small">{t(kinds === null ? 'add.what' : 'add.whatOff')}</p>
        <div className="end">
          <Button onClick={onClose} text={t('dialog.cancel')} />
          <Button
            type="submit"
            data-main
            disabled={name.trim() === '' || (choices !== undefined && kind === undefined)}
            text={t('form.addItem')}
          />
        </div>
      </form>
    </Dialog>
  )
}
