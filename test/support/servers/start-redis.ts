import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChildServer, onFreePort, spawnServer, untilAnswering } from './child-server.js'
import { findBinary } from './find-binary.js'

export interface RedisServer {
  readonly url: string
  readonly port: number
  readonly folder: string
  readonly pid: number
  /** Kills it at once, as a crash would; its append-only file stays. */
  kill(): Promise<void>
  /** Starts it again on the same port and files. */
  restart(): Promise<void>
  signal(name: NodeJS.Signals): void
  stop(): Promise<void>
}

export interface RedisOptions {
  /** It keeps an append-only file. Default false. */
  readonly durable?: boolean
  /** More settings, such as `maxmemory: '5mb'`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A test's own Redis: free port, temporary folder, ended with this process. */
export async function startRedis({ durable = false, settings = {} }: RedisOptions = {}): Promise<RedisServer> {
  const command = await findBinary('redis-server', 'redis-server')
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-redis-'))
  const asked = {
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: durable ? 'yes' : 'no',
    ...settings,
  }
  const args = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value])
  const start = async (port: number) => ({ port, server: await startServer(command, args, folder, port) })
  const first = await onFreePort(start)
  const { port } = first
  let { server } = first
  const kill = () => server.end('SIGKILL')
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    get pid() {
      return server.pid
    },
    kill,
    async restart() {
      server = (await start(port)).server
    },
    signal: (name) => server.signal(name),
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startServer(
  command: string,
  args: readonly string[],
  folder: string,
  port: number,
): Promise<ChildServer> {
  let output = ''
  const server = await spawnServer({
    command,
    args: ['--port', String(port), ...args],
    folder,
    onOutput: (text) => {
      output = (output + text).slice(-2_000)
    },
  })
  await untilAnswering(
    server,
    () => ping(port),
    () => output,
  )
  return server
}

function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('error', reject)
    socket.once('data', (reply) => {
      socket.destroy()
      if (String(reply).startsWith('+PONG')) resolve()
      else reject(new Error(String(reply)))
    })
  })
}
