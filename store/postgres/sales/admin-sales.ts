import { type EarningBasis, planEarning } from '../../../engine/value/earning.js'
import { type Command, lookedMax } from '../../ledger/calls.js'
import type {
  AdminSales,
  InspectedSale,
  MemberSales,
  SaleClaim,
  SaleClaimReply,
  SaleFilter,
  SettlementReply,
} from '../../ledger/sales.js'
import { change, namedBy } from '../connection/changes.js'
import {
  adminChanges,
  adminReads,
  findRow,
  join,
  readRow,
  type Sql,
  type Statement,
  sql,
  storable,
} from '../connection/sql.js'
import { planText, untilPlanned } from '../value/plan-earning.js'

const lowestId = '00000000-0000-0000-0000-000000000000'

export function createAdminSales(database: Sql): AdminSales {
  return {
    ...createMemberSales(database),
    async list(filter, { after, limit }) {
      if (!isStorable(filter)) return []
      return await database.run<InspectedSale>(listStatement(filter, after, limit), adminReads)
    },
    async findLookedTo(filter, after) {
      if (!isStorable(filter)) return null
      const row = await findRow<{ at: number; id: string }>(database, lookedToStatement(filter, after), adminReads)
      return row === null ? null : [row.at, row.id]
    },
    async find(calculationId) {
      const row = await findRow<InspectedSale & { readonly body: Uint8Array }>(
        database,
        sql`
          select v.*, s.body from sale s cross join lateral sale_summary(s) v
          where s.calculation_id = ${calculationId}::uuid`,
        adminReads,
      )
      if (row === null) return null
      const { body, ...sale } = row
      return { sale, event: body }
    },
    async listOf(memberId, { after, limit }) {
      const rows = await database.run<InspectedSale & { readonly body: Uint8Array }>(
        statementOf(memberId, after ?? [0, lowestId], limit),
        adminReads,
      )
      return rows.map(({ body, ...sale }) => ({ sale, event: body }))
    },
    async place(max) {
      const row = await readRow<{ placed: number }>(database, sql`select place_sales(${max}::integer) as placed`, {
        ...adminReads,
        effect: 'writes',
      })
      return row.placed
    },
    async readFeed(after, limit) {
      return await database.run<InspectedSale>(
        sql`
          select v.* from (
            select s.* from sale s
            where s.feed_place is not null and s.feed_place > ${after}::bigint
            order by s.feed_place
            limit ${limit}::integer
          ) s cross join lateral sale_summary(s) v
          order by s.feed_place`,
        adminReads,
      )
    },
    async lastPlace() {
      const row = await findRow<{ place: number }>(
        database,
        sql`select s.feed_place as place from sale s where s.feed_place is not null order by s.feed_place desc limit 1`,
        adminReads,
      )
      return row?.place ?? 0
    },
    claim: (command, claim) => claimSale(database, command, claim),
  }
}

function createMemberSales(database: Sql): Pick<AdminSales, 'listAt' | 'sumOf' | 'listPacked' | 'settle'> {
  return {
    async listAt(calculationIds) {
      const ids = JSON.stringify(calculationIds)
      return await database.run<InspectedSale>(
        sql`
          select v.* from json_array_elements_text(${ids}::text::json) i (id)
          join sale s on s.calculation_id = i.id::uuid cross join lateral sale_summary(s) v`,
        adminReads,
      )
    },
    async sumOf(memberId) {
      return await readRow<MemberSales>(database, sumsOf(memberId), adminReads)
    },
    async listPacked(memberId, max) {
      const rows = await database.run<{ readonly packed: Uint8Array }>(packedOf(memberId, max), adminReads)
      return rows.map(({ packed }) => packed)
    },
    async settle(command, calculationId, discrepancies) {
      const args = [calculationId, discrepancies, command.reason ?? '']
      return await change<SettlementReply>(database, command, 'change_settlement', args)
    },
  }
}

async function claimSale<IsMove extends boolean>(
  database: Sql,
  command: Command,
  claim: SaleClaim<IsMove>,
): Promise<SaleClaimReply<IsMove>> {
  const { member, calculationId, counted, isMove, isDryRun } = claim
  const { memberId, loyaltyId } = namedBy(member)
  const counts = counted === 'unknown' ? null : JSON.stringify(counted)
  return await untilPlanned(performance.now() + adminChanges.withinMs, async () => {
    const { basis } = await readRow<{ basis: EarningBasis | null }>(
      database,
      sql`
        select claim_basis(
          ${isMove ? null : calculationId}::uuid, named_member(${memberId}::text, ${loyaltyId}::text), ${counts}::text::json
        ) as basis`,
      adminChanges,
    )
    const plan = planText(basis && planEarning(basis))
    const args = [memberId, loyaltyId, calculationId, counts, plan, isMove, isDryRun]
    return await change<SaleClaimReply<IsMove>>(database, command, 'change_sale_claim', args)
  })
}

