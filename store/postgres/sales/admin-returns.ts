import type { ReturnPlan } from '../../../engine/value/returns.js'
import type {
  AdminReturns,
  LadderSweep,
  ListedReturn,
  QuoteReply,
  RecordedReturn,
  RecordReply,
  ReturnBasket,
  ReturnFilter,
  ReturnState,
} from '../../ledger/returns.js'
import { change, momentText } from '../connection/changes.js'
import { findRow, readRow } from '../connection/rows.js'
import { adminChanges, adminReads, type Sql, type Statement, sql } from '../connection/sql.js'

/** The youngest sale that the sweep looks at: its calculation may come after it, and its commit some time after `recorded_at`. */
const sweptAfter = '1 hour'
/** For one slice. */
const sweepLease = '2 minutes'

export function createAdminReturns(database: Sql): AdminReturns {
  return {
    async find(calculationId) {
      // From the primary: a standby may lag behind the sale, or the ladder just stored.
      const row = await readRow<{ state: ReturnState }>(
        database,
        sql`select return_state(${calculationId}::uuid) as state`,
        adminChanges,
      )
      return row.state
    },
    async storeLadder(calculationId, ladder, facts = null) {
      const storing = sql`select store_ladder(${calculationId}::uuid, ${JSON.stringify(ladder)}, ${facts}::text)`
      await database.run(storing, adminChanges)
    },
    async findBasket(calculationId) {
      return await findRow<ReturnBasket>(database, basketOf(calculationId), adminChanges)
    },
    async listBaskets(memberId, { after, limit }) {
      return await database.run<ReturnBasket>(basketsOf(memberId, after, limit), adminReads)
    },
    async quote(calculationId, { lines, seen, plan }) {
      const row = await readRow<{ reply: QuoteReply }>(
        database,
        sql`
          select quote_return(${calculationId}::uuid, ${JSON.stringify(lines)}, ${seen}, ${textOf(plan)}::text::json) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async record(command, { calculationId, lines, reference, occurredAt, seen, plan }) {
      return await change<RecordReply>(
        database,
        command,
        'change_return',
        sql`
          ${calculationId}::uuid, ${JSON.stringify(lines)}, ${reference}, ${momentText(occurredAt)}::text::timestamptz,
          ${seen}, ${textOf(plan)}::text::json`,
      )
    },
    async list(filter, { after, limit }) {
      const rows = await database.run<{ summary: RecordedReturn; lines: ListedReturn['lines'] }>(
        returnsOf(filter, after, limit),
        adminReads,
      )
      return rows.map(({ summary, lines }) => ({ ...summary, lines }))
    },
    async sweep(max) {
      const row = await readRow<{ ids: LadderSweep['calculationIds']; last: LadderSweep['last'] }>(
        database,
        sql`
          select to_json(w.ids) as ids, w.last
          from sweep_ladders(${sweptAfter}::text::interval, ${sweepLease}::text::interval, ${max}::integer) w`,
        adminChanges,
      )
      return { calculationIds: row.ids, last: row.last }
    },
    async passed({ recordedAtUs, calculationId }) {
      await database.run(
        sql`
          update ladder_sweep w
          set recorded_at = n.recorded_at, calculation_id = n.calculation_id, leased_until = '-infinity'
          from (select moment_of(${recordedAtUs}::bigint) as recorded_at, ${calculationId}::uuid as calculation_id) n
          where (w.recorded_at, w.calculation_id) < (n.recorded_at, n.calculation_id)`,
        adminChanges,
      )
    },
  }
}

function textOf(plan: ReturnPlan | null): string | null {
  return plan === null ? null : JSON.stringify(plan)
}

function returnsOf(
  { fromUs, untilUs, calculationId }: ReturnFilter,
  after: readonly [number, number] | null,
  limit: number,
): Statement {
  const [atUs, returnId] = after ?? [null, 0]
  return sql`
    select return_summary(r) as summary, (
        select json_agg(json_build_array(k.ladder -> 'lines' -> (l.line ->> 0)::integer -> 'lineId', l.line -> 1) order by l.place)
        from (select s.ladder::json as ladder from sale_ladder s where s.calculation_id = r.calculation_id) k
        cross join json_array_elements(r.lines::json) with ordinality l (line, place)
      ) as lines
    from sale_return r
    where (${calculationId} = '' or r.calculation_id = nullif(${calculationId}, '')::uuid)
      and r.recorded_at >= moment_of(${fromUs}::bigint) and r.recorded_at < moment_of(${untilUs}::bigint)
      and (r.recorded_at, r.return_id) < (coalesce(moment_of(${atUs}::bigint), 'infinity'), ${returnId}::bigint)
    order by r.recorded_at desc, r.return_id desc
    limit ${limit}::integer`
}

function basketOf(calculationId: string): Statement {
  return sql`
    select b.calculation_id as "calculationId", b.packed, b.facts
    from ladder_basket b
    where b.calculation_id = ${calculationId}::uuid`
}

function basketsOf(memberId: string, after: string | null, limit: number): Statement {
  return sql`
    select b.calculation_id as "calculationId", b.packed, b.facts
    from ladder_basket b
    where b.member_id = ${memberId} and (${after}::uuid is null or b.calculation_id > ${after}::uuid)
    order by b.calculation_id
    limit ${limit}::integer`
}
