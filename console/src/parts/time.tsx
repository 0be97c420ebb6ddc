import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { useVenues } from '../api/venues.js'
import { remembered } from '../i18n/remembered.js'
import { useWords } from '../i18n/words.js'

export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000))
}

interface TimeProps {
  readonly at: Timestamp | Date | undefined
  /** Whose local time is shown; absent: the computer's own. */
  readonly venueId?: string
  /** `time`: of the day alone; `day`: the date alone. */
  readonly show?: Shown
}

type Shown = 'both' | 'time' | 'day'

/** A moment in the local time of its venue. Its zone stands beside it unless every venue lies there; on hover with the moment in UTC. */
export function Time({ at, venueId, show = 'both' }: TimeProps) {
  const { locale } = useWords()
  const venues = useVenues()
  const timeZone = venues.find((venue) => venue.venueId === venueId)?.timeZone ?? computersZone
  const isPlain = venues.length > 0 && venues.every((venue) => venue.timeZone === timeZone)
  if (at === undefined) return null
  const date = at instanceof Date ? at : dateOf(at)
  const format = formatOf(
    [locale, timeZone, show, isThisYear(date) ? 'short' : 'long', isPlain ? '' : 'zone'].join(' '),
  )
  return (
    <time dateTime={date.toISOString()} title={`${timeZone} (${date.toISOString()})`}>
      {format.format(date)}
    </time>
  )
}

const computersZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Of the locale, the zone, what is shown, whether the year stands in it, and whether the zone does. */
const formatOf = remembered((key: string) => {
  const [locale, timeZone, show, year, zone] = key.split(' ')
  const day: Intl.DateTimeFormatOptions = {
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
  const parts = show === 'both' ? { ...day, ...time } : show === 'time' ? time : day
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: timeZone! })
})

function isThisYear(date: Date): boolean {
  return date.getFullYear() === new Date().getFullYear()
}
