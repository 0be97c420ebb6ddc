import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Warning } from '../../../engine/programme/warning.js'
import type { PreparedProgramme } from '../../../store/ledger/programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { ProgrammeReader, ProgrammeReading } from '../../background/programme-reader.js'
import type { ProgrammeWarningSchema } from '../../gen/loyalty/v1/programme_service_pb.js'
import { refusal } from '../errors.js'

/** The programme with meaningless names instead of forgotten ids; its digest stays that of the document as sent. */
export async function withoutForgotten(
  {
    adminLedger,
    programmeReader,
  }: { readonly adminLedger: Pick<AdminLedger, 'members'>; readonly programmeReader: ProgrammeReader },
  { programme, named }: Extract<ProgrammeReading, { readonly kind: 'read' }>,
): Promise<PreparedProgramme> {
  const hidden = await adminLedger.members.findForgotten(named)
  if (hidden.memberIds.length + hidden.loyaltyIds.length === 0) return programme
  const { document, benefits } = programme
  return { ...programme, ...(await programmeReader.hide({ document, benefits }, hidden)) }
}

export function versionMismatch(current: number): ReturnType<typeof refusal> {
  return refusal('VERSION_MISMATCH', `version ${current} is in force`, {
    metadata: { current_version: String(current) },
  })
}

export function messageFromWarning({ path, word, message }: Warning): MessageInitShape<typeof ProgrammeWarningSchema> {
  return { path, word, message }
}
