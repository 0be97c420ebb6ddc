import type {
  AdminProcesses,
  AdminServer,
  AdminTraffic,
  Change,
  Changes,
  Due,
  Gateways,
  LedgerServer,
  LedgerSetup,
  PosProcesses,
  PosTraffic,
  RunningGateway,
  TrafficMinute,
} from '../../ledger/gateways.js'
import type { LedgerClock } from '../calculations/ledger-clock.js'
import type { LedgerOptions } from '../connection/options.js'
import { adminReads, readRow, type Sql, sql, type Terms } from '../connection/sql.js'

const leaseMs = 3_000

const meetMs = 400

export function createGateways(database: Sql): Gateways {
  return {
    async meet({ gatewayId, usesCache, flushedThrough, wishes }) {
      const row = await readRow<{ wished: number; flushed_by_others: number | null }>(
        database,
        sql`
          select * from report_gateway(
            ${gatewayId}::uuid, ${usesCache}::boolean, ${flushedThrough}::bigint, ${wishes}::boolean, ${leaseMs}::integer
          )`,
        { effect: 'writes', withinMs: meetMs },
      )
      return { wished: row.wished, flushedByOthers: row.flushed_by_others ?? Number.POSITIVE_INFINITY }
    },
    async leave(gatewayId) {
      await database.run(sql`delete from gateway g where g.gateway_id = ${gatewayId}::uuid`, {
        effect: 'writes',
        withinMs: meetMs,
      })
    },
  }
}

const reports: Terms = { effect: 'writes', withinMs: 1_000 }

const silentMs = 60_000
const keptMs = 86_400_000
const deletedMax = 10

export function createPosProcesses(database: Sql): PosProcesses {
  return {
    async announce(process) {
      const { processId, host, pid, port, number, programmeVersion, cache, uptimeMs } = process
      const { version, nodeVersion, processes, traffic } = process
      await database.run(
        sql`
          with deleted as (
            delete from gateway_process where process_id in (
              select p.process_id from gateway_process p
              where p.seen_at < clock_timestamp() - ${keptMs}::integer * interval '1 millisecond'
                and p.process_id <> ${processId}::uuid
              limit ${deletedMax}::integer for update skip locked
            )
          )
          insert into gateway_process (
            process_id, host, pid, port, number, version, node_version, processes, programme_version, cache, traffic, started_at,
            seen_at
          ) values (
            ${processId}::uuid, ${host}::text, ${pid}::integer, ${port}::integer, ${number}::integer, ${version}::text,
            ${nodeVersion}::text, ${processes}::integer, ${programmeVersion}::integer, ${cache}::text,
            ${JSON.stringify(traffic)}::text::json, clock_timestamp() - ${uptimeMs}::float8 * interval '1 millisecond', clock_timestamp()
          )
          on conflict (process_id) do update set
            programme_version = excluded.programme_version, cache = excluded.cache, traffic = excluded.traffic,
            seen_at = excluded.seen_at`,
        reports,
      )
    },
    async withdraw(processId) {
      await database.run(sql`delete from gateway_process where process_id = ${processId}::uuid`, reports)
    },
  }
}

export function createAdminProcesses(database: Sql): AdminProcesses {
  return {
    async listGateways(limit) {
      return await database.run<RunningGateway>(
        sql`
          select r.host, r.pid, r.port, (array_agg(r.version order by r.started_at desc))[1] as version,
            (array_agg(r.node_version order by r.started_at desc))[1] as "nodeVersion",
            (array_agg(r.processes order by r.started_at desc))[1] as "processesWanted",
            (count(*) filter (where not r.is_silent))::integer as processes,
            min(r.programme_version) as "programmeVersion",
            case when bool_or(r.cache = 'down') then 'down' when bool_or(r.cache = 'up') then 'up' else 'absent' end as cache,
            milliseconds(min(r.started_at)) as "startedAtMs", milliseconds(max(r.seen_at)) as "seenAtMs",
            bool_and(r.is_silent) as "isSilent"
          from (
            select p.*, bool_and(p.is_silent) over (partition by p.host, p.pid, p.port) as are_silent
            from (
              select distinct on (g.host, g.pid, g.port, g.number) g.*,
                g.seen_at < clock_timestamp() - ${silentMs}::integer * interval '1 millisecond' as is_silent
              from gateway_process g
              where g.seen_at >= clock_timestamp() - ${keptMs}::integer * interval '1 millisecond'
              order by g.host, g.pid, g.port, g.number, g.started_at desc, g.process_id
            ) p
          ) r
          where r.are_silent or not r.is_silent
          group by r.host, r.pid, r.port
          order by r.host, r.port, r.pid
          limit ${limit}::integer`,
        adminReads,
      )
    },
  }
}

export function createPosTraffic(database: Sql): PosTraffic {
  return {
    async add(processId, minutes) {
      await database.run(sql`select add_traffic(${processId}::uuid, ${JSON.stringify(minutes)}::text::json)`, reports)
    },
    async judge() {
      await database.run(sql`select judge_minutes()`, reports)
    },
  }
}

