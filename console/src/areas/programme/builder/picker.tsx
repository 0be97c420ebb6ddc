import { type KeyboardEvent, useId, useState } from 'react'
import styles from './builder.module.css'

interface Pick {
  readonly key: string
  readonly title: string
  /** Its id, or its kind. */
  readonly detail: string
}

interface PickerProps<Choice extends Pick> {
  readonly id?: string
  readonly label?: string
  readonly describedBy?: string
  readonly hint: string
  readonly choices: readonly Choice[]
  /** Choices for a text that none of those has. */
  readonly choicesFor?: (typed: string) => readonly Choice[]
  readonly onPick: (choice: Choice) => void
}

const shownMax = 8

/** A search by names and ids: the arrows choose, Enter takes, and an empty search shows the first ones. */
export function Picker<Choice extends Pick>(props: PickerProps<Choice>) {
  const { id, label, describedBy, hint, choices, choicesFor, onPick } = props
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const wanted = typed.trim().toLowerCase()
  const found = choices.filter(({ title, detail }) => `${title} ${detail}`.toLowerCase().includes(wanted))
  const shown = [...found.slice(0, shownMax), ...(wanted === '' ? [] : (choicesFor?.(typed.trim()) ?? []))]
  const pick = (choice: Choice | undefined) => {
    if (choice === undefined) return
    setTyped('')
    setAt(0)
    onPick(choice)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((shown.length + at + step) % Math.max(1, shown.length))
    else if (event.key === 'Enter') pick(shown[at])
    else return
    event.preventDefault()
  }
  const option = (place: number) => `${listId}/${place}`
  return (
    <div className={styles['picker']}>
      <input
        {...(id === undefined ? {} : { id })}
        role="combobox"
        type="search"
        aria-label={label}
        aria-describedby={describedBy}
        aria-autocomplete="list"
        aria-expanded={isOpen && shown.length > 0}
        aria-controls={listId}
        aria-activedescendant={isOpen && shown.length > 0 ? option(at) : undefined}
        placeholder={hint}
        value={typed}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={({ target }) => {
          setTyped(target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={label ?? hint} hidden={!isOpen || shown.length === 0}>
        {shown.map((choice, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the search choose
          <div
            key={choice.key}
            id={option(place)}
            role="option"
            tabIndex={-1}
            aria-selected={place === at}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(choice)}
          >
            {choice.title} <span className="muted small">{choice.detail}</span>
          </div>
        ))}
      </div>
    </div>
  )
}
