import type { Client } from '@connectrpc/connect'
import type { ProgrammeService, ProgrammeWarning } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type { Screen } from './command.js'
import { reasonOf } from './internal.js'
import { versionFrom } from './version-word.js'

/** The version that --expect names, 0 where none is published yet; null: the newest one. Throws WrongUse on any other word. */
export function expectedFrom(word: string | undefined): number | null {
  if (word === undefined) return null
  return word === '0' ? 0 : versionFrom('--expect', word)
}

/** 0: none is published. */
export async function newestVersion(programmes: Client<typeof ProgrammeService>): Promise<number> {
  try {
    return (await programmes.getProgramme({ withoutDocument: true })).programme?.version ?? 0
  } catch (error) {
    if (reasonOf(error) === 'PROGRAMME_NOT_FOUND') return 0
    throw error
  }
}

export function showWarnings(screen: Screen, warnings: readonly ProgrammeWarning[]): void {
  for (const { path, word, message } of warnings) screen.tell(`warning: ${path}: ${word}: ${message}`)
}
