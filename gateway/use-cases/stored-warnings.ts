import { goodsUnknown, type NamedPrices, unknownMessage } from '../../engine/programme/lint-names.js'
import type { ProgrammeOutline, TermsOutline } from '../../engine/programme/outline.js'
import { saidOnce, type Warning } from '../../engine/programme/warning.js'
import type { CardsOfOthers } from '../../store/ledger/programmes.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { ProgrammeReader, ProgrammeReading } from '../background/programme-reader.js'
import type { LookupCache } from '../cache/lookup-cache.js'

/** Venues read at once. */
const venuesMax = 500
/** Benefits that a warning names at most. */
const namedMax = 20
/** More venues than this are not asked for their price lists. */
const priceListsMax = 100

export interface StoredWarningParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'programmes' | 'venues'>
  readonly programmeReader: Pick<ProgrammeReader, 'diff'>
  readonly facts: Pick<LookupCache, 'findVenue'>
}

/**
 * Probable mistakes of a programme without faults, given the stored data and the time: benefits that a publication would remove, unknown
 * venues, expired parts, amounts that would count in several currencies, loyalty ids of other members; and if the document has no price
 * list, products and groups that no stored one has.
 */
export async function storedWarnings(
  { adminLedger, programmeReader, facts }: StoredWarningParts,
  { outline, programme }: Pick<Extract<ProgrammeReading, { readonly kind: 'read' }>, 'outline' | 'programme'>,
): Promise<readonly Warning[]> {
  const [currencies, inForce, taken, left] = await Promise.all([
    currenciesOf(adminLedger, outline),
    adminLedger.programmes.newest(),
    adminLedger.programmes.findCardsOfOthers(programme, true),
    adminLedger.programmes.findCardsOfOthers(programme, false),
  ])
  const changes = inForce === null ? [] : await programmeReader.diff(inForce.benefits, programme.benefits)
  const removed = changes.filter(({ part, kind }) => part === 'benefit' && kind === 'removed')
  const now = adminLedger.clock()
  const terms = [...outline.benefits, ...outline.rules]
  const isNaming = outline.namings.length > 0
  const goods = isNaming ? goodsUnknown(outline.namings, await pricesOf({ facts }, [...currencies.keys()])) : []
  return [
    ...benefitsRemoved(removed),
    ...cardsOfOthers('publishing takes from members that it does not name', 'card_moves', taken),
    ...cardsOfOthers('publishing leaves with other members', 'card_stays', left),
    ...terms.flatMap((each) => [...venuesUnknown(each, currencies), ...expired(each, now)]),
    ...saidOnce(terms.flatMap((each) => severalCurrencies(each, currencies))),
    ...saidOnce(goods.filter(({ word }) => word === 'product_unknown')),
    ...goods.filter(({ word }) => word !== 'product_unknown'),
  ]
}

/** The stored price lists of venues; none where there are too many. */
async function pricesOf(
  { facts }: Pick<StoredWarningParts, 'facts'>,
  venueIds: readonly string[],
): Promise<readonly NamedPrices[]> {
  if (venueIds.length > priceListsMax) return []
  const venues = await Promise.all(venueIds.map((venueId) => facts.findVenue(venueId)))
  return venues.filter((venue) => venue !== null)
}

/** Includes the stored venues, and those that the programme would store. */
async function currenciesOf(
  { venues }: Pick<AdminLedger, 'venues'>,
  outline: ProgrammeOutline,
): Promise<ReadonlyMap<string, string>> {
  const currencies = new Map<string, string>()
  for (let after: readonly [string] | null = null; ; ) {
    const page = await venues.list({ after, limit: venuesMax })
    for (const { venueId, currency } of page) currencies.set(venueId, currency)
    if (page.length < venuesMax) break
    after = [page.at(-1)!.venueId]
  }
  for (const { venueId, currency } of outline.venues) currencies.set(venueId, currency)
  return currencies
}

function benefitsRemoved(removed: readonly { readonly id: string; readonly name: string }[]): readonly Warning[] {
  if (removed.length === 0) return []
  const names = removed.slice(0, namedMax).map(({ id, name }) => (name === '' ? id : `${name} (${id})`))
  const more = removed.length > namedMax ? ` and ${removed.length - namedMax} more` : ''
  const message = `publishing removes ${removed.length} of the benefits in force: ${names.join(', ')}${more}`
  return [{ path: 'benefits', word: 'benefit_removed', message }]
}

function cardsOfOthers(
  does: string,
  word: 'card_moves' | 'card_stays',
  { count, cards }: CardsOfOthers,
): readonly Warning[] {
  if (count === 0) return []
  const named = cards.map(({ place, loyaltyId, memberId }) => `${loyaltyId} (members[${place}], now of ${memberId})`)
  const more = count > cards.length ? ` and ${count - cards.length} more` : ''
  const message = `${does} ${count} loyalty id${count === 1 ? '' : 's'}: ${named.join(', ')}${more}`
  return [{ path: 'members', word, message }]
}

function venuesUnknown({ path, venueIds }: TermsOutline, known: ReadonlyMap<string, string>): readonly Warning[] {
  const missing = venueIds?.filter((venueId) => !known.has(venueId)) ?? []
  if (missing.length === 0) return []
  const message = unknownMessage('a venue that is stored or in this document', missing, new Set(known.keys()))
  return [{ path: `${path}.venueIds`, word: 'venue_unknown', message }]
}

function expired({ path, validUntil }: TermsOutline, now: number): readonly Warning[] {
  if (validUntil === null || validUntil > now) return []
  const message = `expected a time to come, received ${new Date(validUntil).toISOString()}`
  return [{ path: `${path}.validUntil`, word: 'benefit_expired', message }]
}

function severalCurrencies(
  { path, venueIds, hasMoney }: TermsOutline,
  known: ReadonlyMap<string, string>,
): readonly Warning[] {
  if (!hasMoney) return []
  const found = venueIds === null ? [...known.values()] : venueIds.flatMap((venueId) => known.get(venueId) ?? [])
  const currencies = [...new Set(found)].sort()
  if (currencies.length < 2) return []
  const message = `expected venues of one currency, for it has amounts, received venues of ${currencies.join(', ')}`
  return [{ path, word: 'several_currencies', message }]
}