function statementOf(memberId: string, [at, id]: readonly [number, string], limit: number): Statement {
  return sql`
    with own as materialized (
      select s.recorded_at, s.calculation_id from calculation c join sale s on s.calculation_id = c.calculation_id
      where c.member_id = ${memberId}
      union
      select s.recorded_at, s.calculation_id from member_loyalty_id l join sale s on s.loyalty_id = l.loyalty_id
      where l.member_id = ${memberId} and not exists (select from calculation c where c.calculation_id = s.calculation_id)
    )
    select v.*, s.body
    from (
      select o.* from own o
      where (o.recorded_at, o.calculation_id) > (moment_of(${at}::bigint), ${id}::uuid)
      order by o.recorded_at, o.calculation_id
      limit ${limit}::integer
    ) o
    join sale s on s.calculation_id = o.calculation_id
    cross join lateral sale_summary(s) v
    order by s.recorded_at, s.calculation_id`
}

function sumsOf(memberId: string): Statement {
  return sql`
    with own as materialized (
      select c.venue_id, s.recorded_at, s.currency, coalesce(s.paid_total, 0) as paid, given_in_sale(s, c) as given,
        (select coalesce(sum(r.refund), 0) from sale_return r where r.calculation_id = s.calculation_id) as refunded
      from calculation c join sale s on s.calculation_id = c.calculation_id
      where c.member_id = ${memberId} and s.status <> 'cancelled' and 'transaction_repeated' <> all (s.discrepancies)
    )
    select milliseconds(min(o.recorded_at)) as since, (
        select coalesce(json_agg(x order by x.currency), '[]') from (
          select o.currency, count(*) as sales, sum(o.paid) as paid, sum(o.given) as given, sum(o.refunded) as refunded
          from own o group by o.currency
        ) x
      ) as sums, (
        select coalesce(json_agg(x order by x.sales desc, x."venueId"), '[]') from (
          select o.venue_id as "venueId", count(*) as sales from own o group by o.venue_id
        ) x
      ) as venues
    from own o`
}

function packedOf(memberId: string, max: number): Statement {
  return sql`
    select b.packed from calculation c
    join sale s on s.calculation_id = c.calculation_id
    join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
    where c.member_id = ${memberId} and s.status <> 'cancelled' and 'transaction_repeated' <> all (s.discrepancies)
    order by c.answered_at desc, c.calculation_id desc
    limit ${max}::integer`
}

function isStorable({ venueId, transactionId, cashRegisterId }: SaleFilter): boolean {
  return [venueId, transactionId, cashRegisterId].every((text) => storable(text) !== null)
}

function listStatement(filter: SaleFilter, after: readonly [number, string] | null, limit: number): Statement {
  const others = unindexed(filter)
  return join(
    [
      sql`select v.* from (select l.s from (select s from sale s where`,
      indexed(filter, after),
      sql`order by s.recorded_at desc, s.calculation_id desc`,
      others.length === 0 ? sql`limit ${limit}::integer` : sql`limit ${lookedMax}::integer`,
      sql`) l where`,
      join([sql`true`, ...others], ' and '),
      sql`order by (l.s).recorded_at desc, (l.s).calculation_id desc limit ${limit}::integer
      ) l cross join lateral sale_summary(l.s) v
      order by v."recordedAtUs" desc, v."calculationId" desc`,
    ],
    ' ',
  )
}

function lookedToStatement(filter: SaleFilter, after: readonly [number, string] | null): Statement {
  return join(
    [
      sql`select microseconds(s.recorded_at) as at, s.calculation_id as id from sale s where`,
      indexed(filter, after),
      sql`order by s.recorded_at desc, s.calculation_id desc offset ${lookedMax - 1}::integer limit 1`,
    ],
    ' ',
  )
}

function indexed(filter: SaleFilter, after: readonly [number, string] | null): Statement {
  const before = after ?? ([filter.untilUs, lowestId] as const)
  const conditions = [
    ...narrowed(filter),
    sql`(s.recorded_at, s.calculation_id) < (moment_of(${before[0]}::bigint), ${before[1]}::uuid)`,
    sql`s.recorded_at >= moment_of(${filter.fromUs}::bigint)`,
  ]
  return join(conditions, ' and ')
}

function narrowed({ venueId, discrepancy, receiptNumber, transactionId }: SaleFilter): Statement[] {
  if (receiptNumber !== null) return [sql`s.receipt_number = ${receiptNumber}::bigint`]
  if (transactionId !== '') return [sql`s.transaction_id = ${transactionId}`]
  if (discrepancy !== null) return [sql`s.discrepancies <> '{}'`]
  return venueId === '' ? [] : [sql`s.venue_id = ${venueId}`]
}

function unindexed(filter: SaleFilter): Statement[] {
  const { venueId, discrepancy, receiptNumber, transactionId, status, cashRegisterId, isOpen = false } = filter
  const isNarrow = receiptNumber !== null || transactionId !== '' || discrepancy !== null
  return [
    ...(status === '' ? [] : [sql`(l.s).status::text = ${status}`]),
    ...(cashRegisterId === '' ? [] : [sql`(l.s).cash_register_id = ${cashRegisterId}`]),
    ...(venueId !== '' && isNarrow ? [sql`(l.s).venue_id = ${venueId}`] : []),
    ...(receiptNumber !== null && transactionId !== '' ? [sql`(l.s).transaction_id = ${transactionId}`] : []),
    ...(isOpen ? [sql`not (l.s).discrepancies <@ (l.s).settled`] : []),
    ...(discrepancy === null || discrepancy === 'any' ? [] : [sql`${discrepancy}::text = any ((l.s).discrepancies)`]),
  ]
}
