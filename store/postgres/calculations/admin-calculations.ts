import type {
  AdminCalculations,
  CalculationFilter,
  CalculationSummary,
  InspectedCalculation,
  InspectedReservation,
  ReleaseReply,
} from '../../ledger/calculations.js'
import { lookedMax } from '../../ledger/calls.js'
import { change } from '../connection/changes.js'
import { adminReads, findRow, join, readRow, type Sql, type Statement, sql, storable } from '../connection/sql.js'
import { dueOf, type QuoteBasis } from '../value/plan-earning.js'

const lowestId = '00000000-0000-0000-0000-000000000000'

type CalculationRow = CalculationSummary & {
  readonly packed: Uint8Array | null
  readonly inputs: Uint8Array
  readonly explanation: Uint8Array
  readonly reservations: readonly InspectedReservation[]
  readonly spending: string | null
  readonly holds: InspectedCalculation['holds']
  readonly earning: string | null
  readonly given: InspectedCalculation['given']
  readonly quote: QuoteBasis | null
  readonly soldAt: number | null
  readonly superseder: InspectedCalculation['superseder']
}

export function createAdminCalculations(database: Sql): AdminCalculations {
  return {
    async list(filter, { after, limit }) {
      if (!isStorable(filter)) return []
      return await database.run<CalculationSummary>(listStatement(filter, after, limit), adminReads)
    },
    async findLookedTo(filter, after) {
      if (!isStorable(filter)) return null
      const row = await findRow<{ at: number; id: string }>(database, lookedToStatement(filter, after), adminReads)
      return row === null ? null : [row.at, row.id]
    },
    async find(calculationId) {
      const row = await findRow<CalculationRow>(database, findStatement(calculationId), adminReads)
      if (row === null) return null
      const { packed, inputs, explanation, reservations, spending, holds, ...more } = row
      const { earning, given, quote, soldAt, superseder, ...summary } = more
      const body = packed === null ? null : { packed, inputs: Buffer.from(inputs).toString(), explanation }
      const due = quote && dueOf(quote)
      return { summary, body, reservations, spending, holds, earning, given, due, soldAt, superseder }
    },
    async release(command, { calculationId, reason, isDryRun }) {
      return await change<ReleaseReply>(database, { ...command, reason }, 'change_release', [
        calculationId,
        reason,
        isDryRun,
      ])
    },
    async count(fromUs, untilUs) {
      const row = await readRow<{ total: number }>(
        database,
        sql`
          select count(*) as total from calculation c
          where c.answered_at >= moment_of(${fromUs}::bigint) and c.answered_at < moment_of(${untilUs}::bigint)`,
        adminReads,
      )
      return row.total
    },
    async read(untilUs, { after, limit }) {
      const rows = await database.run<CalculationRow>(readStatement(untilUs, after ?? [0, lowestId], limit), adminReads)
      return rows.map(({ packed, inputs, explanation, earning, spending, ...summary }) => ({
        summary,
        earning,
        spending,
        body: packed === null ? null : { packed, inputs: Buffer.from(inputs).toString(), explanation },
      }))
    },
  }
}

function isStorable({ venueId, memberId, loyaltyId, cashRegisterId, transactionId, benefitId }: CalculationFilter) {
  return [venueId, memberId, loyaltyId, cashRegisterId, transactionId, benefitId].every(
    (text) => storable(text) !== null,
  )
}

function listStatement(filter: CalculationFilter, after: readonly [number, string] | null, limit: number): Statement {
  const others = unindexed(filter)
  return join(
    [
      sql`select s.* from (select l.c from (select c from calculation c where`,
      indexed(filter, after),
      sql`order by`,
      answeredAt(filter),
      sql`desc, c.calculation_id desc`,
      others.length === 0 ? sql`limit ${limit}::integer` : sql`limit ${lookedMax}::integer`,
      sql`) l where`,
      join([sql`true`, ...others], ' and '),
      sql`order by (l.c).answered_at desc, (l.c).calculation_id desc limit ${limit}::integer
      ) l cross join lateral calculation_summary(l.c) s
      order by s."answeredAtUs" desc, s."calculationId" desc`,
    ],
    ' ',
  )
}

function unindexed({ status, state, programmeVersion, cashRegisterId, benefitId }: CalculationFilter): Statement[] {
  return [
    ...(status === '' ? [] : [sql`(l.c).status::text = ${status}`]),
    ...(state === '' ? [] : [sql`calculation_state_now(l.c) = ${state}`]),
    ...(programmeVersion === null ? [] : [sql`(l.c).programme_version = ${programmeVersion}::integer`]),
    ...(cashRegisterId === '' ? [] : [sql`(l.c).cash_register_id = ${cashRegisterId}`]),
    ...(benefitId === ''
      ? []
      : [sql`exists (select from json_array_elements((l.c).gave::json) g where g ->> 0 = ${benefitId})`]),
  ]
}

function lookedToStatement(filter: CalculationFilter, after: readonly [number, string] | null): Statement {
  return join(
    [
      sql`select microseconds(c.answered_at) as at, c.calculation_id as id from calculation c where`,
      indexed(filter, after),
      sql`order by`,
      answeredAt(filter),
      sql`desc, c.calculation_id desc offset ${lookedMax - 1}::integer limit 1`,
    ],
    ' ',
  )
}

