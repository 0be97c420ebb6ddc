import type { ReturnPlan } from '../../../engine/value/returns.js'
import type {
  AdminReturns,
  LadderSweep,
  ListedReturn,
  PosRecordReply,
  PosReturns,
  QuoteReply,
  RecordedReturn,
  RecordReply,
  ReturnBasket,
  ReturnFilter,
  ReturnState,
  SaleReturns,
} from '../../ledger/returns.js'
import { change, momentText } from '../connection/changes.js'
import type { LedgerOptions } from '../connection/options.js'
import {
  adminChanges,
  adminReads,
  findRow,
  join,
  legible,
  readRow,
  type Sql,
  type Statement,
  sql,
  storable,
  type Terms,
} from '../connection/sql.js'

/** The youngest sale that the sweep looks at: its calculation may come after it, and its commit some time after `recorded_at`. */
const sweptAfter = '1 hour'
const sweepLease = '2 minutes'

function createSaleReturns(database: Sql, terms: Terms): SaleReturns {
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

function textOf(plan: ReturnPlan | null): string | null {
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

const call = 'POST /v1/pos/return'

export function createPosReturns(database: Sql, { idempotencyS, saleMs }: Required<LedgerOptions>): PosReturns {
  const [reads, writes] = [
    { effect: 'reads', withinMs: saleMs } as const,
    { effect: 'writes', withinMs: saleMs } as const,
  ]
  return {
    ...createSaleReturns(database, writes),
    async findStored(returnId) {
      const row = await findRow<StoredRow>(
        database,
        sql`
          select p.digest, p.body, r.recorded_at > clock_timestamp() - make_interval(secs => ${idempotencyS}::integer) as "isFresh",
            return_summary(r) as summary, returned_lines(r) as lines
          from pos_return p join sale_return r on r.return_id = p.return_id
          where p.pos_return_id = ${returnId}::uuid`,
        reads,
      )
      if (row === null) return null
      const { summary, lines, ...stored } = row
      return { ...stored, made: { ...summary, lines } }
    },
    async findSales({ venueId, by }) {
      const venue = storable(venueId)
      if (venue === null) return []
      const own =
        'calculationId' in by
          ? sql`select s.calculation_id as id from sale s where s.calculation_id = ${by.calculationId}::uuid and s.venue_id = ${venue}`
          : sql`
              select s.calculation_id as id from sale s
              where s.transaction_id = ${storable(by.transactionId)}::text and s.venue_id = ${venue}
                and not 'transaction_repeated' = any (s.discrepancies)
              limit 2`
      return (await database.run<{ readonly id: string }>(own, reads)).map(({ id }) => id)
    },
    async recordSent({ returnId, digest, body, actor }, { calculationId, lines, occurredAt, seen, plan }) {
      const row = await readRow<{ readonly reply: PosRecordReply }>(
        database,
        sql`
          select record_pos_return(
            row(${legible(actor)}::text, ${call}::text, ${returnId}::uuid)::change_context, ${digest}, ${body},
            ${calculationId}::uuid, ${JSON.stringify(lines)}, ${momentText(occurredAt)}::text::timestamptz, ${seen},
            ${textOf(plan)}::text::json
          ) as reply`,
        writes,
      )
      return row.reply
    },
  }
}

interface StoredRow {
  readonly digest: Uint8Array
  readonly body: Uint8Array
  readonly isFresh: boolean
  readonly summary: RecordedReturn
  readonly lines: ListedReturn['lines']
}
