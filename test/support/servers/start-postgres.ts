import { execFile } from 'node:child_process'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onFreePort } from './child-server.js'
import { createDatabase } from './create-database.js'
import { findBinary } from './find-binary.js'
import { initCluster, migrated, preparedCluster } from './prepared-cluster.js'
import { type ClusterOptions, killCluster, startCluster, unprivileged } from './start-cluster.js'
import { createSteppedClock } from './stepped-clock.js'

const run = promisify(execFile)

export interface PostgresServer {
  readonly url: string
  readonly port: number
  readonly folder: string
  /** Creates a database with our schema and no rows, or an empty one; resolves to its URL. */
  createDatabase(isEmpty?: boolean): Promise<string>
  /** Kills the whole server at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same port and files. */
  restart(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** With `clockSteps`: sets the offset of its clock from ours, in milliseconds. */
  setClock(aheadMs: number): Promise<void>
  /** Process id of the postmaster. */
  readonly pid: number
  stop(): Promise<void>
}

export interface PostgresOptions extends ClusterOptions {
  /** True: a cluster that is no copy of another one, with empty databases only. */
  readonly isUnrelated?: boolean
  /** Its clock can be set while it runs; `functions`: only in its databases' functions, where libfaketime is missing. */
  readonly clockSteps?: 'server' | 'functions'
}

/**
 * A test's own Postgres: free port, temporary folder, ended with this process. It refuses to be root: then it runs as the user
 * `postgres` or `nobody`.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const initdb = await findBinary('initdb', 'postgresql')
  const user = await unprivileged()
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-postgres-'))
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid)
  const cluster = join(folder, 'cluster')
  const { isUnrelated = false } = options
  if (isUnrelated) await initCluster(initdb, cluster, user)
  else await run('cp', ['-a', await preparedCluster(initdb, user), cluster], { ...user, cwd: '/' })
  const clock = options.clockSteps === undefined ? null : await createSteppedClock(folder, options.clockSteps)
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const start = async (port: number) => {
    const server = await startCluster({
      bin: dirname(initdb),
      cluster,
      port,
      url: urlOf(port),
      options,
      user,
      env: clock?.env ?? {},
    })
    return { port, server }
  }
  const first = await onFreePort(start)
  const { port } = first
  const url = urlOf(port)
  let { server } = first
  return {
    url,
    port,
    folder,
    get pid() {
      return server.pid
    },
    async createDatabase(isEmpty = isUnrelated) {
      const database = await createDatabase(url, isEmpty ? {} : { template: migrated })
      await clock?.adopt(database)
      return database
    },
    async setClock(aheadMs) {
      if (clock === null) throw new Error('this Postgres was started without clockSteps')
      await clock.set(aheadMs)
    },
    signal: (name) => server.signal(name),
    kill: () => killCluster(server),
    async restart() {
      server = (await startAgain(() => start(port))).server
    },
    async stop() {
      await killCluster(server)
      await run('rm', ['-rf', folder])
    },
  }
}

/** Orphaned backends of a killed postmaster block the next start until they have noticed. */
async function startAgain<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start()
    } catch (error) {
      if (attempt === restartsMax) throw error
      await new Promise((resolve) => setTimeout(resolve, restartPauseMs))
    }
  }
}

const restartsMax = 60
const restartPauseMs = 500
