import { brotliDecompressSync } from 'node:zlib'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { plenty } from './ledger-builders.js'

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
