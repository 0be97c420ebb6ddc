import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onlyRow } from '../connection/rows.js'
import { type Sql, sql, type Transaction } from '../connection/sql.js'

/** How long a migration waits for a lock, in milliseconds: so long may calls of other gateways have to wait behind it. */
const lockMs = 200

/** One step of the schema: `NNNN-name.sql`. Once released it is never edited, only followed by another. */
interface Migration {
  readonly number: number
  readonly name: string
  readonly script: string
}

/**
 * Brings the database to the newest schema this code knows, in one transaction and under one lock: several gateways that start
 * at once wait for the first and then find nothing to do. A database that is ahead (a newer gateway was here) is left as it is.
 * Rejects with StoreFault where the database is away, with an Error on one that does not speak UTF-8 or has other
 * migrations under our numbers. Gateways of the release before go on meanwhile: a lock that a call of theirs holds for long makes
 * this one give up (StoreFault `busy`) before anybody has to wait behind it.
 *
 * @param through  the last migration to make; absent: the newest
 */
export async function migrate(database: Sql, through = Number.POSITIVE_INFINITY): Promise<void> {
  const migrations = (await readMigrations()).filter(({ number }) => number <= through)
  await database.transaction(async (transaction) => {
    await transaction.run(sql`select pg_advisory_xact_lock(hashtextextended('loyalty migrations', 0))`)
    await assertUtf8(transaction)
    await transaction.run(sql`select set_config('lock_timeout', ${String(lockMs)}, true)`)
    const applied = await readApplied(transaction)
    for (const migration of migrations) {
      const name = applied.get(migration.number)
      if (name === undefined) await apply(transaction, migration)
      else if (name !== migration.name) {
        throw new Error(`migration ${migration.number} of this database is ${name}, not ${migration.name}`)
      }
    }
  })
}

async function readMigrations(): Promise<readonly Migration[]> {
  const folder = join(import.meta.dirname, 'migrations')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -'.sql'.length),
      script: await readFile(join(folder, file), 'utf8'),
    })),
  )
}

async function assertUtf8(transaction: Transaction): Promise<void> {
  const asking = sql`select current_setting('server_encoding') as encoding`
  const { encoding } = onlyRow(await transaction.run<{ encoding: string }>(asking), { effect: 'reads' })
  if (encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8, not ${encoding}`)
}

async function readApplied(transaction: Transaction): Promise<ReadonlyMap<number, string>> {
  await transaction.runScript(`
    create table if not exists migration (
      number integer primary key,
      name text not null,
      applied_at timestamptz not null default clock_timestamp()
    )`)
  const rows = await transaction.run<{ number: number; name: string }>(sql`select number, name from migration`)
  return new Map(rows.map(({ number, name }) => [number, name]))
}

/** The ledger row first: should two ever get here, the second stops before it touches anything. */
async function apply(transaction: Transaction, { number, name, script }: Migration): Promise<void> {
  await transaction.run(sql`insert into migration (number, name) values (${number}::integer, ${name})`)
  await transaction.runScript(script)
}
