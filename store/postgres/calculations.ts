import { counterKey, type Want } from '../../engine/core/outcome.js'
import { type AnswerLookup, type CalculationRecord, type ConfirmReply, type Ledger, StoreFault } from '../index.js'
import { sqlState } from './faults.js'
import type { LedgerClock } from './ledger-clock.js'
import type { AnswerRow, LookUps } from './look-ups.js'
import type { LedgerOptions } from './options.js'
import { bytesArray, legible, type Sql, sql, storable } from './sql.js'

/** Calculations stored in one statement at most; together with `batchBytesMax` it keeps a batch well under a second. */
export const batchMax = 100

/** Bytes of bodies in one statement, unless a single calculation has more. */
export const batchBytesMax = 1_000_000

/** Time for a batch and for the sweep of expired calculations, in milliseconds. */
const batchMs = 5_000

/** How much longer than the server itself we wait for a confirmation, in milliseconds: its own word is better than our doubt. */
const graceMs = 25

type Calculations = Pick<Ledger, 'findAnswer' | 'confirm' | 'withdraw' | 'keepCalculations' | 'expireCalculations'>

interface ConfirmRow extends AnswerRow {
  readonly reply: ConfirmReply['kind']
  readonly counters: readonly (Want & { readonly left: number })[]
}

/** The calculations of a ledger (contract 3.1, wire decisions 4 and 5); every write is one statement, so no lock outlives a round trip. */
export function createCalculations(
  database: Sql,
  { clock, lookUps }: { readonly clock: LedgerClock; readonly lookUps: LookUps },
  { expiryS, idempotencyS, saleMs }: Required<LedgerOptions>,
): Calculations {
  async function confirm(record: CalculationRecord, withinMs: number): Promise<ConfirmReply> {
    if (withinMs <= 0) return { kind: 'too_late' }
    const statement = sql`
      select * from confirm_calculation(
        ${JSON.stringify(rowFromRecord(record))}::text::json, ${record.digest}, ${record.packed},
        ${Buffer.from(record.inputs)}, ${record.explanation}, ${JSON.stringify(record.holds.map(rowFromWant))}::text::json,
        ${expiryS}::integer, ${idempotencyS}::integer, to_timestamp(${(clock.now() + withinMs) / 1_000}::float8)
      )`
    try {
      const [row] = await database.run<ConfirmRow>(statement, { effect: 'writes', withinMs: withinMs + graceMs })
      return replyFromRow(row!)
    } catch (error) {
      if (isTooLate(error)) return { kind: 'too_late' }
      throw error
    }
  }

  return {
    confirm,
    async findAnswer(calculationId) {
      return lookupFromRow((await lookUps.find('answer', calculationId))!)
    },
    async withdraw(calculationId) {
      const [row] = await database.run<{ reply: 'withdrawn' | 'replayed' | 'unknown' }>(
        sql`select withdraw_calculation(${calculationId}::uuid) as reply`,
        { effect: 'writes', withinMs: saleMs },
      )
      return row!.reply
    },
    async keepCalculations(records) {
      const contradicted: string[] = []
      for (const batch of batches(records)) {
        const [row] = await database.run<{ contradicted: string }>(
          sql`
            select array_to_json(keep_journalled(
              ${JSON.stringify(batch.map(rowFromRecord))}::text::json,
              ${bytesArray(batch.map(({ digest }) => digest))}::text::bytea[],
              ${bytesArray(batch.map(({ packed }) => packed))}::text::bytea[],
              ${bytesArray(batch.map(({ inputs }) => Buffer.from(inputs)))}::text::bytea[],
              ${bytesArray(batch.map(({ explanation }) => explanation))}::text::bytea[],
              ${expiryS}::integer
            ))::text as contradicted`,
          { effect: 'writes', withinMs: batchMs },
        )
        contradicted.push(...(JSON.parse(row!.contradicted) as readonly string[]))
      }
      return contradicted
    },
    async expireCalculations(max) {
      const [row] = await database.run<{ expired: number }>(
        sql`select expire_calculations(${max}::integer) as expired`,
        { effect: 'writes', withinMs: batchMs },
      )
      return row!.expired
    },
  }
}

/**
 * The row of `calculation` that a record becomes. Whatever its texts hold can be stored: a record that could not would stop the
 * journal behind it for ever.
 */
function rowFromRecord(record: CalculationRecord): Readonly<Record<string, string | number | boolean | null>> {
  return {
    calculation_id: record.calculationId,
    supersedes_calculation_id: record.supersedesCalculationId,
    net_before: record.netBefore,
    net_after: record.netAfter,
    loyalty_discount_total: record.loyaltyDiscountTotal,
    answered_at: new Date(record.answeredAt).toISOString(),
    programme_version: record.programmeVersion,
    status: record.status,
    optimal: record.optimal,
    venue_id: legible(record.venueId),
    bax_id: legible(record.baxId),
    cash_register_id: storable(record.cashRegisterId),
    channel: legible(record.channel),
    currency: legible(record.currency),
    requested_at: legible(record.requestedAt),
    reason: storable(record.reason),
    loyalty_id: storable(record.loyaltyId),
    member_id: storable(record.memberId),
  }
}

function rowFromWant({ limitId, subject, period, units, maximum }: Want) {
  return { limit_id: limitId, subject, period, units, maximum }
}

function replyFromRow(row: ConfirmRow): ConfirmReply {
  switch (row.reply) {
    case 'confirmed':
    case 'too_late':
      return { kind: row.reply }
    case 'short':
      return { kind: 'short', left: Object.fromEntries(row.counters.map((name) => [counterKey(name), name.left])) }
    case 'known':
      return { kind: 'known', lookup: lookupFromRow(row) }
  }
}

function lookupFromRow({ kind, digest, packed }: AnswerRow): AnswerLookup {
  return kind === 'stored' ? { kind, answer: { digest, packed } } : { kind }
}

/** The server found the time over at the end, or while it waited for a lock: nothing was written. */
function isTooLate(error: unknown): boolean {
  return sqlState(error) === 'LY001' || (error instanceof StoreFault && sqlState(error.cause) === '55P03')
}

/** The records, each id once, cut into what goes over in one statement. */
function* batches(records: readonly CalculationRecord[]): Generator<readonly CalculationRecord[]> {
  let batch: CalculationRecord[] = []
  let bytes = 0
  for (const record of new Map(records.map((record) => [record.calculationId, record])).values()) {
    const size = record.packed.length + record.inputs.length + record.explanation.length
    if (batch.length > 0 && (batch.length === batchMax || bytes + size > batchBytesMax)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(record)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
