import { execFile } from 'node:child_process'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onFreePort } from './child-server.js'
import { findBinary } from './find-binary.js'
import { type PostgresOptions, startCluster, unprivileged } from './start-postgres.js'

const run = promisify(execFile)

/** A test's own streaming standby. */
export interface StandbyServer {
  readonly port: number
  /** The URL of the same database here, from the primary's. */
  urlOf(databaseUrl: string): string
  /** `pg_ctl promote`; resolves when it takes writes. */
  promote(): Promise<void>
  signal(name: NodeJS.Signals): void
  stop(): Promise<void>
}

export interface StandbyOptions extends PostgresOptions {
  /** The primary's port, or a proxy's before it. */
  readonly follows: number
  /** Its name at the primary, for `synchronous_standby_names`. */
  readonly name?: string
}

/** Copies the primary and follows it from then on. */
export async function startStandby({ follows, name = 'standby', ...options }: StandbyOptions): Promise<StandbyServer> {
  const [initdb, baseBackup, control] = await Promise.all(
    ['initdb', 'pg_basebackup', 'pg_ctl'].map((name) => findBinary(name, 'postgresql')),
  )
  const bin = dirname(initdb!)
  const user = await unprivileged()
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-standby-'))
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid)
  const cluster = join(folder, 'cluster')
  const source = `host=127.0.0.1 port=${follows} user=postgres application_name=${name}`
  const asked = ['-D', cluster, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
  await run(baseBackup!, asked, { ...user, cwd: '/' })
  const urlAt = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const { port, server } = await onFreePort(async (port) => ({
    port,
    server: await startCluster({ bin, cluster, port, url: urlAt(port), options, user }),
  }))
  return {
    port,
    urlOf: (databaseUrl) => databaseUrl.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`),
    async promote() {
      await run(control!, ['promote', '-w', '-t', '60', '-D', cluster], { ...user, cwd: '/' })
    },
    signal: (name) => server.signal(name),
    async stop() {
      server.signal('SIGCONT')
      await server.end('SIGQUIT')
      await run('rm', ['-rf', folder])
    },
  }
}
