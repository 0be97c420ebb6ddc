import { StoreFault } from '../../fault.js'
import { type Meaning, meaningOfState } from './sql-states.js'

type Kind = StoreFault['kind']

/** How far a statement had come when it failed. */
export type Stage = 'unsent' | 'reading' | 'writing'

/**
 * What a failed statement means to the callers of the ledger: a StoreFault where the world failed, else the error itself,
 * for then we have sent something wrong.
 *
 * @param stage  `unsent`: the statement never left; `reading`, `writing`: it was sent, and this is what it does
 */
export function faultFromError(error: unknown, stage: Stage, lasting = false): unknown {
  if (error instanceof StoreFault) return error
  const kind = kindOf(meaningOfError(error), stage)
  return kind === null ? error : new StoreFault('ledger', kind, { cause: error, lasting })
}

/** The SQLSTATE of a database's error, or null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : null
}

/** Whether the server ended the connection with this error. */
export function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity !== 'ERROR'
}

/** Classifies what the server, the driver or the system said. */
export function meaningOfError(error: unknown): Meaning {
  const state = sqlState(error)
  if (state !== null) {
    const meaning = meaningOfState(state)
    return isFatal(error) && meaning !== 'away' && meaning !== 'full' ? 'broken' : meaning
  }
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  // The file system under the embedded ledger.
  if (code === 'ENOSPC') return 'full'
  return code === null || notConnection.test(code) ? 'ours' : 'broken'
}

function kindOf(meaning: Meaning, stage: Stage): Kind | null {
  switch (meaning) {
    case 'ours':
      return null
    case 'busy':
    case 'stale':
      return 'busy'
    case 'full':
      return 'full'
    case 'away':
      return 'unreachable'
    case 'broken':
      return stage === 'writing' ? 'in_doubt' : 'unreachable'
    case 'in_doubt':
      return stage === 'writing' ? 'in_doubt' : 'busy'
  }
}

/** Errors of sockets and connections carry a code, and so do some mistakes of ours: Node's argument errors and the driver's own. */
const notConnection = /^(ERR_|UNDEFINED_VALUE|MAX_PARAMETERS|NOT_TAGGED|UNSAFE_TRANSACTION|MESSAGE_NOT)/
