import { randomUUID } from 'node:crypto'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { plenty } from './ledger-builders.js'

/** A rule as a calculation stores it; default: one stamp for each unit. */
export interface RuleCount {
  readonly ruleId?: string
  readonly currencyId?: string
  readonly give?: number
  readonly per?: 'amount' | 'units' | 'visit'
  readonly every?: number
  /** In ten-thousandths. */
  readonly factor?: number
  readonly sent?: number
  /** Default: as sent. */
  readonly returned?: number
  /** The units bought, in a claim, where `sent` is what is kept. */
  readonly all?: number
  readonly cooldownMinutes?: number
  readonly maximum?: { readonly amount: number; readonly period: string }
  /** For a maximum by birthday. */
  readonly about?: string
  readonly opensAfterDays?: number
  readonly expires?: { readonly unit: string; readonly after: number; readonly atEndOf: string | null }
}

interface When {
  readonly at?: string
  readonly day?: string
  readonly timeZone?: string
}

/** As `CalculationRecord.earning`. */
export function anEarning(rules: readonly RuleCount[], when: When = {}): string {
  const { at = '2026-11-21T10:00:00+01:00', timeZone = 'Europe/Oslo' } = when
  return JSON.stringify({
    at: Date.parse(at),
    day: when.day ?? at.slice(0, 10),
    timeZone,
    rules: rules.map(({ sent = 1, returned = sent, ...rule }) => ({
      ruleId: 'coffee',
      currencyId: 'stamps',
      give: 1,
      per: 'units',
      ...(rule.per === 'visit' ? {} : { every: 1 }),
      factor: 10_000,
      ...rule,
      sent,
      returned,
    })),
  })
}

export function aMemberId(): string {
  return `member-${randomUUID()}`
}

/** A member's value by currency. */
export async function holdings(database: Sql, memberId: string): Promise<Readonly<Record<string, number>>> {
  const rows = await database.run<{ currencyId: string; amount: number }>(
    sql`
      select a.currency_id as "currencyId", coalesce(sum(l.amount), 0)::bigint as amount
      from account a left join lot l on l.account_id = a.account_id
      where a.member_id = ${memberId} group by a.currency_id`,
    { effect: 'reads', withinMs: plenty },
  )
  return Object.fromEntries(rows.map(({ currencyId, amount }) => [currencyId, amount]))
}

/** Movements of a member, oldest first: kind, cause and amount. */
export async function movements(
  database: Sql,
  memberId: string,
): Promise<readonly (readonly [string, string, number])[]> {
  const rows = await database.run<{ kind: string; cause: string; amount: number }>(
    sql`
      select m.kind::text as kind, m.cause, e.amount from entry e
      join account a on a.account_id = e.account_id join movement m on m.movement_id = e.movement_id
      where a.member_id = ${memberId} order by m.movement_id, a.currency_id`,
    { effect: 'reads', withinMs: plenty },
  )
  return rows.map(({ kind, cause, amount }) => [kind, cause, amount])
}

/** Counts of each rule for a member so far, weighted, in ten-thousandths, and the value that it gave. */
export async function totals(
  database: Sql,
  memberId: string,
): Promise<Readonly<Record<string, readonly [total: string, given: number]>>> {
  const rows = await database.run<{ ruleId: string; total: string; given: number }>(
    sql`
      select t.rule_id as "ruleId", t.total::text as total, t.given from earned_total t
      join account a on a.account_id = t.account_id where a.member_id = ${memberId}`,
    { effect: 'reads', withinMs: plenty },
  )
  return Object.fromEntries(rows.map(({ ruleId, total, given }) => [ruleId, [total, given]]))
}
