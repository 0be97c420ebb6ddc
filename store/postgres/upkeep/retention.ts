import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFault } from '../../fault.js'
import type { LedgerOptions } from '../connection/options.js'
import { readRow, type Sql, sql, type Terms } from '../connection/sql.js'

const roundMs = 3_600_000

const daysAhead = 7
/** Days ahead that a start waits for, each some 40 ms on an empty embedded ledger; the first round an hour later makes the others. */
export const daysAtStart = 1

const dropAttemptsMax = 20
const dropPauseMs = 500

const changesKept = '1 day'

const trafficKept = '2 days'

const requestsKept = '7 days'

/** Records deleted in one transaction at most, which holds the locks of their counters for some milliseconds; the pause after it. */
const pruneMax = 500
const prunePauseMs = 50

const terms: Terms = { effect: 'writes', withinMs: 10_000 }

export async function ensurePartitions(database: Sql, days: number, withinMs = terms.withinMs): Promise<void> {
  await database.run(sql`select ensure_partitions(${days}::integer)`, { ...terms, withinMs })
}

/** More than `days` days old, UTC; resolves to how many days. It gives way to calls, and tries again later. */
export async function dropPartitions(database: Sql, days: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const dropping = sql`select drop_partitions(${days}::integer) as dropped`
      const row = await readRow<{ dropped: number }>(database, dropping, terms)
      return row.dropped
    } catch (error) {
      const inTheWay = error instanceof StoreFault && error.kind === 'busy'
      if (!inTheWay || attempt === dropAttemptsMax) throw error
      await sleep(dropPauseMs)
    }
  }
}

export async function pruneRecords(database: Sql, days: number, max: number = pruneMax): Promise<number> {
  const pruning = sql`select prune_records(${days}::integer, ${max}::integer) as pruned`
  const row = await readRow<{ pruned: number }>(database, pruning, terms)
  return row.pruned
}

export async function pruneEvents(database: Sql, days: number, max: number = pruneMax): Promise<number> {
  const pruning = sql`select prune_events(${days}::integer, ${max}::integer) as pruned`
  const row = await readRow<{ pruned: number }>(database, pruning, terms)
  return row.pruned
}

async function pruneWithPauses(prune: () => Promise<number>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await prune()) > 0) {
    await sleep(prunePauseMs, undefined, { signal: stopping, ref: false }).catch(() => {})
  }
}

export async function pruneChanges(database: Sql): Promise<void> {
  // The newest change stays: revisions go on behind it.
  await database.run(
    sql`
      delete from change c
      where c.changed_at < statement_timestamp() - ${changesKept}::text::interval
        and c.revision < (select max(n.revision) from change n)`,
    terms,
  )
  await database.run(
    sql`delete from change_request r where r.made_at < statement_timestamp() - ${requestsKept}::text::interval`,
    terms,
  )
  await database.run(sql`delete from wrong_code w where w.at <= statement_timestamp() - interval '1 hour'`, terms)
  await database.run(
    sql`delete from traffic_minute t where t.minute < statement_timestamp() - ${trafficKept}::text::interval`,
    terms,
  )
}

/** Now and every hour. The partitions of today and tomorrow must succeed now; `onFault` receives any other fault. */
export async function startRetention(
  database: Sql,
  {
    bodyDays,
    recordDays,
    eventDays,
    onFault,
  }: Pick<Required<LedgerOptions>, 'bodyDays' | 'recordDays' | 'eventDays' | 'onFault'>,
): Promise<() => void> {
  const stopping = new AbortController()
  const prune = async () => {
    await pruneWithPauses(() => pruneEvents(database, eventDays), stopping.signal)
    if (recordDays > 0) await pruneWithPauses(() => pruneRecords(database, recordDays), stopping.signal)
  }
  const tidy = async () => {
    await dropPartitions(database, bodyDays)
    await pruneChanges(database)
  }
  await ensurePartitions(database, daysAtStart)
  await tidy().catch(onFault)
  let pruning = prune().catch(onFault)
  const timer = setInterval(() => {
    ensurePartitions(database, daysAhead).then(tidy).catch(onFault)
    pruning = pruning.then(prune).catch(onFault)
  }, roundMs).unref()
  return () => {
    stopping.abort()
    clearInterval(timer)
  }
}
