import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useWords } from '../i18n/words.js'
import styles from './picker.module.css'
import { place } from './place.js'

interface Choosable {
  readonly key: string
  readonly title: string
  /** Its id, or its kind. */
  readonly detail: string
  readonly isCurrent?: boolean
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
      isFruitless={isOpen && wanted !== '' && shown.length === 0}
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
      isFruitless={false}
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

type OwnProps = 'id' | 'name' | 'required' | 'disabled' | 'aria-label'

export interface SelectProps extends Pick<ComponentProps<'select'>, OwnProps> {
  /** Absent: `aria-label`, or a label of its id, names it. */
  readonly label?: ReactNode
  readonly options: readonly (readonly [value: string | number, text: ReactNode])[]
  /** Absent: it begins with `defaultValue`, and its form reads it by name. */
  readonly value?: string | number
  readonly defaultValue?: string | number
  readonly onText?: (text: string) => void
}

/** A choice from many, found by typing: a click or an arrow opens the list, Enter takes, Escape leaves. */
export function SearchSelect({ label, options, value, defaultValue = '', name, onText, ...props }: SelectProps) {
  const [own, setOwn] = useState(String(defaultValue))
  const [typed, setTyped] = useState<string | null>(null)
  const ownId = useId()
  const id = props.id ?? ownId
  const current = String(value ?? own)
  const choices = options.map(([key, text]) => {
    const [option, title] = [String(key), String(text)]
    return { key: option, title, detail: option === title ? '' : option, isCurrent: option === current }
  })
  const shown = choices.find(({ isCurrent }) => isCurrent)?.title ?? current
  const found = typed === null ? [] : matching(choices, typed, choices.length)
  return (
    <div className={styles['field']} data-field>
      {label !== undefined && <label htmlFor={id}>{label}</label>}
      <Listed
        {...props}
        id={id}
        className={styles['select']}
        floats
        shown={found}
        isFruitless={typed !== null && found.length === 0}
        first={typed ? 0 : -1}
        list={props['aria-label'] ?? String(label)}
        placeholder={shown}
        value={typed ?? (current === '' ? '' : shown)}
        onPick={({ key }) => {
          setTyped(null)
          setOwn(key)
          onText?.(key)
        }}
        onOpen={() => setTyped((before) => before ?? '')}
        onClose={() => setTyped(null)}
        onClick={() => setTyped((before) => before ?? '')}
        onBlur={() => setTyped(null)}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setTyped(target.value)}
      />
      {name !== undefined && <input type="hidden" name={name} value={current} />}
    </div>
  )
}

function matching<Choice extends Choosable>(
  choices: readonly Choice[],
  wanted: string,
  max = shownMax,
): readonly Choice[] {
  const typed = wanted.toLowerCase()
  return choices.filter(({ title, detail }) => `${title} ${detail}`.toLowerCase().includes(typed)).slice(0, max)
}

interface ListedProps<Choice extends Choosable> extends ComponentProps<'input'> {
  readonly shown: readonly Choice[]
  /** True: something was typed, and no choice has it. */
  readonly isFruitless: boolean
  /** The choice that Enter takes after typing; -1: none. */
  readonly first: 0 | -1
  /** The name of the list. */
  readonly list: string
  readonly onPick: (choice: Choice) => void
  /** True where the list lies over the page. */
  readonly floats?: boolean
  /** An arrow asks for the list. */
  readonly onOpen?: () => void
  /** Escape leaves the list. */
  readonly onClose?: () => void
}

/** An input with the choices that fit below it. */
function Listed<Choice extends Choosable>(props: ListedProps<Choice>) {
  const { shown, isFruitless, first, list, onPick, onChange, onOpen, onClose, floats, className, ...input } = props
  const t = useWords()
  const listId = useId()
  const box = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<number | null>(null)
  const at = moved ?? first
  const isOpen = shown.length > 0
  const panel = isOpen ? 'list' : isFruitless ? 'note' : null
  useFloating(box, panel, moved)
  const pick = (choice: Choice) => {
    setMoved(null)
    onPick(choice)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const chosen = shown[at]
    if (step !== 0 && !isOpen && onOpen !== undefined) onOpen()
    else if (step !== 0) setMoved((shown.length + Math.max(at, step === 1 ? -1 : 0) + step) % Math.max(1, shown.length))
    else if (event.key === 'Escape' && panel !== null && onClose !== undefined) {
      // This key press closes nothing else.
      event.stopPropagation()
      setMoved(null)
      onClose()
    } else if (event.key === 'Enter' && (chosen !== undefined || first === 0)) chosen !== undefined && pick(chosen)
    else return
    event.preventDefault()
  }
  return (
    <div ref={box} className={`${styles['picker']} ${className ?? ''}`}>
      <input
        {...input}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={shown[at] === undefined ? undefined : `${listId}/${at}`}
        onChange={(event) => {
          setMoved(null)
          onChange?.(event)
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div id={listId} role="listbox" aria-label={list} popover={floats ? 'manual' : undefined}>
          <Options {...{ shown, at, listId, onPick: pick }} />
        </div>
      )}
      {isFruitless && (
        <p role="status" className="muted small" popover={floats ? 'manual' : undefined}>
          {t('parts.noneFits')}
        </p>
      )}
    </div>
  )
}

/** Opens what floats below its box, and keeps its option in view. */
function useFloating(box: RefObject<HTMLDivElement | null>, shown: string | null, moved: number | null): void {
  useLayoutEffect(() => {
    const panel = box.current?.querySelector<HTMLElement>('[popover]')
    if (shown === null || !panel) return
    panel.style.minWidth = `${box.current!.offsetWidth}px`
    panel.showPopover()
    place(panel, box.current!)
    panel.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [box, shown])
  useLayoutEffect(() => {
    if (moved !== null) box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [box, moved])
}

interface OptionsProps<Choice extends Choosable> {
  readonly shown: readonly Choice[]
  readonly at: number
  readonly listId: string
  readonly onPick: (choice: Choice) => void
}

function Options<Choice extends Choosable>({ shown, at, listId, onPick }: OptionsProps<Choice>) {
  return shown.map((choice, place) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the search choose
    <div
      key={choice.key}
      id={`${listId}/${place}`}
      role="option"
      tabIndex={-1}
      aria-selected={place === at}
      aria-current={choice.isCurrent || undefined}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => onPick(choice)}
    >
      {choice.title} <span className="muted small">{choice.detail}</span>
    </div>
  ))
}
