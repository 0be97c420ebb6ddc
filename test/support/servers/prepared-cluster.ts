import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createPostgresSql } from '../../../store/postgres/connection/postgres-sql.js'
import { migrate } from '../../../store/postgres/schema/migrate.js'
import { onFreePort } from './child-server.js'
import { createDatabase } from './create-database.js'
import { startCluster, type User } from './start-cluster.js'

const run = promisify(execFile)

/** The database of a prepared cluster that has our schema and no rows. */
export const migrated = 'loyalty'

/** Makes the files of an empty cluster. */
export async function initCluster(initdb: string, cluster: string, user: User): Promise<void> {
  const asked = ['-D', cluster, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  await run(initdb, asked, { ...user, cwd: '/' })
}

/** Files of a cluster with a database `migrated`, to be copied: made once for each schema and release of Postgres. */
export async function preparedCluster(initdb: string, user: User): Promise<string> {
  const { stdout: release } = await run(initdb, ['--version'])
  const prepared = join(tmpdir(), `loyalty-cluster-${digestOf(release)}`)
  if (existsSync(prepared)) return prepared
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-preparing-'))
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid)
  const cluster = join(folder, 'cluster')
  await initCluster(initdb, cluster, user)
  const bin = dirname(initdb)
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const { url, server } = await onFreePort(async (port) => {
    const url = urlOf(port)
    return { url, server: await startCluster({ bin, cluster, port, url, options: {}, user }) }
  })
  const database = createPostgresSql(await createDatabase(url, { name: migrated }), 1)
  await migrate(database)
  await database.close()
  await server.end('SIGINT')
  // Another test may have been faster.
  await rename(cluster, prepared).catch(() => {})
  await run('rm', ['-rf', folder])
  return prepared
}

/** Digest of the release and of our SQL. */
function digestOf(release: string): string {
  const folder = join(import.meta.dirname, '../../../store/postgres/schema')
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'))
  const hash = createHash('sha256').update(release)
  for (const name of scripts.sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 16)
}
