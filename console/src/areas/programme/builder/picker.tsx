import { type ComponentProps, type KeyboardEvent, useId, useState } from 'react'
import styles from './builder.module.css'

interface Choosable {
  readonly key: string
  readonly title: string
  /** Its id, or its kind. */
  readonly detail: string
}

interface PickerProps<Choice extends Choosable> {
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
export function Picker<Choice extends Choosable>(props: PickerProps<Choice>) {
  const { id, label, describedBy, hint, choices, choicesFor, onPick } = props
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const wanted = typed.trim()
  const shown = [...matching(choices, wanted), ...(wanted === '' ? [] : (choicesFor?.(wanted) ?? []))]
  return (
    <Listed
      shown={isOpen ? shown : []}
      first={0}
      list={label ?? hint}
      onPick={(choice) => {
        setTyped('')
        onPick(choice)
      }}
      {...{ id, type: 'search', 'aria-label': label, 'aria-describedby': describedBy, placeholder: hint, value: typed }}
      onFocus={() => setOpen(true)}
      onBlur={() => setOpen(false)}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}

interface SuggestedProps extends Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choosable[]
  readonly onText: (text: string) => void
}

/** A text, any or one of those that fit what is typed. */
export function Suggested({ label, value, choices, onText, ...props }: SuggestedProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Listed
      {...props}
      shown={isOpen ? matching(choices, value) : []}
      first={-1}
      list={label}
      value={value}
      onPick={({ key }) => {
        onText(key)
        setOpen(false)
      }}
      onClick={() => setOpen(value === '')}
      onBlur={() => setOpen(false)}
      onChange={({ target }) => {
        onText(target.value)
        setOpen(true)
      }}
    />
  )
}

function matching<Choice extends Choosable>(choices: readonly Choice[], wanted: string): readonly Choice[] {
  const typed = wanted.toLowerCase()
  return choices.filter(({ title, detail }) => `${title} ${detail}`.toLowerCase().includes(typed)).slice(0, shownMax)
}

interface ListedProps<Choice extends Choosable> extends ComponentProps<'input'> {
  readonly shown: readonly Choice[]
  /** The choice that Enter takes after typing; -1: none. */
  readonly first: 0 | -1
  /** The name of the list. */
  readonly list: string
  readonly onPick: (choice: Choice) => void
}

/** An input with the choices that fit below it. */
function Listed<Choice extends Choosable>({ shown, first, list, onPick, onChange, ...input }: ListedProps<Choice>) {
  const listId = useId()
  const [at, setAt] = useState<number>(first)
  const pick = (choice: Choice) => {
    setAt(first)
    onPick(choice)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const chosen = shown[at]
    if (step !== 0) setAt((shown.length + Math.max(at, step === 1 ? -1 : 0) + step) % Math.max(1, shown.length))
    else if (event.key === 'Enter' && (chosen !== undefined || first === 0)) chosen !== undefined && pick(chosen)
    else return
    event.preventDefault()
  }
  const option = (place: number) => `${listId}/${place}`
  return (
    <div className={styles['picker']}>
      <input
        {...input}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={shown.length > 0 ? listId : undefined}
        aria-activedescendant={shown[at] === undefined ? undefined : option(at)}
        onChange={(event) => {
          setAt(first)
          onChange?.(event)
        }}
        onKeyDown={onKeyDown}
      />
      {shown.length > 0 && (
        <div id={listId} role="listbox" aria-label={list}>
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
      )}
    </div>
  )
}
