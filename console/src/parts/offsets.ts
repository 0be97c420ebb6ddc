import { plusDays } from './days.js'

const moment = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:00(?:\.0+)?)([Zz]|[+-]\d\d:\d\d)$/

/** The local time of a moment for a form, `YYYY-MM-DDTHH:MM`; null: not in whole minutes. */
export function localOf(text: string): string | null {
  const [, day, time] = moment.exec(text) ?? []
  return day === undefined ? null : `${day}T${time}`
}

/**
 * A moment with another local time. An offset that is not the zone's own stays; else it follows the zone, so that times in summer and in
 * winter are both the venue's.
 *
 * @param before  the moment to change; '' for none
 * @param local   `YYYY-MM-DDTHH:MM`; '' for no moment
 * @param zone    IANA name; undefined: the computer's
 */
export function withLocal(before: string, local: string, zone: string | undefined): string {
  if (local === '') return ''
  const [, day, time, , offset] = moment.exec(before) ?? []
  const isForeign = offset !== undefined && offset !== offsetAt(`${day}T${time}`, zone)
  return `${local}:00${isForeign ? offset : offsetAt(local, zone)}`
}

/** The moment at which clocks of a zone show a local time. @param local  `YYYY-MM-DDTHH:MM` */
export function momentAt(local: string, zone: string | undefined): Date {
  return new Date(withLocal('', local, zone))
}

/** The end of a day in a zone: value that expires on a day can be used on it. @param day  such as `2026-12-31` */
export function endOfDay(day: string, zone: string | undefined): Date {
  return momentAt(`${plusDays(day, 1)}T00:00`, zone)
}

/** The offset of a zone at a local time, such as `+01:00`; the earlier one where a clock is put back. */
function offsetAt(local: string, zone: string | undefined): string {
  const utcMs = Date.parse(`${local}:00Z`)
  const dayMs = 86_400_000
  const offsets = [utcMs - dayMs, utcMs + dayMs].map((ms) => minutesAhead(ms, zone))
  const fitting = offsets.find((minutes) => minutesAhead(utcMs - minutes * 60_000, zone) === minutes)
  const minutes = fitting ?? offsets[0]!
  const digits = (count: number) => String(count).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}:${digits(size % 60)}`
}

function minutesAhead(ms: number, zone: string | undefined): number {
  const timeZone = zone === undefined ? {} : { timeZone: zone }
  // Swedish writes times in ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', ...timeZone })
  return Math.round((Date.parse(`${format.format(ms).replace(' ', 'T')}Z`) - ms) / 60_000)
}
