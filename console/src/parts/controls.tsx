import { createLink } from '@tanstack/react-router'
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react'
import { useMay } from '../api/use-commands.js'
import { useVenues } from '../api/venues.js'
import { useWords } from '../i18n/words.js'
import styles from './command-dialog.module.css'
import { SearchSelect, type SelectProps } from './picker.js'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly text: ReactNode
}

export function Button({ text, ...props }: ButtonProps) {
  return (
    <button type="button" {...props}>
      {text}
    </button>
  )
}

interface AnchorProps extends Omit<ComponentProps<'a'>, 'children'> {
  readonly text: ReactNode
}

/** A link of the router. */
export const TextLink = createLink(({ text, ...props }: AnchorProps) => <a {...props}>{text}</a>)

/** To where venues are added; only for those who publish. */
export function FirstVenue() {
  const t = useWords()
  if (!useMay()('ProgrammeService/PublishProgramme')) return t('venues.emptyWhat')
  return <TextLink to="/programme/draft" search={{ part: 'venues' }} text={t('venues.addFirst')} />
}

interface FieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: ReactNode
  readonly onText?: (text: string) => void
}

export function Field({ label, onText, ...props }: FieldProps) {
  return (
    <label>
      {label}
      <input onChange={({ target }) => onText?.(target.value)} {...props} />
    </label>
  )
}

/** Options from which on the list is searched. */
const searchedFrom = 13

export function Select(props: SelectProps) {
  if (props.options.length >= searchedFrom) return <SearchSelect {...props} />
  const { label, options, onText, ...own } = props
  const select = (
    <select onChange={({ target }) => onText?.(target.value)} {...own}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
  if (label === undefined) return select
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the select is one
    <label>
      {label}
      {select}
    </label>
  )
}

interface CheckProps {
  readonly text: ReactNode
  readonly checked: boolean
  readonly onCheck: (isChecked: boolean) => void
  readonly className?: string | undefined
}

export function Check({ text, checked, onCheck, className }: CheckProps) {
  return (
    <label className={className}>
      <input type="checkbox" checked={checked} onChange={({ target }) => onCheck(target.checked)} />
      {text}
    </label>
  )
}

interface MenuProps {
  readonly title: ReactNode
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function Menu({ title, className, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const shut = (event: Event) => {
      const { current } = menu
      const isWithin = event.target instanceof Node && current?.contains(event.target)
      if (current?.open && !isWithin) current.open = false
    }
    document.addEventListener('pointerdown', shut)
    document.addEventListener('focusin', shut)
    return () => {
      document.removeEventListener('pointerdown', shut)
      document.removeEventListener('focusin', shut)
    }
  }, [])
  return (
    <details
      ref={menu}
      className={className}
      onKeyDown={(event) => {
        const { current } = menu
        if (event.key !== 'Escape' || !current?.open) return
        // This key press closes nothing else.
        event.preventDefault()
        current.open = false
        current.querySelector('summary')?.focus()
      }}
    >
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  )
}

interface VenueSelectProps {
  /** Absent: only read out. */
  readonly label?: string
  readonly value: string
  /** '' for any. */
  readonly onText: (venueId: string) => void
}

export function VenueSelect({ label, ...props }: VenueSelectProps) {
  const t = useWords()
  const venues = useVenues().map(({ venueId, name }) => [venueId, name || venueId] as const)
  const options = [['', t('filter.anyVenue')] as const, ...venues]
  return (
    <Select {...(label === undefined ? { 'aria-label': t('sale.venue') } : { label })} {...props} options={options} />
  )
}

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
}

/** A dialog that holds the focus, and returns it at its end; Escape closes it. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => {
      // Escape has returned it already, and it may have moved on since.
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} className={styles['dialog']} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  )
}
