import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import styles from './form.module.css'
import { useFieldWords, useForm } from './form-context.js'
import { find, type Node, pathText } from './json-text.js'

/** More are found by typing. */
const entriesShown = 200
/** A shorter list is seen whole. */
const filteredFrom = 12

/** A list at the top of the document, such as its benefits. */
export interface DocumentPart {
  readonly name: string
  readonly items: readonly Node[]
}

interface EntriesProps {
  readonly parts: readonly DocumentPart[]
  /** The name of the part that is shown. */
  readonly part: string
  readonly entry: number
  readonly onAdd: () => void
}

/** What the document consists of; the entries of one part by name, those with faults marked. */
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

/** What an entry is called: its text or name, else its id. */
export function namesIn(node: Node | undefined): { readonly title: string; readonly id: string } {
  const members = node?.kind === 'object' ? node.members : []
  const idName = members.find(({ name }) => /^[a-z]+Id$/.test(name))?.name ?? ''
  const text = (name: string) => {
    const value = find(node, [name])
    return value?.kind === 'text' ? value.value : ''
  }
  const id = text(idName)
  return { title: text('text') || text('name') || id || '–', id }
}
