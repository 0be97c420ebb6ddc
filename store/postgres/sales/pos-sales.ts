import type { CounterName } from '../../../engine/core/base/outcome.js'
import type { SaleEvent } from '../../../engine/index.js'
import { type EarningBasis, type EarningPlan, planEarning } from '../../../engine/value/earning.js'
import { StoreFault } from '../../fault.js'
import type { PosSales, Recounted, SaleReply } from '../../ledger/sales.js'
import { createBatches } from '../connection/batches.js'
import type { LedgerOptions } from '../connection/options.js'
import { legible, type Sql, sql, storable, wrongRows } from '../connection/sql.js'
import { ChangedMeanwhile, untilPlanned } from '../value/plan-earning.js'

/** Sales of one transaction at most: one in the middle waits for the others, and their locks last until all are recorded. */
const togetherMax = 32
const bytesMax = 1_000_000
/** As of `BatchOptions`; no POS waits for the answer to a sale event. */
const patienceMs = 50

interface SaleRow {
  readonly reply: SaleReply['kind'] | 'unplanned' | 'again'
  readonly discrepancies: readonly string[]
  readonly freed: readonly CounterName[]
  readonly digest: Uint8Array
  readonly body: Uint8Array
  readonly result: 'recorded' | 'unknown_calculation'
  readonly basis: EarningBasis | null
}

interface ToRecord {
  readonly event: SaleEvent
  readonly body: Uint8Array
  readonly recounted: Recounted | undefined
  readonly plan: EarningPlan | null
  readonly untilMs: number
}

/** Sales that arrive together share a transaction. */
export function createPosSales(database: Sql, { idempotencyS, saleMs }: Required<LedgerOptions>): PosSales {
  const send = async (sales: readonly ToRecord[]): Promise<readonly SaleRow[]> => {
    const withinMs = Math.max(...sales.map(({ untilMs }) => untilMs)) - performance.now()
    if (withinMs <= 0) throw new StoreFault('ledger', 'busy')
    const statement = sql`
      select * from record_sales(${JSON.stringify(sales.map(rowFromSale))}::text::json, ${idempotencyS}::integer)`
    const rows = await database.run<SaleRow>(statement, { effect: 'writes', withinMs })
    if (rows.length !== sales.length) throw wrongRows('writes', sales.length, rows.length)
    return rows
  }
  const sendTogether = createBatches<ToRecord, SaleRow>({ patienceMs, joins, send })
  const sendAlone = async (sale: ToRecord) => (await send([sale]))[0]!

  return {
    async record(event, body, recounted) {
      const untilMs = performance.now() + saleMs
      const sale = { event, body, recounted, untilMs }
      return await untilPlanned(untilMs, async (failed) => {
        const sendIt = failed === 0 ? sendTogether : sendAlone
        const row = await sendIt({ ...sale, plan: null })
        return replyFromRow(row.basis === null ? row : await sendIt({ ...sale, plan: planEarning(row.basis) }))
      })
    },
  }
}

/** Two of one member would change the totals that both are planned by. */
function joins({ event, body }: ToRecord, others: readonly ToRecord[]): boolean {
  return (
    others.length < togetherMax &&
    others.reduce((sum, other) => sum + other.body.length, body.length) <= bytesMax &&
    others.every((other) => event.loyaltyId === null || other.event.loyaltyId !== event.loyaltyId)
  )
}

function rowFromSale({ event, body, recounted, plan }: ToRecord) {
  return { sale: rowFromEvent(event, body), recounted: textOf(recounted), plan }
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
    case 'again':
      throw new ChangedMeanwhile()
    case 'unplanned':
      throw new Error('a sale with a plan is not planned')
  }
}

function rowFromEvent(event: SaleEvent, body: Uint8Array): Readonly<Record<string, string | number | boolean | null>> {
  return {
    digest: hexOf(event.digest),
    body: hexOf(body),
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

function hexOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}
