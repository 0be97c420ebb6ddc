import { execFile } from 'node:child_process'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onFreePort } from './child-server.js'
import { findBinary } from './find-binary.js'
import { startCluster, unprivileged } from './start-cluster.js'

const run = promisify(execFile)

/** A test's own streaming standby. */
export interface StandbyServer {
  readonly port: number
  /** The URL of the same database here, from the primary's. */
  urlOf(databaseUrl: string): string
  /** `pg_ctl promote`; resolves when it takes writes. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Copies the primary at a port and follows it from then on, as `standby` in `synchronous_standby_names`. */
export async function startStandby(follows: number): Promise<StandbyServer> {
  const [initdb, baseBackup, control] = await Promise.all(
    ['initdb', 'pg_basebackup', 'pg_ctl'].map((name) => findBinary(name, 'postgresql')),
  )
  const bin = dirname(initdb!)
  const user = await unprivileged()
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-standby-'))
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid)
  const cluster = join(folder, 'cluster')
  const source = `host=127.0.0.1 port=${follows} user=postgres application_name=standby`
  const asked = ['-D', cluster, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
  await run(baseBackup!, asked, { ...user, cwd: '/' })
  const urlAt = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const { port, server } = await onFreePort(async (port) => ({
    port,
    server: await startCluster({ bin, cluster, port, url: urlAt(port), options: {}, user }),
  }))
  return {
    port,
    urlOf: (databaseUrl) => databaseUrl.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`),
    async promote() {
      await run(control!, ['promote', '-w', '-t', '60', '-D', cluster], { ...user, cwd: '/' })
    },
    async stop() {
      await server.end('SIGQUIT')
      await run('rm', ['-rf', folder])
    },
  }
}
