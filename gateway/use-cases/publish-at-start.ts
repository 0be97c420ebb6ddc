import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hideIds } from '../../engine/programme/hide-ids.js'
import type { Fault } from '../../engine/programme/place.js'
import { readProgramme } from '../../engine/programme/read-programme.js'
import type { FilePublication, PublishedProgramme } from '../../store/ledger/programmes.js'
import type { AdminLedger, PosLedger } from '../../store/ledger.js'
import type { Config } from '../config/config.js'
import { StartFault } from '../config/config.js'
import type { Log } from '../telemetry/log.js'

const sampleProgramme = join(import.meta.dirname, '..', '..', 'engine', 'programme', 'sample-programme.json')

interface StartLedger {
  readonly posLedger: Pick<PosLedger, 'programmes'>
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'members'>
}

/**
 * Publishes LOYALTY_PROGRAM if the ledger has no programme, or if the file has changed since a file was last published. If not, the
 * programme in force stays (wire decisions 9). The sample programme is for an empty ledger only.
 * Resolves to the version in force, and logs why it is that one. Rejects with StartFault where the file is faulty.
 */
export async function publishAtStart(
  { programmeFile }: Pick<Config, 'programmeFile'>,
  { posLedger, adminLedger }: StartLedger,
  log: Log,
): Promise<number> {
  const newest = await adminLedger.programmes.find(null, false)
  if (programmeFile === null && newest !== null) {
    const { version, publishedBy } = newest.facts
    return inForce(log, version, `published by ${publishedBy}`)
  }
  const programme = await readFileProgramme(programmeFile ?? sampleProgramme, adminLedger, log)
  const publication = await posLedger.programmes.publishFile(programme, programmeFile === null)
  if (publication.because === 'faulty') throw faultyFile(programmeFile ?? sampleProgramme, publication.faults)
  const file = programmeFile === null ? 'the sample programme' : `LOYALTY_PROGRAM (${programmeFile})`
  return inForce(log, publication.version, reasonFor(publication, file))
}

/** True while the sample programme is in force, no matter how it was published. */
export async function isSampleInForce({ programmes }: Pick<AdminLedger, 'programmes'>): Promise<boolean> {
  const [newest, sample] = await Promise.all([programmes.find(null, true), readFile(sampleProgramme, 'utf8')])
  return newest?.document === sample
}

function inForce(log: Log, version: number, reason: string): number {
  log.info({ programmeVersion: version }, `programme version ${version} is in force: ${reason}`)
  return version
}

function faultyFile(file: string, faults: readonly Fault[], more = 0): StartFault {
  const lines = faults.map(({ path, expected, received }) => `  ${path}: expected ${expected}, received ${received}`)
  if (more > 0) lines.push(`  and ${more} more`)
  return new StartFault(`LOYALTY_PROGRAM: ${file} is faulty:\n${lines.join('\n')}`)
}

function reasonFor({ because, publishedBy }: Exclude<FilePublication, { because: 'faulty' }>, file: string): string {
  switch (because) {
    case 'ledger_empty':
      return `the ledger held none, so ${file} was published`
    case 'file_changed':
      return `${file} was published, for it has changed since a file was last published`
    case 'file_unchanged':
      return publishedBy === 'start'
        ? `${file} has not changed since it was published`
        : `published by ${publishedBy}; ${file} has not changed since a file was last published, and does not count`
    case 'file_in_force':
      return `published by ${publishedBy}; ${file} holds the same programme`
    case 'not_empty':
      return `published by ${publishedBy}`
  }
}

async function readFileProgramme(
  file: string,
  adminLedger: StartLedger['adminLedger'],
  log: Log,
): Promise<PublishedProgramme> {
  const read = readProgramme(await readFile(file, 'utf8'))
  if (read.kind === 'faulty') throw faultyFile(file, read.faults, read.more)
  for (const warning of read.warnings) log.warn({ warning }, 'programme')
  const {
    document,
    benefitsJson: benefits,
    venues,
    members,
    currencies,
    exchanges,
    rules,
    experiments,
  } = read.programme
  const programme = { document, benefits, venues, members, currencies, exchanges, rules, experiments }
  const hidden = await adminLedger.members.findForgotten(read.programme.named)
  if (hidden.memberIds.length + hidden.loyaltyIds.length === 0) return programme
  return { ...programme, stored: hideIds({ document, benefits }, hidden) }
}
