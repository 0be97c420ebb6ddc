import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onlyRow, type Sql, sql, type Transaction } from '../connection/sql.js'

/** How long a migration waits for a lock, in milliseconds: so long may calls of other gateways have to wait behind it. */
const lockMs = 200

interface Applied {
  readonly number: number
  readonly name: string
  readonly digest: string
  readonly functions: string | null
}

/**
 * Brings the database to the schema of this release, in one transaction and under one lock: new migrations are applied, then all functions
 * are replaced. A database that is ahead (a newer gateway was here) is left unchanged. CONTRIBUTING.md lists the allowed changes of a release. Rejects
 * with StoreFault where the database is out of reach, `busy` where a lock was not free in time; with an Error on a database that is not
 * UTF-8 or has other migrations under our numbers.
 */
export async function migrate(database: Sql, folder = import.meta.dirname): Promise<void> {
  const schema = await readSchema(folder)
  await database.transaction(async (transaction) => {
    await transaction.run(sql`select pg_advisory_xact_lock(hashtextextended('loyalty migrations', 0))`)
    await assertUtf8(transaction)
    await transaction.run(sql`select set_config('lock_timeout', ${String(lockMs)}, true)`)
    const applied = await readApplied(transaction)
    assertSame(applied, schema.migrations)
    const newest = schema.migrations.at(-1)!.number
    if (applied.some(({ number }) => number > newest)) return
    for (const migration of schema.migrations) {
      if (!applied.some(({ number }) => number === migration.number)) await apply(transaction, migration)
    }
    const functions = applied.find(({ number }) => number === newest)?.functions
    if (functions !== schema.functions.digest) await replaceFunctions(transaction, schema.functions, newest)
  })
}

async function assertUtf8(transaction: Transaction): Promise<void> {
  const asking = sql`select current_setting('server_encoding') as encoding`
  const { encoding } = onlyRow(await transaction.run<{ encoding: string }>(asking), { effect: 'reads' })
  if (encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8, not ${encoding}`)
}

async function readApplied(transaction: Transaction): Promise<readonly Applied[]> {
  await transaction.runScript(`
    create table if not exists migration (
      number integer primary key,
      name text not null,
      digest text not null,
      functions text,
      applied_at timestamptz not null default clock_timestamp()
    )`)
  return transaction.run<Applied>(sql`select m.number, m.name, m.digest, m.functions from migration m`)
}

function assertSame(applied: readonly Applied[], migrations: readonly Migration[]): void {
  for (const { number, name, digest } of applied) {
    const ours = migrations.find((migration) => migration.number === number)
    if (ours === undefined) continue
    if (name !== ours.name) throw new Error(`migration ${number} of this database is ${name}, not ${ours.name}`)
    if (digest !== ours.digest) {
      throw new Error(`migration ${number} (${name}) of this database has another content than ours`)
    }
  }
}

/** The row first: should two ever get here, the second stops before it changes anything. */
async function apply(transaction: Transaction, { number, name, script, digest }: Migration): Promise<void> {
  await transaction.run(sql`
    insert into migration (number, name, digest) values (${number}::integer, ${name}, ${digest})`)
  await transaction.runScript(script)
}

async function replaceFunctions(
  transaction: Transaction,
  functions: Schema['functions'],
  newest: number,
): Promise<void> {
  // Bodies name functions that come later in the script; a test checks the bodies.
  await transaction.run(sql`select set_config('check_function_bodies', 'off', true)`)
  await transaction.runScript(functions.script)
  await transaction.run(sql`
    update migration set functions = ${functions.digest} where number = ${newest}::integer`)
}

interface Migration {
  readonly number: number
  readonly name: string
  readonly script: string
  readonly digest: string
}

interface Schema {
  readonly migrations: readonly Migration[]
  readonly functions: { readonly script: string; readonly digest: string }
}

async function readSchema(folder: string): Promise<Schema> {
  const migrations = (await readScripts(join(folder, 'migrations'))).map(({ file, script }) => ({
    number: Number(file.slice(0, 4)),
    name: file.slice(5, -'.sql'.length),
    script,
    digest: digestOf(script),
  }))
  const misplaced = migrations.find(({ number }, position) => number !== position + 1)
  if (misplaced) throw new Error(`migration ${misplaced.number} (${misplaced.name}) does not follow the one before it`)
  const functions = (await readScripts(join(folder, 'functions'))).map(({ script }) => script).join('\n')
  return {
    migrations,
    functions: { script: functions, digest: digestOf(functions) },
  }
}

/** One file after the other: all at once would need more open files than a small machine allows. */
async function readScripts(folder: string) {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return files.map((file) => ({ file, script: readFileSync(join(folder, file), 'utf8') }))
}

/** SHA-256 without comments and white space: those may be edited after a release, and a checkout may change line ends. */
function digestOf(script: string): string {
  const statements = script.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim()
  return createHash('sha256').update(statements).digest('hex')
}
