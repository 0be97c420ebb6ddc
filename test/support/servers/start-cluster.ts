import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { type ChildServer, spawnServer, untilAnswering } from './child-server.js'

const run = promisify(execFile)

export interface ClusterOptions {
  /** Commits wait for the disk. Default false, which is faster; commits survive `kill()` all the same. */
  readonly fsync?: boolean
  /** More settings, such as `max_connections: '20'`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface User {
  readonly uid?: number
  readonly gid?: number
}

interface Start {
  readonly bin: string
  readonly cluster: string
  readonly port: number
  readonly url: string
  readonly options: ClusterOptions
  readonly env?: Readonly<Record<string, string>>
  readonly user: User
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

/** SIGQUIT ends the backends at once; those of a killed postmaster outlive it by a moment. */
export function killCluster(server: ChildServer): Promise<void> {
  server.signal('SIGCONT')
  return server.end('SIGQUIT')
}

/** The user for Postgres, which refuses to run as root. */
export async function unprivileged(): Promise<User> {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => null)
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
  }
  throw new Error('Postgres does not run as root, and there is neither a user postgres nor nobody')
}
