import { setTimeout as sleep } from 'node:timers/promises'
import { isOutOfReach, StoreFault } from '../../fault.js'
import { readRow, type Sql, type Statement, sql, type Terms } from './sql.js'

/** How long a read waits for the replica to replay earlier commits, in milliseconds. After that the primary answers. */
const replayWaitMs = 200
const replayPauseMs = 10
const lookMs = 500
const circuitOpenMs = 1_000

interface Mark {
  readonly lsn: string
  readonly system: string
}

/**
 * The same database, with statements that only read run on a replica, a standby that takes reads. Readers see the same rows as on the
 * primary: before each read the replica must have reached the primary's position. If it needs longer than `replayWaitMs`, is away, fails, or
 * belongs to another cluster, the primary answers. While the primary is out of reach, the replica answers without this check.
 */
export function withReplica(primary: Sql, replica: Sql, nowMs: () => number = () => performance.now()): Sql {
  let aloneUntilMs = Number.NEGATIVE_INFINITY

  async function read<Row>(statement: Statement, terms: Terms): Promise<readonly Row[] | null> {
    const mark = await readMark(primary)
    try {
      if (mark !== null && !(await hasReplayed(replica, mark, nowMs() + replayWaitMs, nowMs))) return null
      // The other half is left for the primary, should this one not answer.
      return await replica.run<Row>(statement, { ...terms, withinMs: terms.withinMs / 2 })
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      aloneUntilMs = nowMs() + circuitOpenMs
      return null
    }
  }

  return {
    async run<Row>(statement: Statement, terms: Terms) {
      const untilMs = nowMs() + terms.withinMs
      const rows = terms.effect === 'reads' && nowMs() >= aloneUntilMs ? await read<Row>(statement, terms) : null
      return rows ?? (await primary.run<Row>(statement, { ...terms, withinMs: Math.max(1, untilMs - nowMs()) }))
    },
    transaction: primary.transaction,
    async close() {
      await Promise.all([primary.close(), replica.close()])
    },
  }
}

/** null: the primary is out of reach. */
async function readMark(primary: Sql): Promise<Mark | null> {
  const statement = sql`
    select pg_current_wal_flush_lsn()::text as lsn, (select system_identifier from pg_control_system())::text as system`
  try {
    return await readRow<Mark>(primary, statement, { effect: 'reads', withinMs: lookMs })
  } catch (error) {
    if (isOutOfReach(error)) return null
    throw error
  }
}

async function hasReplayed(
  replica: Sql,
  { lsn, system }: Mark,
  untilMs: number,
  nowMs: () => number,
): Promise<boolean> {
  const statement = sql`
    select coalesce(pg_last_wal_replay_lsn() >= ${lsn}::text::pg_lsn, false) as replayed,
      pg_is_in_recovery() and (select system_identifier from pg_control_system())::text = ${system} as ours`
  for (;;) {
    const state = await readRow<{ replayed: boolean; ours: boolean }>(replica, statement, {
      effect: 'reads',
      withinMs: lookMs,
    })
    if (!state.ours) throw new StoreFault('ledger', 'unreachable', { cause: new Error('no standby of the ledger') })
    if (state.replayed) return true
    if (nowMs() >= untilMs) return false
    await sleep(replayPauseMs)
  }
}
