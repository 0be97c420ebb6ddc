import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { type ChildServer, onFreePort, spawnServer, untilAnswering } from './child-server.js'
import { findBinary } from './find-binary.js'
import { createSteppedClock } from './stepped-clock.js'

const run = promisify(execFile)

export interface PostgresServer {
  readonly url: string
  readonly port: number
  readonly folder: string
  /** Creates an empty database for a test file; resolves to its URL. */
  createDatabase(): Promise<string>
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

export interface PostgresOptions {
  /** Commits wait for the disk. Default false, which is faster; commits survive `kill()` all the same. */
  readonly fsync?: boolean
  /** Its clock can be set while it runs; `functions`: only in its databases' functions, where libfaketime is missing. */
  readonly clockSteps?: 'server' | 'functions'
  /** More settings, such as `max_connections: '20'`. */
  readonly settings?: Readonly<Record<string, string>>
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
  const asked = ['-D', cluster, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  await run(initdb, asked, { ...user, cwd: '/' })
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
    async createDatabase() {
      const database = await createDatabase(url)
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

interface Start {
  readonly bin: string
  readonly cluster: string
  readonly port: number
  readonly url: string
  readonly options: PostgresOptions
  readonly env?: Readonly<Record<string, string>>
  readonly user: { readonly uid?: number; readonly gid?: number }
}

/** Starts a server on existing files. */
export async function startCluster({ bin, cluster, port, url, options, env = {}, user }: Start): Promise<ChildServer> {
  const durable = options.fsync ? 'on' : 'off'
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: durable,
    full_page_writes: durable,
    max_connections: '60',
    shared_buffers: '64MB',
    ...options.settings,
  }
  let output = ''
  const server = await spawnServer({
    command: join(bin, 'postgres'),
    args: ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    folder: dirname(cluster),
    env,
    ...user,
    onOutput: (text) => {
      output = (output + text).slice(-2_000)
    },
  })
  await untilAnswering(
    server,
    () => ping(url),
    () => output,
  )
  return server
}

async function ping(url: string): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} })
  try {
    await client`select 1`
  } finally {
    await client.end({ timeout: 1 })
  }
}

async function createDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const client = postgres(url, { max: 1 })
  try {
    await client.unsafe(`create database ${name}`)
  } finally {
    await client.end()
  }
  return url.replace(/postgres$/, name)
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

/** SIGQUIT ends the backends at once; those of a killed postmaster outlive it by a moment. */
function killCluster(server: ChildServer): Promise<void> {
  server.signal('SIGCONT')
  return server.end('SIGQUIT')
}

/** The user for Postgres, which refuses to run as root. */
export async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => null)
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
  }
  throw new Error('Postgres does not run as root, and there is neither a user postgres nor nobody')
}
