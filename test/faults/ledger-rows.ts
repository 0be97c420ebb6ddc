import type postgres from 'postgres'
import { unpackAnswer } from '../../engine/wire/pack.js'
import { readValueRows, type ValueRows } from './value-rows.js'

/** The whole ledger at the end of a run. */
export interface LedgerRows {
  readonly calculations: readonly CalculationRow[]
  readonly counters: readonly CounterRow[]
  readonly reservations: readonly ReservationRow[]
  readonly sales: readonly SaleRow[]
  readonly value: ValueRows
}

export interface CalculationRow {
  readonly calculationId: string
  readonly state: string
  /** Body of the 200, null where no body is stored. */
  readonly answer: string | null
}

export interface CounterRow {
  readonly counterId: number
  readonly limitId: string
  readonly subject: string
  readonly period: string
  readonly used: number
  readonly open: number
  readonly late: number
  /** Part of `open` that has expired and is not booked yet. */
  readonly expired: number
}

export interface ReservationRow {
  readonly calculationId: string
  readonly counterId: number
  readonly units: number
  readonly state: string
}

export interface SaleRow {
  readonly calculationId: string
  readonly status: string
  readonly result: string
  readonly discrepancies: readonly string[]
  /** The event as it arrived. */
  readonly body: string
}

/** Reads the ledger in one snapshot. */
export async function readLedgerRows(sql: postgres.Sql): Promise<LedgerRows> {
  return await sql.begin('isolation level repeatable read read only', async (tx) => ({
    calculations: (
      await tx`
        select c.calculation_id as id, c.state::text as state, b.packed
        from calculation c
        left join calculation_body b on b.calculation_id = c.calculation_id and b.day = c.body_day`
    ).map(({ id, state, packed }) => ({ calculationId: id, state, answer: packed === null ? null : answerOf(packed) })),
    counters: await readCounters(tx),
    reservations: await tx<ReservationRow[]>`
      select calculation_id as "calculationId", counter_id::int4 as "counterId", units::int4 as units, state::text as state
      from reservation`,
    sales: (
      await tx`select calculation_id as id, status::text as status, result::text as result, to_json(discrepancies) as words, body
        from sale`
    ).map(({ id, status, result, words, body }) => ({
      calculationId: id,
      status,
      result,
      discrepancies: words,
      body: Buffer.from(body).toString(),
    })),
    value: await readValueRows(tx),
  }))
}

export async function readCounters(sql: postgres.ISql): Promise<readonly CounterRow[]> {
  return await sql<CounterRow[]>`
    select k.counter_id::int4 as "counterId", k.limit_id as "limitId", k.subject, k.period,
      k.used::int4 as used, k.open::int4 as open, k.late::int4 as late,
      (select coalesce(sum(r.units), 0)::int4 from reservation r
        where r.counter_id = k.counter_id and r.held_until <= clock_timestamp()) as expired
    from limit_counter k`
}

function answerOf(packed: Uint8Array): string {
  return Buffer.from(unpackAnswer(packed).answer).toString()
}
