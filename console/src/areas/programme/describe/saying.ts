import type { Words } from '../../../i18n/words.js'
import { digitsOf, formatScaled } from '../../../parts/scaled.js'

export interface SaidVenue {
  readonly venueId: string
  readonly name: string
  readonly currency: string
  readonly timeZone: string
}

export interface SaidProduct {
  readonly productId: string
  readonly name: string
  readonly productMasterId?: string | null | undefined
  readonly ean?: string | null | undefined
}

export interface Saying {
  readonly t: Words
  /** "A, B and C" in the language. */
  readonly list: (texts: readonly string[]) => string
  /** "A, B or C". */
  readonly anyOf: (texts: readonly string[]) => string
  readonly number: (value: number) => string
  readonly venueName: (venueId: string) => string
  /** By any of its ids. */
  readonly productName: (id: string) => string
  /** Minor units at some venues; null: everywhere. */
  readonly money: (minor: number, venueIds: readonly string[] | null | undefined) => string
  readonly value: (amount: number, currencyId: string) => string
  readonly currencyName: (currencyId: string) => string
  readonly collectionName: (collectionId: string) => string
  /** "from 1 December", on the clock of the venues; only the day for a midnight. */
  readonly from: (moment: string, venueIds: readonly string[] | null) => string
  /** "until 14:00 ..."; for a midnight "through" the day before. */
  readonly until: (moment: string, venueIds: readonly string[] | null) => string
}

export interface SayingParts {
  readonly t: Words
  readonly venues: readonly SaidVenue[]
  readonly products: readonly SaidProduct[]
  readonly currencies: readonly ProgrammePart[]
  readonly collections: readonly ProgrammePart[]
}

export function createSaying({ t, venues, products, currencies, collections }: SayingParts): Saying {
  const names = new Map(venues.map(({ venueId, name }) => [venueId, name]))
  const productNames = new Map(
    products.flatMap(({ productId, productMasterId, ean, name }) =>
      [productId, productMasterId, ean].flatMap((id) => (id ? [[id, name] as const] : [])),
    ),
  )
  const zoneAt = (venueIds: readonly string[] | null) =>
    venues.find(({ venueId }) => venueIds?.includes(venueId) ?? true)?.timeZone
  const currencyOf = (currencyId: string) => currencies.find((currency) => currency['currencyId'] === currencyId)
  const currencyName = (currencyId: string) => String(currencyOf(currencyId)?.['name'] ?? currencyId)
  return {
    t,
    list: (texts) => new Intl.ListFormat(t.locale, { type: 'conjunction' }).format(texts),
    anyOf: (texts) => new Intl.ListFormat(t.locale, { type: 'disjunction' }).format(texts),
    number: (value) => new Intl.NumberFormat(t.locale, { maximumFractionDigits: 4 }).format(value),
    venueName: (venueId) => names.get(venueId) || venueId,
    productName: (id) => productNames.get(id) || id,
    money(minor, venueIds) {
      const own = venues.filter(({ venueId }) => venueIds?.includes(venueId) ?? true)
      const codes = [...new Set(own.map(({ currency }) => currency))].toSorted()
      const [digits, ...others] = [...new Set(codes.map(digitsOf))]
      if (digits === undefined || others.length > 0 || !Number.isSafeInteger(minor)) return String(minor)
      return `${formatScaled(BigInt(minor), digits, t.locale)} ${codes.join('/')}`
    },
    value(amount, currencyId) {
      const scale = Number(currencyOf(currencyId)?.['scale'] ?? 0)
      const size = Number.isSafeInteger(amount) ? formatScaled(BigInt(amount), scale, t.locale) : String(amount)
      return `${size} ${currencyName(currencyId)}`
    },
    currencyName,
    collectionName: (id) => textIn(collections.find((each) => each['collectionId'] === id) ?? {}, 'name') || id,
    from: (moment, venueIds) => t('says.from', { at: momentText(t.locale, moment, zoneAt(venueIds)) }),
    until(moment, venueIds) {
      const zone = zoneAt(venueIds)
      return isMidnight(moment, zone)
        ? t('says.through', { at: momentText(t.locale, moment, zone, -1) })
        : t('says.until', { at: momentText(t.locale, moment, zone) })
    },
  }
}

type Zone = string | undefined

/** A moment with an offset in milliseconds; without the time of day at midnight. */
function momentText(locale: string, moment: string, zone: Zone, byMs = 0): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  const timeStyle = isMidnight(moment, zone) ? {} : ({ timeStyle: 'short' } as const)
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', ...timeStyle, ...timeZoneOf(zone) })
  return format.format(at.getTime() + byMs)
}

function isMidnight(moment: string, zone: Zone): boolean {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return false
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...timeZoneOf(zone) } as const
  return new Intl.DateTimeFormat('en-GB', clock).format(at) === '00:00'
}

function timeZoneOf(zone: Zone) {
  return zone === undefined ? {} : { timeZone: zone }
}

export type ProgrammePart = Readonly<Record<string, unknown>>

export function partsOf(document: ProgrammePart, list: string, id: string): ReadonlyMap<string, ProgrammePart> {
  return new Map(listIn(document, list).map((part) => [String(part[id] ?? ''), part]))
}

export function listIn(part: ProgrammePart, name: string): readonly ProgrammePart[] {
  const list = part[name]
  return Array.isArray(list) ? list.filter(isPart) : []
}

export function partIn(part: ProgrammePart, name: string): ProgrammePart | null {
  const value = part[name]
  return isPart(value) ? value : null
}

export function textsIn(part: ProgrammePart, name: string): readonly string[] {
  const list = part[name]
  return Array.isArray(list) ? list.map(String) : []
}

/** null: there is none. */
export function numberIn(part: ProgrammePart, name: string): number | null {
  const value = part[name]
  return typeof value === 'number' ? value : null
}

export function textIn(part: ProgrammePart, name: string): string {
  const value = part[name]
  return typeof value === 'string' ? value : ''
}

function isPart(value: unknown): value is ProgrammePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for equal values, however they are written; null and absent are equal. */
export function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(sorted(left) ?? null) === JSON.stringify(sorted(right) ?? null)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isPart(value)) return value
  const members = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(
    members.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([name, one]) => [name, sorted(one)]),
  )
}
