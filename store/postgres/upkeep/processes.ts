import type { AdminProcesses, PosProcesses, RunningGateway } from '../../ledger/processes.js'
import { adminReads, type Sql, sql, type Terms } from '../connection/sql.js'

/** Time for a report, in milliseconds: the last one is part of a shutdown. */
const terms: Terms = { effect: 'writes', withinMs: 1_000 }

/** A process that has not reported for so long is silent. */
const silentMs = 60_000
/** After so long its report is deleted, with those of other processes: more than one, so that none stay. */
const keptMs = 86_400_000
const deletedMax = 10

/** What processes of gateways report of themselves. */
export function createPosProcesses(database: Sql): PosProcesses {
  return {
    async announce(process) {
      const { processId, host, pid, port, number, programmeVersion, cache, uptimeMs } = process
      const { version, nodeVersion, processes } = process
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
            process_id, host, pid, port, number, version, node_version, processes, programme_version, cache, started_at, seen_at
          ) values (
            ${processId}::uuid, ${host}::text, ${pid}::integer, ${port}::integer, ${number}::integer, ${version}::text,
            ${nodeVersion}::text, ${processes}::integer, ${programmeVersion}::integer, ${cache}::text,
            clock_timestamp() - ${uptimeMs}::float8 * interval '1 millisecond', clock_timestamp()
          )
          on conflict (process_id) do update set
            programme_version = excluded.programme_version, cache = excluded.cache, seen_at = excluded.seen_at`,
        terms,
      )
    },
    async withdraw(processId) {
      await database.run(sql`delete from gateway_process where process_id = ${processId}::uuid`, terms)
    },
  }
}

/** The processes of the ledger, as gateways. */
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