export function createAdminTraffic(database: Sql): AdminTraffic {
  return {
    async readMinutes(fromMs) {
      const rows = await database.run<{ at: number; counts: string }>(
        sql`
          select milliseconds(t.minute) as at,
            json_build_object('outcomes', t.outcomes, 'times', t.times, 'calls', t.calls)::text as counts
          from traffic_minute t
          where t.minute >= to_timestamp(${fromMs}::float8 / 1000)
          order by t.minute`,
        adminReads,
      )
      return rows.map(({ at, counts }): TrafficMinute => ({ at, ...JSON.parse(counts) }))
    },
    async readLatest() {
      const rows = await database.run<{ traffic: string }>(
        sql`
          select p.traffic::text as traffic from gateway_process p
          where p.seen_at >= clock_timestamp() - ${silentMs}::integer * interval '1 millisecond'`,
        adminReads,
      )
      return rows.map(({ traffic }) => JSON.parse(traffic))
    },
  }
}

export const changesMax = 10_000

/** Waited for like a write: a ledger that is silent for so long is slow, and in reach. */
const dueMs = 10_000

interface Seen {
  readonly revision: number
  readonly changes: readonly Change[] | null
  readonly nowMs: number
}

export function createChanges(database: Sql, clock: LedgerClock, { readMs }: Required<LedgerOptions>): Changes {
  const terms = { effect: 'reads', withinMs: readMs } as const
  return {
    async since(revision) {
      const sentAtMs = performance.now()
      const { nowMs, ...news } = await readRow<Seen>(
        database,
        sql`
          with feed as (select coalesce(min(c.revision), 0) as oldest, coalesce(max(c.revision), 0) as newest from change c),
            news as (
              select c.revision, c.kind, c.id from change c
              where c.revision > ${revision}::bigint order by c.revision limit ${changesMax + 1}::integer
            )
          select feed.newest as revision, case
            when feed.newest >= ${revision}::bigint and feed.oldest <= ${revision}::bigint + 1
              and (select count(*) from news) <= ${changesMax}::integer
            then (select coalesce(json_agg(json_build_object('kind', n.kind, 'id', n.id) order by n.revision), '[]') from news n)
          end as changes, (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"
          from feed`,
        terms,
      )
      clock.learn(sentAtMs, nowMs)
      return news
    },
    // Each condition is that of the function which does the work, and uses the same index.
    async due() {
      const rows = await database.run<{ due: Due }>(
        sql`
          select 'calculations' as due
          where exists (select from calculation c where c.state = 'open' and c.expires_at <= statement_timestamp())
          union all
          select 'value' where exists (
            select from lot l where l.expires_at <= statement_timestamp() and l.expires_at < 'infinity' and l.amount > l.held
          ) or exists (
            select from lot l where l.awaits_opening and l.opens_at <= statement_timestamp()
          ) or exists (
            select from lot l
            where not l.expiry_announced and l.expires_at < 'infinity' and l.expires_at <= statement_timestamp() + interval '7 days'
          ) or exists (select from announced_tier a where a.lapses_at <= statement_timestamp())
          union all
          select 'sums' where exists (select from unsummed_sales('infinity', 1)) or exists (select from experiment_return)
            or exists (select from experiment_member m where not m.counted and not m.left_out)
          union all
          select 'withheld' where exists (select from experiment_withheld w where w.leased_until < statement_timestamp())
          union all
          select 'publications' where exists (
            select from programme_proposal p
            where p.state = 'scheduled' and p.publish_at <= statement_timestamp() and p.leased_until <= statement_timestamp()
          )
          union all
          select 'webhooks' where exists (select from webhook)`,
        { effect: 'writes', withinMs: dueMs },
      )
      return rows.map(({ due }) => due)
    },
  }
}

export function createAdminServer(database: Sql): AdminServer {
  return {
    async describe() {
      return await readRow<LedgerServer>(
        database,
        sql`select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`,
        adminReads,
      )
    },
    async inspect() {
      return await readRow<LedgerSetup>(
        database,
        sql`
          select current_setting('server_version') as version, milliseconds(clock_timestamp()) as "nowMs",
            coalesce((
              select string_agg(s.name, ', ' order by s.name) from pg_settings s
              where s.name in ('fsync', 'synchronous_commit', 'full_page_writes') and s.setting = 'off'
            ), '') as unsafe,
            current_setting('synchronous_standby_names') as "standbyNames",
            case when pg_has_role('pg_read_all_stats', 'usage') then
              (select count(*)::integer from pg_stat_replication where sync_state in ('sync', 'quorum'))
            end as standbys,
            current_setting('archive_mode') <> 'off' as archives,
            extract(epoch from clock_timestamp() - a.last_archived_time)::float8 as "archivedS",
            case when a.last_failed_time > coalesce(a.last_archived_time, '-infinity') then a.last_failed_wal end as "archiveFailed"
          from pg_stat_archiver a`,
        adminReads,
      )
    },
  }
}
