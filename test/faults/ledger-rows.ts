import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import { unpackAnswer } from '../../engine/wire/pack.js'
import { openReconciler } from '../../store/open-reconciler.js'
import { astrayOf } from '../store/ledger-checker.js'
import { digestOf } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'

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

/** Differences in members' value found by `lps reconcile`, in words; the checker itself recounts counters (I2). */
export async function recountValue(databaseUrl: string): Promise<readonly string[]> {
  const reconciler = await openReconciler({ databaseUrl, dataFolder: '' })
  try {
    return astrayOf(await reconciler.reconcile({ since: '2000-01-01', until: null }, () => {}))
  } finally {
    await reconciler.close()
  }
}

/** First balances of each member, by currency: enough to spend from the first basket on, too little for all of them. */
const openingBalances: Readonly<Record<string, number>> = { stamps: 30, points: 60 }

/** Members of the fault programme, `member-1` and so on. */
const memberCount = 24

/** Gives members value, past the gateways and before any fault. */
export async function importOpening(
  databaseUrl: string,
  balances: Readonly<Record<string, number>> = openingBalances,
): Promise<void> {
  const ledger = await createPostgresLedger({ url: databaseUrl, expiryS: 5, idempotencyS: 86_400, connections: 1 })
  try {
    const reply = await ledger.value.importBalances(
      { requestId: randomUUID(), digest: digestOf('opening'), call: 'ValueService/ImportBalances', actor: 'test' },
      Array.from({ length: memberCount }, (_, at) => `member-${at + 1}`).flatMap((memberId) =>
        Object.entries(balances).map(([currencyId, amount]) => ({
          ...{ member: { memberId }, currencyId, amount, reference: `opening-${memberId}` },
          ...{ opensAt: null, expiresAt: null },
        })),
      ),
    )
    if (reply.kind !== 'done') throw new Error(`opening balances: ${JSON.stringify(reply)}`)
  } finally {
    await ledger.close()
  }
}
