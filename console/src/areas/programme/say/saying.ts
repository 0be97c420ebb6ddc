import type { Words } from '../../../i18n/words.js'
import { digitsOf, formatScaled } from '../../../parts/scaled.js'
import type { ProgrammePart } from './parts-of.js'

/** A place that sells, as far as sentences name it. */
export interface SaidVenue {
  readonly venueId: string
  readonly name: string
  readonly currency: string
  readonly timeZone: string
}

/** A product of a price list. */
export interface SaidProduct {
  readonly productId: string
  readonly name: string
  readonly productMasterId?: string | null | undefined
  readonly ean?: string | null | undefined
}

/** The words for what a programme names. */
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
  /** An amount of what members collect. */
  readonly value: (amount: number, currencyId: string) => string
  readonly currencyName: (currencyId: string) => string
  /** "from 1 December", on the clock of the venues; of a midnight only the day. */
  readonly from: (moment: string, venueIds: readonly string[] | null) => string
  /** "until 14:00 ..."; of a midnight "through" the day before. */
  readonly until: (moment: string, venueIds: readonly string[] | null) => string
}

/** What the words are taken from. */
export interface SayingParts {
  readonly t: Words
  readonly venues: readonly SaidVenue[]
  readonly products: readonly SaidProduct[]
  /** As the document has them. */
  readonly currencies: readonly ProgrammePart[]
}

export function createSaying({ t, venues, products, currencies }: SayingParts): Saying {
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

/** A moment, or so many milliseconds from it; where it is midnight without the time of day. */
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
