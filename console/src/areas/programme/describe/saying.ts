import { absent } from '../../../i18n/format-message.js'
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
  /** Marks a text as the part of an entry at some of its fields, such as `reward.select`, for `segmentsOf`; else the text as it is. */
  readonly part: (fields: string, text: string) => string
  /** The default of a part that the entry does not set, where parts are marked; else empty. */
  readonly unsaid: (fields: string, text: string) => string
  /** "until 14:00 ..."; for a midnight "through" the day before. */
  readonly until: (moment: string, venueIds: readonly string[] | null) => string
}

export interface SayingParts {
  readonly t: Words
  readonly venues: readonly SaidVenue[]
  readonly products: readonly SaidProduct[]
  readonly currencies: readonly ProgrammePart[]
  readonly collections: readonly ProgrammePart[]
  /** True for texts that `segmentsOf` takes apart. */
  readonly isMarked?: boolean
}

export function createSaying({ t, venues, products, currencies, collections, isMarked = false }: SayingParts): Saying {
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
    number: (value) =>
      Number.isNaN(value) ? absent : new Intl.NumberFormat(t.locale, { maximumFractionDigits: 4 }).format(value),
    venueName: (venueId) => names.get(venueId) || venueId,
    productName: (id) => productNames.get(id) || id,
    money(minor, venueIds) {
      const own = venues.filter(({ venueId }) => venueIds?.includes(venueId) ?? true)
      const codes = [...new Set(own.map(({ currency }) => currency))].toSorted()
      const [digits, ...others] = [...new Set(codes.map(digitsOf))]
      if (Number.isNaN(minor)) return absent
      if (digits === undefined || others.length > 0 || !Number.isSafeInteger(minor)) return String(minor)
      return `${formatScaled(BigInt(minor), digits, t.locale)} ${codes.join('/')}`
    },
    value(amount, currencyId) {
      const scale = Number(currencyOf(currencyId)?.['scale'] ?? 0)
      const size = Number.isNaN(amount)
        ? absent
        : Number.isSafeInteger(amount)
          ? formatScaled(BigInt(amount), scale, t.locale)
          : String(amount)
      return `${size} ${currencyName(currencyId)}`
    },
    currencyName,
    collectionName: (id) => textIn(collections.find((each) => each['collectionId'] === id) ?? {}, 'name') || id,
    part: (fields, text) => (isMarked && text !== '' ? `${begin}${fields}${middle}${text}${end}` : text),
    unsaid: (fields, text) => (isMarked ? `${begin}${unsaidMark}${fields}${middle}${text}${end}` : ''),
    from: (moment, venueIds) => t('says.from', { at: momentText(t.locale, moment, zoneAt(venueIds)) }),
    until(moment, venueIds) {
      const zone = zoneAt(venueIds)
      return isMidnight(moment, zone)
        ? t('says.through', { at: momentText(t.locale, moment, zone, -1) })
        : t('says.until', { at: momentText(t.locale, moment, zone) })
    },
  }
}

/** Characters for private use, which no text of a programme needs. */
const [begin, middle, end] = ['\uE000', '\uE001', '\uE002']
const unsaidMark = '?'

export interface Segment {
  readonly text: string
  /** Fields of the entry that it says, with commas between them; '': none. */
  readonly fields: string
  readonly isUnsaid: boolean
}

/** A marked text in its parts. The innermost part has a text; of a part with others within, the first text stands for it. */
export function segmentsOf(marked: string): readonly Segment[] {
  const open: { readonly fields: string; readonly isUnsaid: boolean }[] = []
  const found: Segment[] = []
  const seen = new Set<string>()
  for (const [token] of marked.matchAll(tokens)) {
    if (token.startsWith(begin)) {
      const fields = token.slice(1, -1)
      const isUnsaid = fields.startsWith(unsaidMark)
      open.push({ fields: isUnsaid ? fields.slice(1) : fields, isUnsaid })
    } else if (token === end) open.pop()
    else {
      const { fields = '', isUnsaid = false } = open.at(-1) ?? {}
      const [, before = '', text = '', after = ''] = /^([\s,;]*)(.*?)([\s,;]*)$/s.exec(token)!
      const own = text === '' || seen.has(fields) ? '' : fields
      seen.add(own)
      found.push({ text: before, fields: '', isUnsaid: false }, { text, fields: own, isUnsaid })
      found.push({ text: after, fields: '', isUnsaid: false })
    }
  }
  return found.filter(({ text }) => text !== '')
}

const tokens = /\uE000[^\uE001]*\uE001|\uE002|[^\uE000\uE002]+/g

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
