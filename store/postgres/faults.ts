import { StoreFault } from '../index.js'

type Kind = StoreFault['kind']

/** How far a statement had come when it failed. */
export type Stage = 'unsent' | 'reading' | 'writing'

/** No writes are taken: disk full (as the server says it, or the file system under the embedded one), I/O error, or a standby. */
const full = new Set(['53100', '58030', '25006', 'ENOSPC'])

/** The server turned the connection or the statement away before doing anything; LY002: it has been replaced by a promoted standby. */
const turnedAway = new Set(['57P03', '53300', '3D000', '28000', '28P01', 'LY002'])

/** The server talks to us, and this statement has changed nothing: cancelled, waited too long for a lock, or lost a deadlock. */
const stopped = new Set(['57014', '55P03', '40P01', '40001'])

/** The connection ended under the statement: server going down, crashed, or connection terminated. */
const ended = /^(57P0[12]|08...)$/

/**
 * What a failed statement means to the callers of the ledger: a StoreFault where the world failed, else the error itself,
 * for then we have sent something wrong.
 *
 * @param stage  `unsent`: the statement never left; `reading`, `writing`: it was sent, and this is what it does
 */
export function faultFromError(error: unknown, stage: Stage): unknown {
  if (error instanceof StoreFault) return error
  const kind = kindOf(error, stage)
  return kind === null ? error : new StoreFault('ledger', kind, { cause: error })
}

/** The SQLSTATE of a database's error, or null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : null
}

function kindOf(error: unknown, stage: Stage): Kind | null {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  if (code === null) return null
  if (full.has(code)) return 'full'
  // Whatever is no server's reply is a connection that broke, or was never made.
  if (sqlState(error) === null) return notConnection.test(code) ? null : broken(stage)
  if (turnedAway.has(code)) return 'unreachable'
  if (stopped.has(code)) return 'busy'
  return ended.test(code) ? broken(stage) : null
}

function broken(stage: Stage): Kind {
  return stage === 'writing' ? 'in_doubt' : 'unreachable'
}

/** Errors of sockets and connections carry a code, and so do some mistakes of ours: Node's argument errors and the driver's own. */
const notConnection = /^(ERR_|UNDEFINED_VALUE|MAX_PARAMETERS|NOT_TAGGED|UNSAFE_TRANSACTION|MESSAGE_NOT)/
