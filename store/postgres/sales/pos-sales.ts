import type { CounterName } from '../../../engine/core/base/outcome.js'
import type { SaleEvent } from '../../../engine/index.js'
import { type EarningBasis, type EarningPlan, planEarning } from '../../../engine/value/earning.js'
import type { PosSales, Recounted, SaleReply } from '../../ledger/sales.js'
import type { LedgerOptions } from '../connection/options.js'
import { readRow } from '../connection/rows.js'
import { legible, type Sql, sql, storable } from '../connection/sql.js'
import { planText, untilPlanned } from '../value/plan-earning.js'

interface SaleRow {
  readonly reply: SaleReply['kind'] | 'unplanned'
  readonly discrepancies: readonly string[]
  readonly freed: readonly CounterName[]
  readonly digest: Uint8Array
  readonly body: Uint8Array
  readonly result: 'recorded' | 'unknown_calculation'
  /** null unless `unplanned`. */
  readonly basis: EarningBasis | null
}

export function createPosSales(database: Sql, { idempotencyS, saleMs }: Required<LedgerOptions>): PosSales {
  return {
    async record(event, body, recounted) {
      const untilMs = performance.now() + saleMs
      const send = (plan: EarningPlan | null) =>
        readRow<SaleRow>(
          database,
          sql`
            select * from record_sale(
              ${JSON.stringify(rowFromEvent(event))}::text::json, ${event.digest}, ${body}, ${idempotencyS}::integer,
              ${textOf(recounted)}::text, ${planText(plan)}::text::json
            )`,
          { effect: 'writes', withinMs: untilMs - performance.now() },
        )
      return await untilPlanned(untilMs, async () => {
        const row = await send(null)
        return replyFromRow(row.basis === null ? row : await send(planEarning(row.basis)))
      })
    },
  }
}

function textOf(recounted: Recounted | undefined): string | null {
  if (recounted === undefined) return null
  return recounted === 'unknown' ? '' : JSON.stringify(recounted)
}

function replyFromRow({ reply, discrepancies, freed, digest, body, result }: SaleRow): SaleReply {
  switch (reply) {
    case 'recorded':
    case 'unknown_calculation':
      return { kind: reply, discrepancies, freed }
    case 'stored':
      return { kind: reply, digest, body, result }
    case 'duplicate':
    case 'paid_less':
    case 'uncounted':
      return { kind: reply }
    case 'unplanned':
      throw new Error('a sale with a plan is not planned')
  }
}

/** The row of `sale` that an event becomes; texts are null where Postgres cannot hold them, the body holds them all. */
function rowFromEvent(event: SaleEvent): Readonly<Record<string, string | number | boolean | null>> {
  return {
    calculation_id: event.calculationId,
    receipt_number: event.receiptNumber,
    paid_total: event.paidTotal,
    loyalty_discount_total: event.loyaltyDiscountTotal,
    status: event.status,
    loyalty_id_sent: event.loyaltyId !== null,
    currency: legible(event.currency),
    channel: legible(event.channel),
    occurred_at: legible(event.occurredAt),
    failure_reason: storable(event.failureReason),
    transaction_id: storable(event.transactionId),
    loyalty_id: storable(event.loyaltyId),
    venue_id: storable(event.venueId),
    bax_id: storable(event.baxId),
    cash_register_id: storable(event.cashRegisterId),
  }
}
