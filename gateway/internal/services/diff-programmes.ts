import type { ProgrammeChange } from '../../../engine/programme/diff-programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { DiffProgrammesRequest } from '../../gen/loyalty/v1/programme_diff_pb.js'
import { FieldChecks } from '../messages/fields.js'
import { refusalFrom } from '../messages/refusals.js'

interface Parts {
  readonly adminLedger: Pick<AdminLedger, 'programmes'>
  readonly programmeReader: ProgrammeReader
}

export async function diffOfProgrammes(parts: Parts, { baseVersion, changed }: DiffProgrammesRequest) {
  const checks = new FieldChecks()
    .expect('base_version', baseVersion >= 0, '0 or more', String(baseVersion))
    .expect('changed', changed.case !== undefined, 'a version or a draft_document', '')
  if (changed.case === 'version') checks.expect('version', changed.value >= 1, '1 or more', String(changed.value))
  checks.done()
  const base = await parts.adminLedger.programmes.find(baseVersion === 0 ? null : baseVersion, true)
  // A draft may be compared with no programme: then all of it is new.
  if (base === null && (baseVersion !== 0 || changed.case === 'version')) throw refusalFrom({ kind: 'unknown_version' })
  const document =
    changed.case === 'version'
      ? await documentOfVersion(parts, changed.value)
      : await checkedDraft(parts, Buffer.from(changed.value ?? ''))
  const changes = await parts.programmeReader.diff(base?.document ?? null, document)
  return { baseVersion: base?.facts.version ?? 0, changes: changes.map(messageFromChange) }
}

async function documentOfVersion({ adminLedger }: Parts, version: number): Promise<string> {
  const found = await adminLedger.programmes.find(version, true)
  if (found === null) throw refusalFrom({ kind: 'unknown_version' })
  return found.document
}

async function checkedDraft({ programmeReader }: Parts, document: Uint8Array): Promise<string> {
  const reading = await programmeReader.read(document)
  if (reading.kind === 'faulty') throw refusalFrom(reading, {}, { faulty: 'draft_document' })
  return reading.programme.document
}

function messageFromChange({ part, id, name, kind, fields }: ProgrammeChange) {
  return {
    ...{ part, id, name, kind },
    fields: fields.map(({ path, left, right }) => ({ path, beforeJson: left ?? '', afterJson: right ?? '' })),
  }
}
