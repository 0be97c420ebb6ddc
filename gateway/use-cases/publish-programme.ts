import type { Warning } from '../../engine/programme/warning.js'
import type { PreparedProgramme } from '../../store/ledger/programmes.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { ProgrammeReader, ProgrammeReading } from '../background/programme-reader.js'
import { type StoredWarningParts, storedWarnings } from './stored-warnings.js'

export interface PublishParts extends StoredWarningParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'programmes' | 'venues' | 'members'>
  readonly programmeReader: ProgrammeReader
}

type Reading<Kind extends ProgrammeReading['kind']> = Extract<ProgrammeReading, { readonly kind: Kind }>

/** Reads a document, and sends it to be published or proposed. */
export async function publishProgramme<Reply extends { readonly kind: string }>(
  parts: PublishParts,
  document: string | Uint8Array,
  send: (programme: PreparedProgramme) => Promise<Reply>,
): Promise<{ readonly reply: Reply | Reading<'faulty'>; readonly warnings: readonly Warning[] }> {
  const reading = await parts.programmeReader.read(Buffer.from(document))
  if (reading.kind === 'faulty') return { reply: reading, warnings: [] }
  const programme = await withoutForgotten(parts, reading)
  // Before it is sent, while the benefits that it removes are still in force.
  const warnings = [...reading.warnings, ...(await storedWarnings(parts, reading))]
  return { reply: await send(programme), warnings }
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
