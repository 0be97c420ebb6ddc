import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { useCommonZone, useIsEveryVenues, useVenueZone } from '../api/venues.js'
import { useWords } from '../i18n/words.js'

export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000))
}

interface TimeProps {
  readonly at: Timestamp | Date | undefined
  /** Whose local time is shown; absent: that of all venues where they have one, else the computer's own. */
  readonly venueId?: string
  /** `time`: of the day alone; `day`: the date alone. */
  readonly show?: 'both' | 'time' | 'day'
}

/** A moment in the local time of its venue. Its zone stands beside it unless every venue lies there; on hover with the moment in UTC. */
export function Time({ at, venueId, show = 'both' }: TimeProps) {
  const { locale } = useWords()
  const commonZone = useCommonZone()
  const timeZone = useVenueZone(venueId) ?? commonZone
  const zoneName = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const isPlain = useIsEveryVenues(zoneName)
  if (at === undefined) return null
  const date = at instanceof Date ? at : dateOf(at)
  const zone = timeZone === undefined ? {} : { timeZone }
  const day = { day: '2-digit', month: 'short', year: isThisYear(date) ? undefined : 'numeric' } as const
  const time = {
    hour: '2-digit',
    minute: '2-digit',
    second: show === 'time' ? '2-digit' : undefined,
    timeZoneName: isPlain ? undefined : 'short',
  } as const
  const parts = show === 'both' ? { ...day, ...time } : show === 'time' ? time : day
  const text = new Intl.DateTimeFormat(locale, { ...parts, ...zone }).format(date)
  return (
    <time dateTime={date.toISOString()} title={`${zoneName} (${date.toISOString()})`}>
      {text}
    </time>
  )
}

function isThisYear(date: Date): boolean {
  return date.getFullYear() === new Date().getFullYear()
}
