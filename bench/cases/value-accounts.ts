import { randomBytes } from 'node:crypto'
import { textOfEarning, textOfSpending } from '../../engine/wire/write-stored.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { aSale } from '../../test/support/ledger-builders.js'
import type { Ledger } from '../../test/support/open-ledger.js'
import { buildRule } from '../engine/draw-benefits.js'
import type { Bench } from '../run/bench.js'
import { aStored, openLedger, plenty } from './ledger-records.js'

/** Members with value in a case without a number of its own. */
export const membersUsual = 100_000
export const lotsEach = 12
/** The member whose account every basket needs, with enough value for all. */
export const hotMember = 'member-0'
const longMs = 300_000

export type Call = () => Promise<unknown>

const currencies = ['points', 'stamps'] as const

/** A ledger of its own, with the accounts of this many members. */
export async function openValueLedger(bench: Bench, members: number): ReturnType<typeof openLedger> {
  const opened = await openLedger(bench)
  await fillAccounts(opened.url, members)
  return opened
}

/** Accounts of members in both currencies, each with lots that end in different months. */
export async function fillAccounts(url: string, members: number): Promise<void> {
  for (const currency of currencies) {
    await runSliced(
      url,
      members + 1,
      (from, to) => sql`
        with added as (
          insert into account (member_id, currency_id)
          select 'member-' || n, ${currency} from generate_series(${from}::integer, ${to - 1}::integer) n
          returning account_id, member_id
        )
        insert into lot (account_id, amount, opens_at, expires_at)
        select a.account_id, case a.member_id when ${hotMember} then ${plenty}::bigint else 100 end, clock_timestamp() - interval '1 day', clock_timestamp() + month * interval '1 month'
        from added a, generate_series(1, ${lotsEach}::integer) month`,
    )
  }
}

/** A server ends a statement after half a minute, so a table is filled in slices. */
const sliceRows = 10_000

/** Runs a statement for every slice of 0 to before `count`, then a vacuum of accounts and lots. */
export async function runSliced(
  url: string,
  count: number,
  statement: (from: number, to: number) => ReturnType<typeof sql>,
): Promise<void> {
  const database = createPostgresSql(url, 1)
  const terms = { effect: 'writes', withinMs: longMs } as const
  for (let from = 0; from < count; from += sliceRows) {
    await database.run(statement(from, Math.min(count, from + sliceRows)), terms)
  }
  for (const table of ['account', 'lot']) await database.run({ text: `vacuum analyze ${table}`, values: [] }, terms)
  await database.close()
}

/** Prepares sales of this many members, enough for a turn, and records one with each call. */
export async function salesOf(ledger: Ledger, members: number, earning: () => string | null): Promise<Call> {
  const records: CalculationRecord[] = []
  const enough = 3_000
  while (records.length < enough) {
    const some = Array.from({ length: 100 }, () => {
      const memberId = someMember(members)
      return aStored(ledger, { memberId, loyaltyId: memberId, earning: earning() })
    })
    await ledger.calculations.store(some)
    records.push(...some)
  }
  let next = 0
  const body = randomBytes(600)
  return () => {
    const record = records[next++]
    if (record === undefined) throw new Error(`a turn recorded more than ${enough} sales: prepare more`)
    return ledger.sales.record(aSale(record), body)
  }
}

export function someMember(members: number): string {
  return `member-${1 + Math.floor(Math.random() * members)}`
}

/** The cost of a calculation: one stamp. */
export const oneStamp = textOfSpending([
  {
    benefitId: 'free-coffee',
    currencyId: 'stamps',
    per: 'times',
    amount: 1,
    times: 1,
    lines: [{ lineId: '1', units: 1 }],
  },
])

const expires = { unit: 'months', after: 12, atEndOf: 'month' } as const
const rules = [
  buildRule('by-amount', { kind: 'amount', every: 100 }, { expires }),
  buildRule('by-unit', { kind: 'units', every: 1 }, { currencyId: 'stamps', expires }),
  buildRule('by-visit', { kind: 'visit' }, { expires }),
]

/** Counts of three rules for a basket, as a calculation stores them. */
export function earningText(at: number): string | null {
  const counted = rules.map((rule) => ({ rule, factor: 10_000, sent: 900, returned: 900 }))
  return textOfEarning({ at, day: new Date(at).toISOString().slice(0, 10), timeZone: 'Europe/Oslo', counted })
}
