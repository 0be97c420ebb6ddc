import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'

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
