import type { ProgrammeOutline } from '../../engine/programme/outline.js'
import type { Warning } from '../../engine/programme/warning.js'
import { nameOf, objectives } from '../../engine/worst/finding.js'
import { sentenceOf } from '../../engine/worst/sentence.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { WorstSearch, WorstSearchTask } from '../background/worst-search.js'

const stepsDefault = 20_000
/** Stored venues that are searched where the document has none. */
const venuesDefault = 3
const dayMs = 86_400_000

export interface WorstParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'venues'>
  readonly worstSearch: WorstSearch
}

/**
 * The search of a document by all objectives: the same on one day.
 *
 * @returns  without venues of its own: at the first stored ones
 */
export async function worstTask(
  { adminLedger }: WorstParts,
  document: string,
  outline: Pick<ProgrammeOutline, 'venues'>,
): Promise<WorstSearchTask> {
  const some = { after: null, limit: venuesDefault }
  const ids = outline.venues.length > 0 ? [] : (await adminLedger.venues.list(some)).map(({ venueId }) => venueId)
  const found = await Promise.all(ids.map((venueId) => adminLedger.venues.find(venueId)))
  return {
    document,
    venues: found.filter((venue): venue is StoredVenue => venue !== null),
    ...{ objectives, stepsMax: stepsDefault },
    nowMs: Math.floor(adminLedger.clock() / dayMs) * dayMs,
  }
}

export interface NamedWorst {
  readonly name: string
  /** In English. */
  readonly sentence: string
  readonly benefitIds: readonly string[]
}

/** The worst baskets of which a publication says that they are meant; null: another publication is searched. */
export async function worstToAcknowledge(
  parts: WorstParts,
  document: string,
  { outline, signal }: { readonly outline: ProgrammeOutline; readonly signal: AbortSignal },
): Promise<readonly NamedWorst[] | null> {
  const task = await worstTask(parts, document, outline)
  const report = await parts.worstSearch.run('publication', task, { signal })
  if (report === null) return null
  return report.findings.flatMap((finding) => {
    const name = nameOf(finding)
    return name === null ? [] : [{ name, sentence: sentenceOf(finding), benefitIds: finding.benefitIds }]
  })
}

/** The finding at the first benefit that makes it. */
export function warningOf({ sentence, benefitIds }: NamedWorst, { benefits }: ProgrammeOutline): Warning {
  const path = benefits.find(({ benefitId }) => benefitIds.includes(benefitId))?.path ?? 'benefits'
  return { path, word: 'worst_basket', message: sentence }
}
