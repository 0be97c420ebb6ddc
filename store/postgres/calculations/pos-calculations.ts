import { accountKey, amountsSpent, counterKey, type Spent, type Want } from '../../../engine/core/base/outcome.js'
import { type EarningBasis, planEarning } from '../../../engine/value/earning.js'
import { StoreFault } from '../../fault.js'
import type { AnswerLookup, CalculationRecord, ConfirmReply, PosCalculations } from '../../ledger/calculations.js'
import { sqlState } from '../connection/faults.js'
import type { LedgerOptions } from '../connection/options.js'
import { legible, readRow, type Sql, sql, storable, wrongRows } from '../connection/sql.js'
import type { AnswerRow, LookUps } from '../look-ups.js'
import { daysAtStart, ensurePartitions } from '../upkeep/retention.js'
import { planText, untilPlanned } from '../value/plan-earning.js'
import type { LedgerClock } from './ledger-clock.js'

const batchMax = 100

const batchBytesMax = 1_000_000

const batchMs = 5_000

/** How much longer than the server itself we wait for a confirmation, in milliseconds: its own word is better than our doubt. */
const graceMs = 25

/** How often one confirmation is sent at most: a clock that is set while it is followed is followed again. */
const confirmAttemptsMax = 3

/** A failed check too, which fails again. */
const noPartition = '23514'

interface ConfirmRow extends AnswerRow {
  readonly reply: ConfirmReply['kind'] | 'clock_differs'
  readonly counters: readonly ((Want | { readonly currencyId: string }) & { readonly left: number })[]
  readonly ledgerMs: number
}

/** Calculations, as POS calls need them (contract 3.1, wire decisions 4 and 5); every write is one statement, so no lock outlives a round trip. */
export function createPosCalculations(
  database: Sql,
  { clock, lookUps }: { readonly clock: LedgerClock; readonly lookUps: LookUps },
  { expiryS, idempotencyS, saleMs }: Required<LedgerOptions>,
): PosCalculations {
  /** Where only the two clocks disagreed, ours has just been corrected: the same is asked again in the time that is left. */
  async function confirm(record: CalculationRecord, withinMs: number): Promise<ConfirmReply> {
    const untilMs = performance.now() + withinMs
    let current = record
    for (let attempt = 1; attempt <= confirmAttemptsMax; attempt += 1) {
      const sentAtMs = performance.now()
      if (sentAtMs >= untilMs) break
      const row = await untilPlanned(untilMs, async (failed) => {
        const plans = failed === 0 ? null : await planJoins([record], untilMs)
        return await inPartitions(untilMs, () => sendConfirmation(current, plans, untilMs - performance.now()))
      })
      if (row === null) break
      const corrected = clock.learn(sentAtMs, row.ledgerMs)
      if (row.reply !== 'clock_differs' && row.reply !== 'too_late') return replyFromRow(row, row.reply)
      if (!corrected) break
      current = { ...record, answeredAt: clock.now() }
    }
    return { kind: 'too_late' }
  }

  /** null: the server ended it, because its time was over. */
  async function sendConfirmation(
    record: CalculationRecord,
    plans: string | null,
    withinMs: number,
  ): Promise<ConfirmRow | null> {
    const statement = sql`
      select c.*, (extract(epoch from clock_timestamp()) * 1000)::float8 as "ledgerMs"
      from confirm_within(
        ${JSON.stringify(rowFromRecord(record))}::text::json, ${record.digest}, ${record.packed},
        ${Buffer.from(record.inputs)}, ${record.explanation}, ${JSON.stringify(record.holds.map(rowFromWant))}::text::json,
        ${expiryS}::integer, ${idempotencyS}::integer, to_timestamp(${clock.now() / 1_000}::float8), ${withinMs}::float8,
        ${plans}::text::json
      ) c`
    try {
      return await readRow<ConfirmRow>(database, statement, { effect: 'writes', withinMs: withinMs + graceMs })
    } catch (error) {
      if (isTooLate(error)) return null
      throw error
    }
  }

  async function storeBatch(batch: readonly CalculationRecord[]): Promise<readonly string[]> {
    const { bytes, ends } = bytesOf(batch)
    const untilMs = performance.now() + batchMs
    return await untilPlanned(untilMs, async (failed) => {
      const plans = failed === 0 ? null : await planJoins(batch, untilMs)
      const statement = sql`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as "ledgerMs", array_to_json(store_journal_batch(
          ${JSON.stringify(batch.map(rowFromRecord))}::text::json, ${bytes}::text::bytea, ${ends}::text::integer[],
          ${expiryS}::integer, ${plans}::text::json
        ))::text as contradicted`
      return await inPartitions(untilMs, async () => {
        const sentAtMs = performance.now()
        const row = await readRow<{ ledgerMs: number; contradicted: string }>(database, statement, {
          effect: 'writes',
          withinMs: untilMs - sentAtMs,
        })
        clock.learn(sentAtMs, row.ledgerMs)
        return JSON.parse(row.contradicted) as readonly string[]
      })
    })
  }

  /** A gateway that slept through its rounds, as in a suspended computer, has not created today's partition of the bodies. */
  async function inPartitions<Reply>(untilMs: number, ask: () => Promise<Reply>): Promise<Reply> {
    try {
      return await ask()
    } catch (error) {
      const leftMs = untilMs - performance.now()
      if (sqlState(error) !== noPartition || leftMs <= 0) throw error
      await ensurePartitions(database, daysAtStart, leftMs)
      return await ask()
    }
  }

  /** Plans, by calculation id, the earning of sales that came before these calculations: few do, so only once the ledger has found one. */
  async function planJoins(records: readonly CalculationRecord[], untilMs: number): Promise<string | null> {
    const { bases } = await readRow<{ bases: Readonly<Record<string, EarningBasis>> }>(
      database,
      sql`select joining_bases(${JSON.stringify(records.map(rowFromRecord))}::text::json) as bases`,
      { effect: 'reads', withinMs: untilMs - performance.now() },
    )
    return planText(Object.fromEntries(Object.entries(bases).map(([id, basis]) => [id, planEarning(basis)])))
  }

  return {
    confirm,
    async findAnswer(calculationId) {
      const row = await lookUps.find('answer', calculationId)
      if (row === null) throw wrongRows('reads', 1, 0)
      return lookupFromRow(row)
    },
    async withdraw(calculationId) {
      const row = await readRow<{ reply: 'withdrawn' | 'replayed' | 'unknown' }>(
        database,
        sql`select withdraw_calculation(${calculationId}::uuid) as reply`,
        { effect: 'writes', withinMs: saleMs },
      )
      return row.reply
    },
    async store(records) {
      const contradicted: string[] = []
      for (const batch of batches(records)) contradicted.push(...(await storeBatch(batch)))
      return contradicted
    },
    async expire(max) {
      const row = await readRow<{ expired: number }>(
        database,
        sql`select expire_calculations(${max}::integer) as expired`,
        { effect: 'writes', withinMs: batchMs },
      )
      return row.expired
    },
  }
}

