import type { Command } from '../../ledger/command.js'
import type { AdminSales, InspectedSale, SaleClaim, SaleClaimReply, SaleFilter } from '../../ledger/sales.js'
import { adminChanges, adminReads } from '../connection/admin-terms.js'
import { findRow, readRow } from '../connection/rows.js'
import { join, type Sql, type Statement, sql, storable } from '../connection/sql.js'
import { namedBy } from '../value/value-terms.js'

/** The smallest id: with a time, the cursor before everything of that time. */
const lowestId = '00000000-0000-0000-0000-000000000000'

/** Sales, as internal services read them, one by one and as a feed (wire decisions 5). */
export function createAdminSales(database: Sql): AdminSales {
  return {
    async list(filter, { after, limit }) {
      if ([filter.venueId, filter.transactionId].some((text) => storable(text) === null)) return []
      const before = after ?? ([filter.untilUs, lowestId] as const)
      return await database.run<InspectedSale>(listStatement(filter, before, limit), adminReads)
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

async function claimSale(
  database: Sql,
  { requestId, digest, call, actor, reason = '' }: Command,
  { member, calculationId, counted }: SaleClaim,
): Promise<SaleClaimReply> {
  const { memberId, loyaltyId } = namedBy(member)
  const row = await readRow<{ reply: SaleClaimReply }>(
    database,
    sql`
      select order_sale_claim(
        row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${memberId}::text,
        ${loyaltyId}::text, ${calculationId}::uuid, ${counted === 'unknown' ? null : JSON.stringify(counted)}::text
      ) as reply from set_config('lps.reason', ${reason}, true)`,
    adminChanges,
  )
  return row.reply
}

/** Newest first; of what differs, and of a venue, there is an index. */
function listStatement(filter: SaleFilter, before: readonly [number, string], limit: number): Statement {
  const { fromUs, status } = filter
  const conditions = [
    ...narrowed(filter),
    sql`(s.recorded_at, s.calculation_id) < (moment_of(${before[0]}::bigint), ${before[1]}::uuid)`,
    sql`s.recorded_at >= moment_of(${fromUs}::bigint)`,
    sql`(${status}::text = '' or s.status::text = ${status})`,
  ]
  const pieces = [
    sql`select v.* from (select s.* from sale s where`,
    join(conditions, ' and '),
    sql`order by s.recorded_at desc, s.calculation_id desc limit ${limit}::integer
      ) s cross join lateral sale_summary(s) v
      order by s.recorded_at desc, s.calculation_id desc`,
  ]
  return join(pieces, ' ')
}

function narrowed({ venueId, discrepancy, receiptNumber, transactionId }: SaleFilter): Statement[] {
  const venue = sql`(${venueId}::text = '' or s.venue_id = ${venueId})`
  if (receiptNumber !== null)
    return [
      sql`s.receipt_number = ${receiptNumber}::bigint`,
      sql`(${transactionId}::text = '' or s.transaction_id = ${transactionId})`,
      venue,
    ]
  if (transactionId !== '') return [sql`s.transaction_id = ${transactionId}`, venue]
  if (discrepancy === null) return venueId === '' ? [] : [sql`s.venue_id = ${venueId}`]
  const kind = sql`(${discrepancy}::text = 'any' or ${discrepancy}::text = any (s.discrepancies))`
  return [sql`s.discrepancies <> '{}'`, venue, kind]
}
