import { brotliDecompressSync } from 'node:zlib'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import type { Reconciliation } from '../../store/postgres/counters/reconcile.js'
import { plenty } from '../support/ledger-builders.js'

const terms = { effect: 'reads', withinMs: 10_000 } as const

/**
 * Recounts a ledger: redundant sums in its tables must agree, and timely use never exceeds a limit. Resolves to one line per
 * contradiction.
 */
export async function recount(database: Sql): Promise<readonly string[]> {
  const faults = await Promise.all([
    database.run<{ fault: string }>(countersThatDisagree, terms),
    database.run<{ fault: string }>(limitsThatArePassed, terms),
    database.run<{ fault: string }>(reservationsOutOfState, terms),
    database.run<{ fault: string }>(salesOutOfState, terms),
    database.run<{ fault: string }>(calculationsWithoutBody, terms),
  ])
  return faults.flat().map(({ fault }) => fault)
}

const countersThatDisagree = sql`
  select format('counter %s: open %s used %s late %s, reservations say %s %s %s',
    k.counter_id, k.open, k.used, k.late, r.open, r.used, r.late) as fault
  from limit_counter k
  left join lateral (
    select coalesce(sum(units) filter (where state = 'open'), 0) as open,
      coalesce(sum(units) filter (where state = 'used'), 0) as used,
      coalesce(sum(units) filter (where state = 'late'), 0) as late
    from reservation where counter_id = k.counter_id
  ) r on true
  where (k.open, k.used - k.pruned_used, k.late - k.pruned_late) <> (r.open, r.used, r.late)`

const limitsThatArePassed = sql`
  select format('counter %s: used %s + open %s > maximum %s', counter_id, used, open, maximum) as fault
  from limit_counter where used + open - merged > maximum`

const reservationsOutOfState = sql`
  select format('reservation of %s is %s, its calculation %s', r.calculation_id, r.state, coalesce(c.state::text, 'gone')) as fault
  from reservation r left join calculation c on c.calculation_id = r.calculation_id
  where c.calculation_id is null
    or (r.state = 'open' and c.state <> 'open')
    or (r.state = 'used' and c.state <> 'finalised')
    or (r.state = 'late' and c.state not in ('expired', 'superseded'))`

const salesOutOfState = sql`
  select format('sale of %s (%s, %s) met a calculation that is %s', s.calculation_id, s.status, s.result, c.state) as fault
  from sale s join calculation c on c.calculation_id = s.calculation_id
  where c.state = 'open'
    or (c.state = 'finalised' and s.status = 'cancelled')
    or (c.state = 'abandoned' and s.status <> 'cancelled')
    or (c.state = 'expired' and not 'late_event' = any (s.discrepancies))
    or (c.state = 'superseded' and not 'superseded' = any (s.discrepancies))
    or 'unknown_calculation' = any (s.discrepancies)`

const calculationsWithoutBody = sql`
  select format('calculation %s has no body', c.calculation_id) as fault
  from calculation c left join calculation_body b on b.calculation_id = c.calculation_id and b.day = c.body_day
  where b.calculation_id is null and c.requested_at <> 'body dropped'`

/** Differences of members' value in a reconciliation (4-member-value, section 7), in words; empty: everything adds up. */
export function astrayOf({ value, earning, spending, returns }: Reconciliation): readonly string[] {
  const count =
    value.accountsAstray +
    value.transfersAstray +
    earning.earningAstray +
    spending.holdsAstray +
    spending.accountsAstray +
    returns.returnsAstray
  return count === 0 ? [] : [`reconcile finds ${JSON.stringify({ value, earning, spending, returns })}`]
}

/** Every row of every table as text, with its bytes unpacked. */
export async function dumpTables(database: Sql): Promise<string> {
  // As a write: a large table takes longer than a read may be silent.
  const terms = { effect: 'writes', withinMs: plenty } as const
  const tables = await database.run<{ name: string }>(
    sql`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
    terms,
  )
  const dumps: string[] = []
  for (const { name } of tables) {
    const [row] = await database.run<{ dump: string }>(
      sql`select query_to_xml(format('select x::text as row from %I x', ${name}::text), false, false, '')::text as dump`,
      terms,
    )
    dumps.push(`${name}\n${legible(row!.dump)}`)
  }
  return dumps.join('\n')
}

/** A dump with its hex bytea values appended: as they are, and unpacked. */
export function legible(dump: string): string {
  const values = new Set(dump.match(/(?<=\\x)[0-9a-f]+/g))
  return [dump, ...[...values].map(legibleHex)].join('\n')
}

/** Most texts of one dump are in the next one, too. */
const known = new Map<string, string>()

function legibleHex(hex: string): string {
  const text = known.get(hex) ?? legibleBytes(Buffer.from(hex, 'hex'))
  known.set(hex, text)
  return text
}

/** Bytes as text, and their unpacked content where they are packed. */
export function legibleBytes(bytes: Buffer): string {
  try {
    return `${bytes}\n${brotliDecompressSync(bytes)}`
  } catch {
    return bytes.toString()
  }
}