function bytesOf(batch: readonly CalculationRecord[]): { readonly bytes: string; readonly ends: string } {
  const parts = batch.flatMap((each) => [each.digest, each.packed, Buffer.from(each.inputs), each.explanation])
  let end = 0
  const ends = parts.map(({ length }) => {
    end += length
    return end
  })
  return { bytes: `\\x${Buffer.concat(parts, end).toString('hex')}`, ends: `{${ends.join(',')}}` }
}

/** The row of `calculation` of a record. All its texts can be stored: one that could not would stop the journal behind it for ever. */
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
    gap: record.gap,
    venue_id: legible(record.venueId),
    bax_id: legible(record.baxId),
    cash_register_id: storable(record.cashRegisterId),
    channel: legible(record.channel),
    currency: legible(record.currency),
    requested_at: legible(record.requestedAt),
    reason: storable(record.reason),
    loyalty_id: storable(record.loyaltyId),
    member_id: storable(record.memberId),
    earning: record.earning,
    gave: record.gave,
    entered: record.entered,
    carried: record.carried,
    spending: record.spending,
    spends: JSON.stringify(rowsFromSpending(record)),
  }
}

/** Here and not in SQL, which cannot read every text that a line id may be. */
function rowsFromSpending({ spending }: CalculationRecord) {
  const spent = spending ? (JSON.parse(spending) as readonly Spent[]) : []
  return [...amountsSpent(spent)].map(([currency_id, amount]) => ({ currency_id, amount }))
}

function rowFromWant({ limitId, subject, period, units, maximum }: Want) {
  return { limit_id: limitId, subject, period, units, maximum }
}

function replyFromRow(row: ConfirmRow, reply: Exclude<ConfirmReply['kind'], 'too_late'>): ConfirmReply {
  switch (reply) {
    case 'confirmed':
      return { kind: reply }
    case 'short':
      return { kind: 'short', left: Object.fromEntries(row.counters.map((each) => [keyOf(each), each.left])) }
    case 'known':
      return { kind: 'known', lookup: lookupFromRow(row) }
  }
}

function keyOf(short: ConfirmRow['counters'][number]): string {
  return 'currencyId' in short ? accountKey(short.currencyId) : counterKey(short)
}

function lookupFromRow({ kind, digest, packed }: AnswerRow): AnswerLookup {
  return kind === 'stored' ? { kind, answer: { digest, packed } } : { kind }
}

/** The server found the time over at the end, or while it waited for a lock: nothing was written. */
function isTooLate(error: unknown): boolean {
  return sqlState(error) === 'LY001' || (error instanceof StoreFault && sqlState(error.cause) === '55P03')
}

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