/** The narrowest filter that has an index comes first. */
function indexed(filter: CalculationFilter, after: readonly [number, string] | null): Statement {
  const before = after ?? ([filter.untilUs, lowestId] as const)
  const conditions = [
    ...identities(filter),
    join(
      [sql`(`, answeredAt(filter), sql`, c.calculation_id) < (moment_of(${before[0]}::bigint), ${before[1]}::uuid)`],
      '',
    ),
    join([answeredAt(filter), sql`>= moment_of(${filter.fromUs}::bigint)`], ' '),
  ]
  return join(conditions, ' and ')
}

/** A plan made while the table was empty must not walk the index of times for ids of a receipt: it cannot on a sum. */
function answeredAt({ receiptNumber, transactionId }: CalculationFilter): Statement {
  const bySale = receiptNumber !== null || transactionId !== ''
  return bySale ? sql`(c.answered_at + interval '0')` : sql`c.answered_at`
}

/** `net_before >= 0` always holds; it selects the partial index of a venue. */
function identities(filter: CalculationFilter): Statement[] {
  const { memberId, loyaltyId, venueId, receiptNumber, transactionId } = filter
  const venue = sql`(${venueId}::text = '' or c.venue_id = ${venueId})`
  const card = sql`(${loyaltyId}::text = '' or c.loyalty_id = ${loyaltyId})`
  if (receiptNumber !== null || transactionId !== '')
    return [
      receiptNumber === null
        ? sql`c.calculation_id = any (array(select s.calculation_id from sale s where s.transaction_id = ${transactionId}))`
        : sql`c.calculation_id = any (array(
            select s.calculation_id from sale s
            where s.receipt_number = ${receiptNumber}::bigint
              and (${transactionId}::text = '' or s.transaction_id = ${transactionId})
          ))`,
      sql`(${memberId}::text = '' or c.member_id = ${memberId})`,
      card,
      venue,
    ]
  if (memberId !== '') return [sql`c.member_id = ${memberId}`, card, venue]
  if (loyaltyId !== '') return [sql`c.loyalty_id = ${loyaltyId}`, venue]
  return venueId === '' ? [] : [sql`c.venue_id = ${venueId} and c.net_before >= 0`]
}

function readStatement(untilUs: number, after: readonly [number, string], limit: number): Statement {
  return sql`
    select s.*, c.earning, c.spending, b.packed, b.inputs, b.explanation
    from (
      select c.* from calculation c
      where (c.answered_at, c.calculation_id) > (moment_of(${after[0]}::bigint), ${after[1]}::uuid)
        and c.answered_at < moment_of(${untilUs}::bigint)
      order by c.answered_at, c.calculation_id
      limit ${limit}::integer
    ) c cross join lateral calculation_summary(c) s
    left join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
    order by c.answered_at, c.calculation_id`
}

function findStatement(calculationId: string): Statement {
  return sql`
    select s.*, b.packed, b.inputs, b.explanation, (
        select coalesce(json_agg(json_build_object(
          'limitId', k.limit_id, 'subject', k.subject, 'period', k.period, 'units', r.units,
          'state', case when r.held_until <= statement_timestamp() then 'released' else r.state::text end,
          'heldUntil', case when r.held_until > statement_timestamp() then milliseconds(r.held_until) end
        ) order by k.limit_id, k.subject, k.period), '[]')
        from reservation r join limit_counter k on k.counter_id = r.counter_id
        where r.calculation_id = c.calculation_id
      ) as reservations, c.spending, (
        select coalesce(json_agg(json_build_object(
          'currencyId', a.currency_id, 'amount', h.amount,
          'state', case when h.held_until <= statement_timestamp() then 'released' else h.state::text end,
          'heldUntil', case when h.held_until > statement_timestamp() then milliseconds(h.held_until) end
        ) order by a.currency_id), '[]')
        from value_hold h join account a on a.account_id = h.account_id
        where h.calculation_id = c.calculation_id
      ) as holds, c.earning, (
        select coalesce(json_object_agg(e.rule_id, e.given), '{}') from earned e where e.calculation_id = c.calculation_id
      ) as given, case
        when c.state in ('finalised', 'abandoned')
          or exists (select from sale x where x.calculation_id = c.calculation_id)
          or exists (select from earned e where e.calculation_id = c.calculation_id)
        then null
        else quote_basis(c.member_id, coalesce(case when c.member_id is not null then c.earning end, '{"rules":[]}')::json)
      end as quote, (
        select milliseconds(coalesce(x.joined_at, x.recorded_at)) from sale x where x.calculation_id = c.calculation_id
      ) as "soldAt", (
        select json_build_object('calculationId', n.calculation_id, 'at', milliseconds(n.answered_at))
        from calculation n
        where n.supersedes_calculation_id = c.calculation_id and n.venue_id = c.venue_id
        order by n.answered_at
        limit 1
      ) as superseder
    from calculation c cross join lateral calculation_summary(c) s
    left join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
    where c.calculation_id = ${calculationId}::uuid`
}
