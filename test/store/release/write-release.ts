import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { createPostgresSql } from '../../../store/postgres/connection/postgres-sql.js'
import { migrate } from '../../../store/postgres/schema/migrate.js'
import { startPostgres } from '../../servers/start-postgres.js'
import { collectStatements } from './collect-statements.js'
import { describe, type ReleasedStatement, releaseFile } from './release.js'

const help = `node dist/test/store/release/write-release.js --version V --sources FOLDER --migration N
  writes what a release asks of the database, for the next one to be tested against (CONTRIBUTING.md, releases)
  --sources    store/postgres of that release
  --migration  the last migration that it knows`

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    sources: { type: 'string' },
    migration: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help || !values.version || !values.sources || !values.migration) console.log(help)
else await writeRelease(values.version, values.sources, Number(values.migration))

async function writeRelease(version: string, sources: string, migration: number): Promise<void> {
  const server = await startPostgres()
  try {
    const url = await server.createDatabase()
    const database = createPostgresSql(url, 1)
    await migrate(database, migration)
    await database.close()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const statements: ReleasedStatement[] = []
    for (const text of await collectStatements(sources)) statements.push(await describe(sql, text))
    await sql.end()
    await writeFile(releaseFile, `${JSON.stringify({ version, migration, statements }, null, 1)}\n`)
    console.log(`${statements.length} statements of ${version} on migration ${migration}`)
  } finally {
    await server.stop()
  }
}
