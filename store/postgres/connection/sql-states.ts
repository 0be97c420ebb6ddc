/**
 * What an error of the server means to a call.
 *
 * - `ours`: we have sent something wrong. A bug.
 * - `busy`: the server is there, this statement has changed nothing, and the same call may succeed later.
 * - `full`: it takes no writes now.
 * - `away`: it turned the connection or the statement away before it did anything.
 * - `broken`: the connection ends, or ended, under the statement.
 * - `in_doubt`: nobody knows whether a commit took effect.
 * - `stale`: this session is of no use for this statement, which has changed nothing. Another session is.
 */
export type Meaning = 'ours' | 'busy' | 'full' | 'away' | 'broken' | 'in_doubt' | 'stale'

/** Every class of appendix A of the manual of Postgres 15; a test holds it complete. */
const classes: Readonly<Record<string, Meaning>> = {
  '00': 'ours',
  '01': 'ours',
  '02': 'ours',
  '03': 'ours',
  '08': 'broken',
  '09': 'ours',
  // "cached plan must not change result type": somebody has changed a table since the statement was prepared.
  '0A': 'stale',
  '0B': 'ours',
  '0F': 'ours',
  '0L': 'ours',
  '0P': 'ours',
  '0Z': 'ours',
  '20': 'ours',
  '21': 'ours',
  '22': 'ours',
  '23': 'ours',
  '24': 'ours',
  // Our sessions never hold a transaction open: a pooler between us and the server has mixed them up.
  '25': 'stale',
  '26': 'stale',
  '27': 'ours',
  '28': 'away',
  '2B': 'ours',
  '2D': 'ours',
  '2F': 'ours',
  '34': 'ours',
  '38': 'ours',
  '39': 'ours',
  '3B': 'ours',
  '3D': 'away',
  '3F': 'ours',
  '40': 'busy',
  '42': 'ours',
  '44': 'ours',
  '53': 'busy',
  '54': 'ours',
  '55': 'busy',
  '57': 'busy',
  '58': 'busy',
  '72': 'busy',
  F0: 'busy',
  HV: 'ours',
  P0: 'ours',
  // A page or an index that cannot be read says nothing about other rows: the call is refused, and no bug of ours is reported.
  XX: 'busy',
}

/** States that mean something else than their class. */
const states: Readonly<Record<string, Meaning>> = {
  '08001': 'away',
  '08004': 'away',
  '08007': 'in_doubt',
  '25006': 'full',
  '40003': 'in_doubt',
  // Our role may no longer do what it could when the service started.
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

/** Classifies a SQLSTATE: by itself, else by its class; what is in no table of Postgres is ours. */
export function meaningOfState(state: string): Meaning {
  return states[state] ?? classes[state.slice(0, 2)] ?? 'ours'
}

/** Whether the table names the class of this SQLSTATE. */
export function isClassified(state: string): boolean {
  return state.slice(0, 2) in classes
}
