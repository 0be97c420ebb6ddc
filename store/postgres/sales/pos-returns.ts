import type { ListedReturn, PosRecordReply, PosReturns, RecordedReturn } from '../../ledger/returns.js'
import { momentText } from '../connection/changes.js'
import type { LedgerOptions } from '../connection/options.js'
import { findRow, readRow } from '../connection/rows.js'
import { legible, type Sql, sql, storable } from '../connection/sql.js'
import { createSaleReturns, textOf } from './admin-returns.js'

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
