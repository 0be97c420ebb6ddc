import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { StoreFault } from '../../fault.js'
import { type Connection, isUsableAfter, isWhole, type Query } from './connection.js'
import type { ConnectionPool, PooledConnection } from './connection-pool.js'
import { faultFromError, isFatal, meaningOfError, type Stage, sqlState } from './faults.js'
import type { Pulse } from './pulse.js'
import { type SqlValue, type Statement, type Terms, wrongRows } from './sql.js'

const refusedMs = 100
const pauseMs = 10

export interface Run {
  readonly statement: Statement
  readonly terms: Terms
  readonly untilMs: number
}

export interface Parts {
  readonly pool: ConnectionPool
  readonly pulse: Pulse
  readonly reach: Outage
  /** The outage that a write meets, by the text of its statement: a server whose disk is full still takes writes that need no more room. */
  readonly writes: (text: string) => Outage
  readonly isClosed: () => boolean
}

export type Rows = postgres.RowList<postgres.Row[]>

/** `always`: it did nothing, or only reads. `once`: the session was of no use. `briefly`: no connection was to be had. */
type Again = 'always' | 'once' | 'briefly' | 'never'

type Outcome = { readonly rows: Rows } | { readonly fault: unknown; readonly again: Again }

/** A statement that was not sent, or only reads, is repeated on another connection within its time; a write never is. */
export async function runPatiently(parts: Parts, run: Run): Promise<Rows> {
  const beganMs = performance.now()
  let how: 'take' | 'takeColdest' = 'take'
  for (let attempt = 1; ; attempt += 1) {
    const pooled = await takeConnection(parts, how, run.untilMs - performance.now())
    const outcome = await runOn(parts, pooled, run)
    if ('rows' in outcome) return outcome.rows
    const waitMs = pauseBefore(outcome.again, { attempt, beganMs, parts })
    if (waitMs === null || parts.isClosed() || performance.now() + waitMs >= run.untilMs) throw outcome.fault
    // Where a connection is refused, one of the others may still be there; where it broke, it is made again.
    how = outcome.again === 'briefly' ? 'takeColdest' : 'take'
    if (waitMs > 0) await sleep(waitMs)
  }
}

/** A wait for a connection that ends because the server is silent is a sign that it is out of reach. */
async function takeConnection(
  { pool, reach }: Parts,
  how: 'take' | 'takeColdest',
  withinMs: number,
): Promise<PooledConnection> {
  try {
    return await pool[how](withinMs)
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind === 'busy') throw error
    reach.failed()
    throw new StoreFault('ledger', error.kind, { cause: error, lasting: reach.isLasting() })
  }
}

interface Attempts {
  readonly attempt: number
  readonly beganMs: number
  readonly parts: Parts
}

function pauseBefore(again: Again, { attempt, beganMs, parts }: Attempts): number | null {
  switch (again) {
    case 'always':
      return attempt === 1 ? 0 : pauseMs
    case 'once':
      return attempt === 1 ? 0 : null
    case 'briefly':
      return parts.reach.isLasting() || performance.now() - beganMs > refusedMs ? null : pauseMs
    case 'never':
      return null
  }
}

export function runOn(parts: Parts, pooled: PooledConnection, { statement, terms, untilMs }: Run): Promise<Outcome> {
  const { pool, pulse } = parts
  const { connection } = pooled
  connection.received = 0
  const query = connection.client.unsafe(statement.text, statement.values as SqlValue[], { prepare: true }) as Query
  const settled = query.then(
    (rows) => replied(parts, { connection, rows, statement, terms }),
    (error: unknown) =>
      failed(parts, { connection, error, statement, isWritten: query.state !== null, stage: stageOf(query, terms) }),
  )
  const freed = settled.then(({ isUsable }) => {
    if (pooled.connection === connection && !isUsable) pool.renew(pooled)
    pool.free(pooled)
  })
  return new Promise((resolve, reject) => {
    // A write that was sent is waited for to the end: the server's own word is better than our doubt.
    const wait = { untilMs, endsOnSilence: terms.effect === 'reads' }
    const unwatch = pulse.watch(wait, (why) => {
      if (why === 'timeout') parts.reach.failed()
      pool.abandon(pooled, freed)
      // A statement whose text is only being prepared is still run when the server goes on, until its connection is closed.
      const kind = query.state !== null && terms.effect === 'writes' ? 'in_doubt' : why
      const lasting = why === 'timeout' && parts.reach.isLasting()
      resolve({ fault: new StoreFault('ledger', kind, { lasting }), again: 'never' })
    })
    settled.then(({ outcome }) => resolve(outcome), reject).finally(unwatch)
  })
}

