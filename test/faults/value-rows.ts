import type postgres from 'postgres'

/** Value that members earned and spent, in the ledger at the end of a run. */
export interface ValueRows {
  /** Holds of calculations, open or used, by currency. */
  readonly holds: readonly HoldRow[]
  /** Amounts that movements took for a calculation, above 0. */
  readonly used: readonly { readonly calculationId: string; readonly currencyId: string; readonly amount: number }[]
  readonly counted: readonly CountedRow[]
  readonly accounts: readonly AccountRow[]
}

export interface HoldRow {
  readonly calculationId: string
  readonly currencyId: string
  readonly amount: number
  /** open, used, late or released. */
  readonly state: string
}

/** A rule's count of a sale, and the value given for it. */
export interface CountedRow {
  readonly calculationId: string
  readonly ruleId: string
  readonly memberId: string
  readonly counted: number
  readonly given: number
}

export interface AccountRow {
  readonly memberId: string
  readonly currencyId: string
  readonly debt: number
  /** All that movements ever added. */
  readonly added: number
}

export async function readValueRows(sql: postgres.ISql): Promise<ValueRows> {
  return {
    holds: await sql<HoldRow[]>`
      select h.calculation_id as "calculationId", a.currency_id as "currencyId", h.amount::int4 as amount, h.state::text as state
      from value_hold h join account a on a.account_id = h.account_id`,
    used: await sql<ValueRows['used'][number][]>`
      select split_part(m.cause, ':', 2) as "calculationId", a.currency_id as "currencyId", -n.amount::int4 as amount
      from movement m join entry n on n.movement_id = m.movement_id join account a on a.account_id = n.account_id
      where m.kind = 'used'`,
    counted: await sql<CountedRow[]>`
      select e.calculation_id as "calculationId", e.rule_id as "ruleId", a.member_id as "memberId", e.counted::int4 as counted,
        e.given::int4 as given
      from earned e join account a on a.account_id = e.account_id`,
    accounts: await sql<AccountRow[]>`
      select a.member_id as "memberId", a.currency_id as "currencyId", a.debt::int4 as debt,
        coalesce((select sum(n.amount) from entry n where n.account_id = a.account_id and n.amount > 0), 0)::int4 as added
      from account a`,
  }
}
