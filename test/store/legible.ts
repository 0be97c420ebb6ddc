import { brotliDecompressSync, inflateRawSync } from 'node:zlib'
import { packDictionary } from '../../engine/wire/pack-dictionary.js'
import { decompressZstd } from '../../engine/wire/zstd.js'
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

/** What one dump had, the next one mostly has too. */
const known = new Map<string, string>()

function legibleHex(hex: string): string {
  const text = known.get(hex) ?? legibleBytes(Buffer.from(hex, 'hex'))
  known.set(hex, text)
  return text
}

const bytesMax = 64 * 1024 * 1024
const unpackers: readonly ((bytes: Buffer) => Buffer)[] = [
  (bytes) => inflateRawSync(bytes),
  (bytes) => brotliDecompressSync(bytes),
  ...[packDictionary, new Uint8Array(0)].map(
    (dictionary) => (bytes: Buffer) => Buffer.from(decompressZstd(bytes, dictionary, bytesMax)),
  ),
]

/** Bytes as text, and their unpacked content, with or without a first byte before it. */
export function legibleBytes(bytes: Buffer): string {
  const unpacked = unpackers.flatMap((unpack) =>
    [bytes, bytes.subarray(1)].map((each) => {
      try {
        return unpack(each).toString()
      } catch {
        return ''
      }
    }),
  )
  return [bytes.toString(), ...unpacked].join('\n')
}
