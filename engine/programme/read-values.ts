import { factorOne } from '../core/base/earning.js'
import { type Money, moneyMax, type Percentage } from '../core/base/money.js'
import { scaledFromText } from '../wire/decimal.js'
import { momentFromText } from '../wire/moment.js'
import type { Place } from './place.js'

const idLengthMax = 64
/** Largest number of units in a programme: more than a basket of 200 lines can hold. */
const unitsMax = 1_000_000_000
const perPercent = 10_000
const perUnit = 1000
const factorMax = 100 * factorOne
const factorDecimals = 4

const idForm = /^[^\p{Cc}\p{Cs}]{1,64}$/u
const dateForm = /^(?!0000)\d{4}-\d{2}-\d{2}$/
const dayForm = /^\d{2}-\d{2}$/
const factorForm = /^\d{1,3}(\.\d{1,4})?$/
const timeForm = /^([01]\d|2[0-3]):([0-5]\d)$/

/** An id or code: 1 to 64 characters, no control characters, no lone surrogates. '' after a fault. */
export function readId(place: Place): string {
  if (typeof place.value === 'string' && idForm.test(place.value)) return place.value
  place.fault(`1 to ${idLengthMax} characters without control characters`)
  return ''
}

export function readText(place: Place, lengthMax?: number): string {
  const { value } = place
  if (typeof value === 'string' && (lengthMax === undefined || codePoints(value) <= lengthMax)) return value
  place.fault(lengthMax === undefined ? 'a text' : `a text of at most ${lengthMax} characters`)
  return ''
}

export function readMoney(place: Place): Money {
  return readInteger(place, 0, moneyMax)
}

export function readPercentage(place: Place): Percentage {
  const { value } = place
  if (typeof value === 'number' && value > 0 && value <= 100) {
    const scaled = Math.round(value * perPercent)
    if (scaled / perPercent === value) return scaled
  }
  place.fault('a percentage greater than 0, at most 100, with at most 4 decimals')
  return 1
}

/** Whole units, or thousandths of a measure. */
export function readQuantity(place: Place, isMeasure: boolean): number {
  const { value } = place
  if (!isMeasure) return readInteger(place, 1, unitsMax)
  if (typeof value === 'number' && value > 0 && value <= unitsMax) {
    const scaled = Math.round(value * perUnit)
    if (scaled / perUnit === value) return scaled
  }
  place.fault(`a quantity greater than 0, at most ${unitsMax}, with at most 3 decimals`)
  return 1
}

export function readInteger(place: Place, lowest: number, highest: number): number {
  const { value } = place
  if (typeof value === 'number' && Number.isInteger(value) && value >= lowest && value <= highest) return value + 0
  place.fault(`an integer from ${lowest} to ${highest}`)
  return lowest
}

export function readWord(place: Place, words: readonly string[]): string {
  const word = words.find((candidate) => candidate === place.value)
  if (word === undefined) place.fault(`one of ${words.join(', ')}`)
  return word ?? words[0]!
}

export function readFlag(place: Place): boolean {
  if (typeof place.value === 'boolean') return place.value
  place.fault('true or false')
  return false
}

export function readMoment(place: Place): number | null {
  const moment = typeof place.value === 'string' ? momentFromText(place.value) : null
  if (moment === null) place.fault('an RFC 3339 date-time with an offset')
  return moment
}

export function readDate(place: Place): string {
  if (typeof place.value === 'string' && dateForm.test(place.value) && isDate(place.value)) return place.value
  place.fault('a date as YYYY-MM-DD')
  return ''
}

/** A day of the year, `MM-DD`, 29 February among them. */
export function readDayOfYear(place: Place): string {
  if (typeof place.value === 'string' && dayForm.test(place.value) && isDate(`2000-${place.value}`)) return place.value
  place.fault('a day of the year as MM-DD')
  return ''
}

function isDate(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

export function readTimeOfDay(place: Place): number {
  const parts = typeof place.value === 'string' ? timeForm.exec(place.value) : null
  if (parts === null) place.fault('a time of day from 00:00 to 23:59, as HH:MM')
  return parts === null ? 0 : Number(parts[1]) * 60 + Number(parts[2])
}

/** In IANA's spelling: other code compares names letter by letter. */
export function readTimeZone(place: Place): string {
  if (typeof place.value === 'string' && isTimeZone(place.value)) return place.value
  place.fault('the IANA name of a time zone, such as Europe/Oslo')
  return 'UTC'
}

export function readCurrency(place: Place, codes: readonly unknown[]): string {
  if (typeof place.value === 'string' && codes.includes(place.value)) return place.value
  place.fault('an active ISO 4217 currency code')
  return ''
}

export function readList<T>(place: Place, readEntry: (entry: Place) => T, entriesMin = 1): T[] {
  if (!Array.isArray(place.value) || place.value.length < Math.min(1, entriesMin))
    place.fault('a list with at least one entry')
  return place.entries().map(readEntry)
}

/** A decimal as text, in ten-thousandths. */
export function readFactor(place: Place): number {
  const { value } = place
  const scaled = typeof value === 'string' && factorForm.test(value) ? scaledFromText(value, factorDecimals) : null
  if (scaled !== null && scaled > 0 && scaled <= factorMax) return scaled
  place.fault('a text such as "1.5": above 0, at most 100, with at most 4 decimals')
  return factorOne
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

const timeZoneCache = new Map<string, boolean>()
const timeZoneCacheMax = 1_000

export function isTimeZone(name: string): boolean {
  const known = timeZoneCache.get(name)
  if (known !== undefined) return known
  const found = timeZoneForm.test(name) && isWrittenAsIntl(name)
  if (timeZoneCache.size < timeZoneCacheMax) timeZoneCache.set(name, found)
  return found
}

/** IANA's spelling: every part begins with a capital. */
const timeZoneForm = /^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/

/** Intl accepts any case and returns the correct spelling; for an old name it returns the new one. */
function isWrittenAsIntl(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
