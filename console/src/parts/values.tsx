import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { useState } from 'react'
import { nowMs } from '../api/clock.js'
import { useHouseZone, useVenues } from '../api/venues.js'
import { remembered } from '../i18n/format-message.js'
import { useWords, type Words } from '../i18n/words.js'
import { digitsOf, formatScaled } from './scaled.js'
import styles from './values.module.css'

interface MoneyProps {
  /** Minor units. */
  readonly minor: bigint | number
  readonly currency: string
  readonly withCurrency?: boolean | undefined
}

export function Money({ minor, currency, withCurrency = false }: MoneyProps) {
  const { locale } = useWords()
  const text = formatScaled(BigInt(minor), digitsOf(currency), locale)
  return <span>{withCurrency ? `${text} ${currency}` : text}</span>
}

interface AmountProps {
  readonly amount: bigint
  /** Decimals of the currency. */
  readonly scale: number
}

export function Change({ amount, scale }: AmountProps) {
  const { locale } = useWords()
  const text = formatScaled(amount, scale, locale)
  if (amount === 0n) return <span>{text}</span>
  return <span className={amount > 0n ? 'gained' : 'lost'}>{amount > 0n ? `+${text}` : text}</span>
}

export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000))
}

interface TimeProps {
  readonly at: Timestamp | Date | undefined
  /** The venue of the local time; absent: the zone of all venues, where they share one, else the computer's own. */
  readonly venueId?: string
  /** IANA name of a zone to show it in instead. */
  readonly zone?: string
  /** `time`: only the time; `day`: only the date; `lastDay`: the date of the last moment before; `full`: both, with the weekday. */
  readonly show?: Shown
}

type Shown = 'both' | 'full' | 'time' | 'day' | 'lastDay'

/** A moment in the local time of its venue, with its zone unless all venues share it; on hover also in UTC. */
export function Time({ at, venueId, zone, show = 'both' }: TimeProps) {
  const { locale } = useWords()
  const venues = useVenues()
  const houseZone = useHouseZone()
  const timeZone = zone || (venues.find((venue) => venue.venueId === venueId)?.timeZone ?? houseZone)
  const isPlain = venues.length > 0 && venues.every((venue) => venue.timeZone === timeZone)
  if (at === undefined) return null
  const moment = at instanceof Date ? at : dateOf(at)
  const date = show === 'lastDay' ? new Date(moment.getTime() - 1) : moment
  const format = formatOf(
    [locale, timeZone, show, isThisYear(date) ? 'short' : 'long', isPlain ? '' : 'zone'].join(' '),
  )
  return (
    <time dateTime={date.toISOString()} title={`${timeZone} (${date.toISOString()})`}>
      {format.format(date)}
    </time>
  )
}

const formatOf = remembered((key: string) => {
  const [locale, timeZone, show, year, zone] = key.split(' ')
  const day: Intl.DateTimeFormatOptions = {
    ...(show === 'both' ? {} : { weekday: 'short' }),
    day: '2-digit',
    month: 'short',
    ...(year === 'long' ? { year: 'numeric' } : {}),
  }
  const time: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    ...(show === 'time' ? { second: '2-digit' } : {}),
    ...(zone === 'zone' ? { timeZoneName: 'short' } : {}),
  }
  const parts = show === 'both' || show === 'full' ? { ...day, ...time } : show === 'time' ? time : day
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: timeZone! })
})

function isThisYear(date: Date): boolean {
  return date.getFullYear() === new Date(nowMs()).getFullYear()
}

interface BadgeProps {
  readonly text: string
  /** `live`: it acts now; `wrong`: someone should look; `past`: neither. */
  readonly tone: 'live' | 'wrong' | 'past'
}

/** A status. */
export function Badge({ text, tone }: BadgeProps) {
  return (
    <span className="badge" data-tone={tone}>
      {text}
    </span>
  )
}

const shownMax = 14
const edge = 4

export function shortened(id: string): string {
  return id.length <= shownMax ? id : `${id.slice(0, edge)}…${id.slice(-edge)}`
}

const copiedMs = 1_500

export function Id({ id }: { readonly id: string }) {
  const t = useWords()
  const [isCopied, setCopied] = useState(false)
  async function copy() {
    // Over plain HTTP a browser has no clipboard: the whole id is in the title then.
    if (navigator.clipboard === undefined) return
    await navigator.clipboard.writeText(id)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }
  return (
    <button type="button" data-plain className={styles['id']} title={id} onClick={() => void copy()}>
      <span>{isCopied ? t('id.copied') : shortened(id)}</span>
      <span className="hidden">{t('id.copy', { id })}</span>
    </button>
  )
}

type Enum = Readonly<Record<string, string | number>>

/** The word of the contract for a value of an enum, such as `member_not_found`. */
export function contractWord(values: Enum, value: number): string {
  return String(values[value] ?? value).toLowerCase()
}

/** The same in the person's language: the message `group.word`. */
export function wordOf(t: Words, group: string, values: Enum, value: number): string {
  return t.of(group, contractWord(values, value))
}

/** The value of a word; unspecified for an unknown word. */
export function enumOf(values: Enum, word: string | undefined): number {
  const value = values[word?.toUpperCase() ?? '']
  return typeof value === 'number' ? value : 0
}

interface StateBadgeProps {
  /** As in `wordOf`. */
  readonly group: string
  readonly values: Enum
  readonly value: number
  readonly live?: readonly number[]
  readonly wrong?: readonly number[]
}

/** A value of an enum; one that is neither live nor wrong is past. */
export function StateBadge({ group, values, value, live = [], wrong = [] }: StateBadgeProps) {
  const tone = wrong.includes(value) ? 'wrong' : live.includes(value) ? 'live' : 'past'
  return <Badge text={wordOf(useWords(), group, values, value)} tone={tone} />
}
