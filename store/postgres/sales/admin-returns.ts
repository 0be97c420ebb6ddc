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
  SaleReturns,
} from '../../ledger/returns.js'
import { change, momentText } from '../connection/changes.js'
import { findRow, readRow } from '../connection/rows.js'
import { adminChanges, adminReads, join, type Sql, type Statement, sql, type Terms } from '../connection/sql.js'

/** The youngest sale that the sweep looks at: its calculation may come after it, and its commit some time after `recorded_at`. */
const sweptAfter = '1 hour'
const sweepLease = '2 minutes'

export function createSaleReturns(database: Sql, terms: Terms): SaleReturns {
  return {
    async find(calculationId) {
      // From the primary: a standby may lag behind the sale, or the ladder just stored.
      const row = await readRow<{ state: ReturnState }>(
        database,
        sql`select return_state(${calculationId}::uuid) as state`,
        terms,
      )
      return row.state
    },
    async storeLadder(calculationId, ladder, facts = null) {
      const storing = sql`select store_ladder(${calculationId}::uuid, ${JSON.stringify(ladder)}, ${facts}::text)`
      await database.run(storing, terms)
    },
    async findBasket(calculationId) {
      return await findRow<ReturnBasket>(database, basketOf(calculationId), terms)
    },
    async quote(calculationId, { lines, seen, plan }) {
      const row = await readRow<{ reply: QuoteReply }>(
        database,
        sql`
          select quote_return(${calculationId}::uuid, ${JSON.stringify(lines)}, ${seen}, ${textOf(plan)}::text::json) as reply`,
        terms,
      )
      return row.reply
    },
    async findBody(calculationId) {
      const row = await findRow<{ readonly packed: Uint8Array; readonly inputs: Uint8Array }>(
        database,
        sql`
          select b.packed, b.inputs from calculation c
          join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
          where c.calculation_id = ${calculationId}::uuid`,
        terms,
      )
      return row && { packed: row.packed, inputs: Buffer.from(row.inputs).toString() }
    },
  }
}

export function createAdminReturns(database: Sql): AdminReturns {
  return {
    ...createSaleReturns(database, adminChanges),
    async listBaskets(memberId, { after, limit }) {
      return await database.run<ReturnBasket>(basketsOf(memberId, after, limit), adminReads)
    },
    async record(command, { calculationId, lines, reference, occurredAt, seen, plan }) {
      return await change<RecordReply>(database, command, 'change_return', [
        calculationId,
        JSON.stringify(lines),
        reference,
        momentText(occurredAt),
        seen,
        textOf(plan),
      ])
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

export function textOf(plan: ReturnPlan | null): string | null {
  return plan === null ? null : JSON.stringify(plan)
}

function returnsOf(
  { fromUs, untilUs, calculationId, memberId = '' }: ReturnFilter,
  after: readonly [number, number] | null,
  limit: number,
): Statement {
  const [atUs, returnId] = after ?? [null, 0]
  const from =
    memberId === ''
      ? sql`from sale_return r where true`
      : sql`
        from calculation c join sale_return r on r.calculation_id = c.calculation_id
        where c.member_id = ${memberId}`
  const filtered = sql`
      and (${calculationId} = '' or r.calculation_id = nullif(${calculationId}, '')::uuid)
      and r.recorded_at >= moment_of(${fromUs}::bigint) and r.recorded_at < moment_of(${untilUs}::bigint)
      and (r.recorded_at, r.return_id) < (coalesce(moment_of(${atUs}::bigint), 'infinity'), ${returnId}::bigint)
    order by r.recorded_at desc, r.return_id desc
    limit ${limit}::integer`
  return join([sql`select return_summary(r) as summary, returned_lines(r) as lines`, from, filtered], ' ')
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
