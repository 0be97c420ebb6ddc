import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useVenueDay } from '../api/venues.js'
import { useWords } from '../i18n/words.js'
import { Button } from '../parts/controls.js'
import styles from './day-field.module.css'
import { dayText, plusDays, plusMonths, readDay } from './days.js'
import { place } from './place.js'

type InputProps = Pick<ComponentProps<'input'>, 'id' | 'required' | 'title' | 'placeholder' | 'aria-label'>

interface DayFieldProps extends InputProps, Pick<ComponentProps<'input'>, 'aria-describedby' | 'aria-invalid'> {
  /** Absent: `aria-label` or a label of its id names it. */
  readonly label?: ReactNode
  /** `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM` where it has a time; '': none. */
  readonly value: string
  readonly onText: (text: string) => void
  readonly withTime?: boolean
}

/** A day as the language writes it, typed or chosen from a calendar; what is typed and no day is not valid. */
export function DayField({ label, value, onText, withTime = false, ...props }: DayFieldProps) {
  const t = useWords()
  const today = useVenueDay()
  const [typed, setTyped] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const ownId = useId()
  const id = props.id ?? ownId
  const read = (text: string) => readDay(text, { locale: t.locale, today, withTime })
  const isWrong = typed !== null && typed.trim() !== '' && read(typed) === null
  useEffect(() => input.current?.setCustomValidity(isWrong ? t('day.wrong') : ''), [isWrong, t])
  const change = (text: string, isDone: boolean) => {
    const day = text.trim() === '' ? '' : read(text)
    setTyped(isDone && day !== null ? null : text)
    // While it is typed, `1.1` may become `1.12`.
    if (day !== null && day !== value && (isDone || day === '' || /\d{4}/.test(text))) onText(day)
  }
  const choose = (day: string) => {
    setTyped(null)
    onText(withTime ? `${day}T${value.slice(11) || '00:00'}` : day)
    input.current?.focus()
  }
  const leave = (isEnd: boolean) => typed !== null && isEnd && change(typed, true)
  return (
    <span className={styles['field']} data-field>
      {label !== undefined && <label htmlFor={id}>{label}</label>}
      <span className={styles['box']}>
        <input
          placeholder={t(withTime ? 'day.hintTime' : 'day.hint')}
          {...props}
          ref={input}
          id={id}
          autoComplete="off"
          aria-invalid={isWrong || props['aria-invalid']}
          value={typed ?? dayText(value, t.locale)}
          onChange={({ target }) => change(target.value, false)}
          onBlur={() => leave(true)}
          onKeyDown={({ key }) => leave(key === 'Enter')}
        />
        <Calendar day={read(value)?.slice(0, 10) ?? ''} today={today} onDay={choose} />
      </span>
    </span>
  )
}

interface FormDayFieldProps extends Omit<DayFieldProps, 'value' | 'onText'> {
  readonly name: string
  readonly first?: string
}

/** One that its form reads by name. */
export function FormDayField({ name, first = '', ...props }: FormDayFieldProps) {
  const [value, setValue] = useState(first)
  return (
    <>
      <DayField {...props} value={value} onText={setValue} />
      <input type="hidden" name={name} value={value} />
    </>
  )
}

interface CalendarProps {
  readonly day: string
  readonly today: string
  readonly onDay: (day: string) => void
}

/** Days or months that a key moves by. */
const steps: Readonly<Record<string, (day: string) => string>> = {
  ArrowLeft: (day) => plusDays(day, -1),
  ArrowRight: (day) => plusDays(day, 1),
  ArrowUp: (day) => plusDays(day, -7),
  ArrowDown: (day) => plusDays(day, 7),
  PageUp: (day) => plusMonths(day, -1),
  PageDown: (day) => plusMonths(day, 1),
}

/** A button that opens a month below it. */
function Calendar({ day, today, onDay }: CalendarProps) {
  const t = useWords()
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const [at, setAt] = useState<string | null>(null)
  const focus = () => panel.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  const close = () => panel.current?.hidePopover()
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.target instanceof HTMLElement && event.target.matches('td button') ? steps[event.key] : undefined
    if (step !== undefined) {
      setAt(step(at ?? today))
      requestAnimationFrame(focus)
    } else if (event.key === 'Escape') {
      close()
      opener.current?.focus()
    } else return
    // It is no key of the screen below.
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <button ref={opener} type="button" data-plain popoverTarget={id} aria-label={t('day.choose')}>
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M1 5.5h12M4 .5v3M10 .5v3M1 2.5h12v10.5H1z" />
        </svg>
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={t('day.choose')}
        className={styles['calendar']}
        onKeyDown={onKeyDown}
        onToggle={({ newState }) => {
          setAt(newState === 'open' ? day || today : null)
          if (newState !== 'open') return
          place(panel.current!, opener.current!)
          requestAnimationFrame(focus)
        }}
      >
        {at !== null && (
          <Month
            at={at}
            day={day}
            today={today}
            onAt={setAt}
            onDay={(chosen) => {
              close()
              onDay(chosen)
            }}
          />
        )}
      </div>
    </>
  )
}

interface MonthProps extends CalendarProps {
  /** The day with the focus; its month is shown. */
  readonly at: string
  readonly onAt: (day: string) => void
}

const weeksShown = 6

function Month({ at, day, today, onAt, onDay }: MonthProps) {
  const t = useWords()
  const utc = (text: string) => new Date(`${text}T00:00Z`)
  const format = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(t.locale, { ...parts, timeZone: 'UTC' })
  const [name, weekday, full] = [
    format({ month: 'long', year: 'numeric' }),
    format({ weekday: 'narrow' }),
    format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  ]
  const first = `${at.slice(0, 8)}01`
  const monday = plusDays(first, -((utc(first).getUTCDay() + 6) % 7))
  const week = (number: number) => Array.from({ length: 7 }, (_, place) => plusDays(monday, 7 * number + place))
  return (
    <>
      <div className={styles['head']}>
        <button type="button" data-plain aria-label={t('day.before')} onClick={() => onAt(plusMonths(at, -1))}>
          ‹
        </button>
        <span aria-live="polite">{name.format(utc(at))}</span>
        <button type="button" data-plain aria-label={t('day.after')} onClick={() => onAt(plusMonths(at, 1))}>
          ›
        </button>
      </div>
      <table>
        <thead>
          <tr>
            {week(0).map((each) => (
              <th key={each} scope="col">
                {weekday.format(utc(each))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: weeksShown }, (_, number) => week(number)).map((days) => (
            <tr key={days[0]}>
              {days.map((each) => (
                <td key={each}>
                  <Button
                    data-plain
                    tabIndex={each === at ? 0 : -1}
                    aria-label={full.format(utc(each))}
                    aria-pressed={each === day}
                    aria-current={each === today ? 'date' : undefined}
                    data-other={each.slice(0, 7) !== at.slice(0, 7) || undefined}
                    onClick={() => onDay(each)}
                    text={Number(each.slice(8))}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
