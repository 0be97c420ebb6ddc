import postgres from 'postgres'
import { StoreFault } from '../index.js'
import { faultFromError, type Stage, sqlState } from './faults.js'
import { createLanes, type Lane, type Lanes, overdueMs } from './lanes.js'
import { planning } from './planning.js'
import { createPrimary, type Lookout, type Primary, type ServerState } from './primary.js'
import { createPulse, hangMsDefault, type Pulse } from './pulse.js'
import type { Sql, SqlValue, Statement, Terms, Transaction } from './sql.js'

/** Connections per gateway unless told otherwise; one hot counter is confirmed one after the other whatever their number. */
export const connectionsDefault = 8

/** A connection that cannot be made in this time is given up, in milliseconds. */
const connectMs = 1_000

/** The server itself ends a statement after this time, in milliseconds: as long as the longest call waits. */
const statementMs = 30_000

/** How often a working server looks whether we are still there, in milliseconds. */
const clientCheckMs = 250

type Query = postgres.PendingQuery<postgres.Row[]> & { readonly state: object | null }

/**
 * Real Postgres (15 or newer) over a fixed number of connections, each with one statement at a time, so that no call ever
 * waits behind another's statement in a socket. While the server is away or hangs, calls fail within their own time, look-ups as
 * soon as the server has been silent for `hangMs`: a statement that nobody waits for any more ends when its connection is closed,
 * and nothing is sent twice. Where several servers are named, every connection leads to the one that is the primary (`Primary`).
 *
 * @param at           `postgres://`; query parameters such as `sslmode` count. Or which server that is, where others look at it too
 * @param connections  at most
 * @param hangMs       silence after which the server counts as out of reach, in milliseconds
 */
export function createPostgresSql(
  at: string | Primary,
  connections: number = connectionsDefault,
  hangMs: number = hangMsDefault,
): Sql {
  const primary = typeof at === 'string' ? openPrimary(at) : at
  const pulse = createPulse(hangMs)
  const lanes = createLanes(
    connections,
    () => connect(primary.url(), { ...laneSettings, ...fenceOf(primary) }, pulse.heard),
    pulse,
  )
  primary.onMove(() => lanes.renewAll())
  let closed = false
  return {
    async run<Row>(statement: Statement, terms: Terms) {
      if (closed) throw new StoreFault('ledger', 'unreachable')
      const untilMs = performance.now() + terms.withinMs
      if (primary.several && primary.timeline() === 0) await primary.found()
      const lane = await lanes.take(terms.withinMs)
      const rows = await runOn({ lanes, pulse }, lane, { statement, terms, untilMs })
      return rows as unknown as readonly Row[]
    },
    transaction: (work) => runTransaction(primary, work),
    async runOnEach(statement, terms) {
      for (let done = 0; done < connections && !closed; done += 1) {
        const untilMs = performance.now() + terms.withinMs
        const lane = await lanes.takeColdest(terms.withinMs)
        await runOn({ lanes, pulse }, lane, { statement, terms, untilMs })
      }
    },
    async close() {
      closed = true
      pulse.close()
      if (primary !== at) await primary.close()
      await lanes.close()
    },
  }
}

/** Which of the servers of a DATABASE_URL is the primary, looked at on connections of its own. */
export function openPrimary(url: string): Primary {
  return createPrimary(url, openLookout)
}

function openLookout(url: string): Lookout {
  const client = connect(url, {})
  return {
    async look() {
      const [row] = await client.unsafe<ServerState[]>(`
        select pg_is_in_recovery() as follows, (select system_identifier from pg_control_system())::text as system,
          case when pg_is_in_recovery() then 0
            else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end as timeline`)
      return row!
    },
    close: () => client.end({ timeout: 0 }),
  }
}

/** Tells each session what timeline the ledger is on as far as we know, for `require_durable` to refuse an older one. */
function fenceOf(primary: Primary): Readonly<Record<string, string>> {
  return primary.timeline() === 0 ? {} : { 'loyalty.timeline': String(primary.timeline()) }
}

interface Run {
  readonly statement: Statement
  readonly terms: Terms
  /** `performance.now()` when nobody waits any more. */
  readonly untilMs: number
}

interface Connections {
  readonly lanes: Lanes
  readonly pulse: Pulse
}

/** Runs a statement on a lane, which is free again when the statement has settled, however late. */
function runOn(
  { lanes, pulse }: Connections,
  lane: Lane,
  { statement, terms, untilMs }: Run,
): Promise<postgres.RowList<postgres.Row[]>> {
  const { client } = lane
  const query = client.unsafe(statement.text, statement.values as SqlValue[], { prepare: true }) as unknown as Query
  const settled = query.then(
    () => {
      pulse.heard()
      lanes.free(lane)
    },
    (error: unknown) => {
      if (sqlState(error) !== null) pulse.heard()
      if (lane.client === client && isBroken(error)) lanes.renew(lane)
      lanes.free(lane)
    },
  )
  return new Promise((resolve, reject) => {
    // A write that was sent is waited for to the end: the server's own word is better than our doubt.
    const wait = { untilMs, endsOnSilence: terms.effect === 'reads' }
    const unwatch = pulse.watch(wait, (why) => {
      lanes.abandon(lane, settled)
      reject(new StoreFault('ledger', stageOf(query, terms) === 'writing' ? 'in_doubt' : why))
    })
    query.then(resolve, (error: unknown) => reject(faultFromError(error, stageOf(query, terms)))).finally(unwatch)
  })
}

/** The driver notes the connection on a query when it writes it out. */
function stageOf(query: Query, { effect }: Terms): Stage {
  if (query.state === null) return 'unsent'
  return effect === 'writes' ? 'writing' : 'reading'
}

function isBroken(error: unknown): boolean {
  const fault = faultFromError(error, 'unsent')
  return fault instanceof StoreFault && fault.kind === 'unreachable'
}

const laneSettings = {
  ...planning,
  statement_timeout: statementMs,
  client_connection_check_interval: clientCheckMs,
}

/** @param heard  hears of every connection that is made: a server that lets many in at once is busy with that, not away */
function connect(
  url: string,
  settings: Readonly<Record<string, string | number>>,
  heard: () => void = () => {},
): postgres.Sql {
  return postgres(url, {
    max: 1,
    connect_timeout: connectMs / 1_000,
    // A call that finds the server away says so at once, and the next one tries anew.
    backoff: () => 0,
    fetch_types: false,
    prepare: true,
    onnotice: () => {},
    onparameter: heard,
    connection: { application_name: 'loyalty', ...settings },
    types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
  }) as unknown as postgres.Sql
}

/** On a connection of its own, without the time limits of the lanes. */
async function runTransaction<T>(primary: Primary, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  await primary.found()
  const client = connect(primary.url(), fenceOf(primary))
  let stage: Stage = 'unsent'
  try {
    const outcome = await client.begin(async (begun) => {
      stage = 'writing'
      const transaction: Transaction = {
        run: async <Row>({ text, values }: Statement) =>
          (await begun.unsafe(text, values as SqlValue[])) as unknown as readonly Row[],
        runScript: async (script) => {
          await begun.unsafe(script).simple()
        },
      }
      return await work(transaction)
    })
    return outcome as T
  } catch (error) {
    throw faultFromError(error, stage)
  } finally {
    await client.end({ timeout: overdueMs / 1_000 })
  }
}
