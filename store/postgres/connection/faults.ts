import { StoreFault } from '../../fault.js'

type Kind = StoreFault['kind']

export type Stage = 'unsent' | 'reading' | 'writing'

export function faultFromError(error: unknown, stage: Stage, lasting = false): unknown {
  if (error instanceof StoreFault) return error
  const kind = kindOf(meaningOfError(error), stage)
  return kind === null ? error : new StoreFault('ledger', kind, { cause: error, lasting })
}

export function sqlState(error: unknown): string | null {
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : null
}

export function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity !== 'ERROR'
}

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

/**
 * - `ours`: we have sent something wrong. A bug.
 * - `busy`: the server is there, nothing was changed, and the same call may succeed later.
 * - `full`: it takes no writes now.
 * - `away`: it refused the connection or the statement before it did anything.
 * - `broken`: the connection ended under the statement.
 * - `in_doubt`: the outcome of a commit is unknown.
 * - `stale`: this session is of no use for this statement, another one is; nothing was changed.
 */
export type Meaning = 'ours' | 'busy' | 'full' | 'away' | 'broken' | 'in_doubt' | 'stale'

const classes: Readonly<Record<string, Meaning>> = {
  '08': 'broken',
  // "cached plan must not change result type": a table has changed since the statement was prepared.
  '0A': 'stale',
  // Our sessions never hold a transaction open: a pooler between us and the server has mixed them up.
  '25': 'stale',
  '26': 'stale',
  '28': 'away',
  '3D': 'away',
  '40': 'busy',
  '53': 'busy',
  '55': 'busy',
  '57': 'busy',
  '58': 'busy',
  '72': 'busy',
  F0: 'busy',
  // An unreadable page or index does not affect other rows: the call is refused, and no bug of ours is reported.
  XX: 'busy',
}

const states: Readonly<Record<string, Meaning>> = {
  '08001': 'away',
  '08004': 'away',
  '08007': 'in_doubt',
  '25006': 'full',
  '40003': 'in_doubt',
  // Our role has lost a right that it had when the service started.
  '42501': 'away',
  '42P05': 'stale',
  '53100': 'full',
  '53300': 'away',
  '57P01': 'broken',
  '57P02': 'broken',
  '57P03': 'away',
  '57P04': 'broken',
  '57P05': 'broken',
  '58030': 'full',
}

export function meaningOfState(state: string): Meaning {
  return states[state] ?? classes[state.slice(0, 2)] ?? 'ours'
}