interface Settled {
  readonly outcome: Outcome
  readonly isUsable: boolean
}

interface Replied {
  readonly connection: Connection
  readonly rows: Rows
  readonly statement: Statement
  readonly terms: Terms
}

function replied({ pulse, reach, writes }: Parts, { connection, rows, statement, terms }: Replied): Settled {
  pulse.replied()
  reach.worked()
  if (!isWhole(rows, connection.received)) {
    const fault = wrongRows(terms.effect, rows.count ?? connection.received, rows.length)
    return { outcome: { fault, again: terms.effect === 'reads' ? 'always' : 'never' }, isUsable: false }
  }
  if (terms.effect === 'writes') writes(statement.text).worked()
  return { outcome: { rows }, isUsable: true }
}

interface Failed {
  readonly connection: Connection
  readonly error: unknown
  readonly statement: Statement
  readonly isWritten: boolean
  readonly stage: Stage
}

function failed(parts: Parts, { connection, error, statement, isWritten, stage }: Failed): Settled {
  const { pulse, reach } = parts
  const writes = parts.writes(statement.text)
  const meaning = meaningOfError(error)
  const isReply = sqlState(error) !== null
  if (isReply) pulse.replied()
  if (isReply && !isFatal(error)) reach.worked()
  const isRefused = !isWritten && meaning === 'broken' && !isReply && !isOurDoing(error)
  if (isRefused || (isFatal(error) && meaning === 'away')) reach.failed()
  if (meaning === 'full') writes.failed()
  const lasting = meaning === 'full' ? writes.isLasting() : reach.isLasting()
  const outcome = { fault: faultFromError(error, stage, lasting), again: againAfter(error, stage, isRefused) }
  return { outcome, isUsable: isUsableAfter(error, connection.received) }
}

function againAfter(error: unknown, stage: Stage, isRefused: boolean): Again {
  switch (meaningOfError(error)) {
    case 'broken':
      if (isRefused) return 'briefly'
      return stage === 'writing' ? 'never' : 'always'
    case 'away':
      return isFatal(error) ? 'briefly' : 'never'
    case 'stale':
      return 'once'
    default:
      return 'never'
  }
}

/** We have closed the connection, to make it again. */
function isOurDoing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^CONNECTION_(ENDED|DESTROYED)$/.test(String(error.code))
}

/** A statement whose text is only being prepared has done nothing yet. */
function stageOf({ state, describeFirst }: Query, { effect }: Terms): Stage {
  if (state === null || describeFirst) return 'unsent'
  return effect === 'writes' ? 'writing' : 'reading'
}

/**
 * After so long without success a server is out of reach, in milliseconds. A broken connection is made again within 20 ms, a restart of a
 * small server takes about a second: neither is a reason to refuse a member limited benefits (wire decisions 6).
 */
export const outageMs = 2_000

/** Failures in a row, and the milliseconds between two that count: calls that fail together count once. */
export const failuresMin = 5
export const apartMs = 250

export interface Outage {
  failed(): void
  worked(): void
  isLasting(): boolean
}

export function createOutage(nowMs: () => number = () => performance.now()): Outage {
  let failures = 0
  let firstAtMs = 0
  let lastAtMs = 0
  return {
    failed() {
      const atMs = nowMs()
      if (failures === 0) firstAtMs = atMs
      else if (atMs - lastAtMs < apartMs) return
      lastAtMs = atMs
      failures += 1
    },
    worked() {
      failures = 0
    },
    isLasting: () => failures >= failuresMin && nowMs() - firstAtMs >= outageMs,
  }
}

export function createWriteOutages(nowMs?: () => number): (text: string) => Outage {
  const outages = new Map<string, Outage>()
  return (text) => {
    const known = outages.get(text) ?? createOutage(nowMs)
    outages.set(text, known)
    return known
  }
}
