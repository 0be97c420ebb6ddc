import type { LowPriority, LowPriorityProgramme } from '../../background/low-priority.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import { programmeFaulty } from '../messages/programme-fields.js'

/** A draft that can price; ends the call with every fault of a faulty one, by its path in the document. */
export async function draftFromDocument(
  { programmeReader, lowPriority }: { readonly programmeReader: ProgrammeReader; readonly lowPriority: LowPriority },
  document: Uint8Array,
): Promise<LowPriorityProgramme> {
  const reading = await programmeReader.read(document)
  if (reading.kind === 'faulty') throw programmeFaulty(reading, 'draft_document')
  return lowPriority.draft(reading.programme.benefits, reading.outline.benefitsOff)
}
