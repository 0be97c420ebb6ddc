import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'

/** The state of a calculation (contract 3.1), which no method of the ledger returns; null where it does not exist. */
export async function readState(database: Sql, calculationId: string): Promise<string | null> {
  const [row] = await database.run<{ state: string }>(
    sql`select state::text from calculation where calculation_id = ${calculationId}::uuid`,
    { effect: 'reads', withinMs: 10_000 },
  )
  return row?.state ?? null
}

/** The current discrepancies of a stored sale. */
export async function readDiscrepancies(database: Sql, calculationId: string): Promise<readonly string[] | null> {
  const [row] = await database.run<{ discrepancies: readonly string[] }>(
    sql`select to_json(discrepancies) as discrepancies from sale where calculation_id = ${calculationId}::uuid`,
    { effect: 'reads', withinMs: 10_000 },
  )
  return row?.discrepancies ?? null
}

/** Makes calculations expire, without waiting. */
export async function expireNow(database: Sql, ...records: readonly CalculationRecord[]): Promise<void> {
  for (const { calculationId } of records) {
    await database.run(
      sql`
        with c as (
          update calculation set expires_at = clock_timestamp() where calculation_id = ${calculationId}::uuid
        ), h as (
          update value_hold set held_until = clock_timestamp()
          where calculation_id = ${calculationId}::uuid and state = 'open'
        )
        update reservation set held_until = clock_timestamp()
        where calculation_id = ${calculationId}::uuid and state = 'open'`,
      { effect: 'writes', withinMs: 10_000 },
    )
  }
}
