import { remembered } from '../i18n/format-message.js'

const dayMs = 86_400_000

export function plusDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) + count * dayMs).toISOString().slice(0, 10)
}

/** The same day of another month, or its last one. */
export function plusMonths(day: string, count: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + count, 0))
  last.setUTCDate(Math.min(date, last.getUTCDate()))
  return last.toISOString().slice(0, 10)
}

/** `Tue, 1 Dec 2026`, with the time of one that has it; what is no day, as it is. */
export function dayText(value: string, locale: string): string {
  const moment = new Date(`${value.slice(0, 16)}Z`)
  if (Number.isNaN(moment.getTime())) return value
  return formatOf(`${locale} ${value.length > 10 ? 'time' : 'day'}`).format(moment)
}

const formatOf = remembered((key: string) => {
  const [locale, kind] = key.split(' ')
  return new Intl.DateTimeFormat(locale, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
    ...(kind === 'time' ? { hour: '2-digit', minute: '2-digit' } : {}),
  })
})

interface Language {
  readonly locale: string
  /** Its year is meant where none is typed. */
  readonly today: string
  readonly withTime: boolean
}

/**
 * Reads a typed day, such as `2026-12-01`, `1.12.2026`, `1/12`, `Tue 1 Dec` or `yesterday`; with a time also `1 Dec 14:30`, midnight where none is typed.
 *
 * @returns `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`; null: it is no day
 */
export function readDay(text: string, { locale, today, withTime }: Language): string | null {
  const [, typedDay = '', hour = '0', minute = '00'] = /^(.*?)(?:[\sT,]+(\d{1,2}):(\d{2}))?$/.exec(text.trim()) ?? []
  const day = dayIn(typedDay, locale, today)
  if (day === null || !(Number(hour) < 24 && Number(minute) < 60) || (!withTime && /:\d/.test(text))) return null
  return withTime ? `${day}T${hour.padStart(2, '0')}:${minute}` : day
}

function dayIn(text: string, locale: string, today: string): string | null {
  const near = nearDays(locale).indexOf(text.trim().toLowerCase())
  if (near !== -1) return plusDays(today, near - 1)
  const words = text.toLowerCase().match(/\p{L}+|\d+/gu) ?? []
  const { months, weekdays } = namesOf(locale)
  const numbers = words.filter((word) => /\d/.test(word))
  const names = words.filter((word) => !/\d/.test(word) && placeOf(weekdays, word) === -1)
  const month = names.length === 1 ? placeOf(months, names[0]!) + 1 : null
  if (names.length > 1 || month === 0 || numbers.length > 3) return null
  if (/^\d{4}-/.test(text)) numbers.reverse()
  const [date = '', ...rest] = numbers
  const [typedMonth = '', typedYear = today.slice(0, 4), ...more] = month === null ? rest : [String(month), ...rest]
  const year = typedYear.length === 2 ? `20${typedYear}` : typedYear
  const day = [year, typedMonth.padStart(2, '0'), date.padStart(2, '0')].join('-')
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && more.length === 0 && !Number.isNaN(Date.parse(day))
  return isDay && plusDays(day, 0) === day ? day : null
}

/** `yesterday`, `today` and `tomorrow` in the language. */
const nearDays = remembered((locale: string) => {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  return [-1, 0, 1].map((days) => format.format(days, 'day').toLowerCase())
})

/** The name that a word of three letters or more begins; -1: none. */
function placeOf(names: readonly string[], word: string): number {
  return word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word))
}

const namesOf = remembered((locale: string) => {
  const named = (part: Intl.DateTimeFormatOptions, dates: readonly Date[]) => {
    const format = new Intl.DateTimeFormat(locale, { ...part, timeZone: 'UTC' })
    return dates.map((date) => format.format(date).toLowerCase())
  }
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 1)))
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)))
  return { months: named({ month: 'long' }, months), weekdays: named({ weekday: 'long' }, days) }
})
