import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { sqlState } from '../../../store/postgres/connection/faults.js'
import { createPostgresSql } from '../../../store/postgres/connection/postgres-sql.js'
import { migrate } from '../../../store/postgres/schema/migrate.js'
import { readSchema } from '../../../store/postgres/schema/read-schema.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { collectStatements } from './collect-statements.js'
import { describe, type ReleasedStatement, releasedSchema, releaseFile } from './release.js'

/** SQLSTATE of a piece that is no statement by itself: lists are joined from pieces (`join` of sql.ts). */
const syntaxError = '42601'

const help = `node dist/test/store/release/write-release.js --version V --sources FOLDER
  writes the schema of a release and what it asks of the database, for the next one to be tested against
  (CONTRIBUTING.md, Schema and releases)
  --sources    store/postgres of that release`

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    sources: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help || !values.version || !values.sources) console.log(help)
else await writeRelease(values.version, values.sources)

async function writeRelease(version: string, sources: string): Promise<void> {
  await copySchema(join(sources, 'schema'))
  const server = await startPostgres()
  try {
    const url = await server.createDatabase()
    const database = createPostgresSql(url, 1)
    await migrate(database, releasedSchema)
    await database.close()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const statements: ReleasedStatement[] = []
    let pieces = 0
    for (const text of await collectStatements(sources)) {
      await describe(sql, text).then(
        (statement) => statements.push(statement),
        (error: Error) => {
          if (sqlState(error) !== syntaxError) throw error
          pieces += 1
        },
      )
    }
    await sql.end()
    await writeFile(releaseFile, `${JSON.stringify({ version, statements }, null, 1)}\n`)
    console.log(`${statements.length} statements of ${version}; ${pieces} pieces of statements left out`)
  } finally {
    await server.stop()
  }
}

async function copySchema(folder: string): Promise<void> {
  const { migrations, functions } = await readSchema(folder)
  await rm(releasedSchema, { recursive: true, force: true })
  await mkdir(join(releasedSchema, 'migrations'), { recursive: true })
  await mkdir(join(releasedSchema, 'functions'))
  for (const { number, name, script } of migrations) {
    await writeFile(join(releasedSchema, 'migrations', `${String(number).padStart(4, '0')}-${name}.sql`), script)
  }
  await writeFile(join(releasedSchema, 'functions', 'all.sql'), functions.script)
}
