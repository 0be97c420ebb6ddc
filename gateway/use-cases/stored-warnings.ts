import type { BenefitOutline, ProgrammeOutline } from '../../engine/programme/outline.js'
import type { Warning } from '../../engine/programme/warning.js'
import type { Ledger } from '../../store/ledger.js'
import type { ProgrammeReader, ProgrammeReading } from '../background/programme-reader.js'

/** Venues read at once. */
const venuesMax = 500
/** Benefits that a warning names at most. */
const namedMax = 20

export interface StoredWarningParts {
  readonly ledger: Pick<Ledger, 'clock' | 'programmes' | 'venues'>
  readonly programmeReader: Pick<ProgrammeReader, 'diff'>
}

/**
 * What looks unintended of a programme without faults beside what is stored, and at this time: benefits that a publication would remove,
 * venues that nobody knows, benefits that have expired, amounts that would count in several currencies.
 */
export async function storedWarnings(
  { ledger, programmeReader }: StoredWarningParts,
  { outline, programme }: Pick<Extract<ProgrammeReading, { readonly kind: 'read' }>, 'outline' | 'programme'>,
): Promise<readonly Warning[]> {
  const [currencies, inForce] = await Promise.all([currenciesOf(ledger, outline), ledger.programmes.newest()])
  const changes = inForce === null ? [] : await programmeReader.diff(inForce.benefits, programme.benefits)
  const removed = changes.filter(({ part, kind }) => part === 'benefit' && kind === 'removed')
  const now = ledger.clock()
  return [
    ...benefitsRemoved(removed),
    ...outline.benefits.flatMap((benefit) => [
      ...venuesUnknown(benefit, currencies),
      ...expired(benefit, now),
      ...severalCurrencies(benefit, currencies),
    ]),
  ]
}

/** Of the venues that are stored, and of those that the programme would store. */
async function currenciesOf(
  { venues }: Pick<Ledger, 'venues'>,
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

function venuesUnknown({ path, venueIds }: BenefitOutline, known: ReadonlyMap<string, string>): readonly Warning[] {
  const [first, ...others] = venueIds?.filter((venueId) => !known.has(venueId)) ?? []
  if (first === undefined) return []
  const more = others.length === 0 ? '' : `, nor ${others.length} more`
  return [{ path: `${path}.venueIds`, word: 'venue_unknown', message: `there is no venue ${first}${more}` }]
}

function expired({ path, validUntil }: BenefitOutline, now: number): readonly Warning[] {
  if (validUntil === null || validUntil > now) return []
  const message = `it has expired on ${new Date(validUntil).toISOString()}`
  return [{ path: `${path}.validUntil`, word: 'benefit_expired', message }]
}

function severalCurrencies(
  { path, venueIds, hasMoney }: BenefitOutline,
  known: ReadonlyMap<string, string>,
): readonly Warning[] {
  if (!hasMoney) return []
  const found = venueIds === null ? [...known.values()] : venueIds.flatMap((venueId) => known.get(venueId) ?? [])
  const currencies = [...new Set(found)].sort()
  if (currencies.length < 2) return []
  const message = `its amounts count in ${currencies.join(', ')} alike, by venue`
  return [{ path, word: 'several_currencies', message }]
}
