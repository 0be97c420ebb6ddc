import { EngineFault } from '../../engine/index.js'
import type { Warning } from '../../engine/programme/warning.js'
import type { PreparedProgramme } from '../../store/ledger/programmes.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { ProgrammeReader, ProgrammeReading } from '../background/programme-reader.js'
import { type NamedWorst, type WorstParts, warningOf, worstToAcknowledge } from './check-worst.js'
import { type StoredWarningParts, storedWarnings } from './stored-warnings.js'

export interface PublishParts extends StoredWarningParts, Pick<WorstParts, 'worstSearch'> {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'programmes' | 'venues' | 'members'>
  readonly programmeReader: ProgrammeReader
  readonly publishWorst: 'off' | 'warn' | 'require'
}

type Reading<Kind extends ProgrammeReading['kind']> = Extract<ProgrammeReading, { readonly kind: Kind }>

export interface Publication {
  readonly document: string
  /** Names of worst baskets that are meant. */
  readonly acknowledgements: readonly string[]
  readonly signal: AbortSignal
}

/** Nothing was sent. */
export type Unpublished =
  | Reading<'faulty'>
  | { readonly kind: 'unacknowledged'; readonly worst: readonly NamedWorst[] }
  /** Another publication is searched. */
  | { readonly kind: 'search_busy' }

/** Milliseconds of a search that only warns: half of those of a call. */
const warnSearchMs = 30_000

const unended: NamedWorst = {
  ...{ name: '', benefitIds: [] },
  sentence: 'the search for worst baskets did not end, and names none',
}

interface Warned {
  readonly warnings: readonly Warning[]
}

/** Reads a document, searches its worst baskets where `publishWorst` says so, and sends it to be published or proposed. */
export async function publishProgramme<Reply extends { readonly kind: string }>(
  parts: PublishParts,
  publication: Publication,
  send: (programme: PreparedProgramme) => Promise<Reply>,
  searchMs = warnSearchMs,
): Promise<(Reply & Warned) | Unpublished> {
  const reading = await parts.programmeReader.read(Buffer.from(publication.document))
  if (reading.kind === 'faulty') return reading
  const worst = await worstOf(parts, publication, reading, searchMs)
  if (worst === null) return { kind: 'search_busy' }
  const unnamed = worst.filter(({ name }) => !publication.acknowledgements.includes(name))
  if (parts.publishWorst === 'require' && unnamed.length > 0) return { kind: 'unacknowledged', worst: unnamed }
  const programme = await withoutForgotten(parts, reading)
  // Before it is sent, while the benefits that it removes are still in force.
  const warnings = [
    ...reading.warnings,
    ...(await storedWarnings(parts, reading)),
    ...unnamed.map((each) => warningOf(each, reading.outline)),
  ]
  return { ...(await send(programme)), warnings }
}

/** The programme in force is not searched again: publishing it changes nothing. A search that only warns stops no publication. */
async function worstOf(
  parts: PublishParts,
  { document, signal }: Publication,
  { outline }: Reading<'read'>,
  searchMs: number,
): Promise<readonly NamedWorst[] | null> {
  if (parts.publishWorst === 'off') return []
  const inForce = await parts.adminLedger.programmes.find(null, true)
  if (inForce?.document === document) return []
  if (parts.publishWorst === 'require') return worstToAcknowledge(parts, document, { outline, signal })
  // Used again below: Node.js collects a time-out that only a combined signal has, and it never comes.
  const late = AbortSignal.timeout(searchMs)
  try {
    return await worstToAcknowledge(parts, document, { outline, signal: AbortSignal.any([signal, late]) })
  } catch (error) {
    if (signal.aborted || !(late.aborted || error instanceof EngineFault)) throw error
    return [unended]
  }
}

/** The programme with meaningless names instead of forgotten ids; its digest stays that of the document as sent. */
async function withoutForgotten(
  { adminLedger, programmeReader }: PublishParts,
  { programme, named }: Reading<'read'>,
): Promise<PreparedProgramme> {
  const hidden = await adminLedger.members.findForgotten(named)
  if (hidden.memberIds.length + hidden.loyaltyIds.length === 0) return programme
  const { document, benefits } = programme
  return { ...programme, ...(await programmeReader.hide({ document, benefits }, hidden)) }
}
