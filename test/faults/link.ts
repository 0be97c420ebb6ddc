import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from '../support/dice.js'
import type { RedisCluster } from '../support/servers/start-redis-cluster.js'

/** A TCP proxy before a store: it can slow, stop and break the traffic of one gateway. */
export interface Link {
  readonly port: number
  /** Breaks every connection and accepts no new one. */
  cut(): void
  /** Passes nothing on while connections stay: neither side can tell. */
  hang(): void
  /** Delays everything by `meanMs` +- `spreadMs`, each direction half of it, in order. */
  slow(meanMs: number, spreadMs: number): void
  /** Removes every fault; bytes that were held back go on. */
  heal(): void
  /** Connects to another port from now on; existing connections break. */
  lead(port: number): void
  close(): Promise<void>
}

interface Weather {
  state: 'clear' | 'cut' | 'hung'
  meanMs: number
  spreadMs: number
  /** Resolves when the proxy hangs no more. */
  clearing: Promise<void>
}

/** Changes the bytes that come back on one connection. */
export type Translate = (bytes: Buffer) => Buffer

/**
 * Opens a proxy on a free port before `port` of this machine.
 *
 * @param translator creates what changes the replies of one connection; none: they pass unchanged
 */
export async function openLink(port: number, dice: Dice, translator?: () => Translate): Promise<Link> {
  let target = port
  let clear = () => {}
  const weather: Weather = { state: 'clear', meanMs: 0, spreadMs: 0, clearing: Promise.resolve() }
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (weather.state === 'cut') return void near.destroy()
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    carry(near, far, weather, dice)
    carry(far, near, weather, dice, translator?.())
  })
  function breakAll(): void {
    for (const socket of sockets) socket.destroy()
  }
  function become(state: Weather['state']): void {
    clear()
    weather.state = state
    if (state === 'hung') weather.clearing = new Promise((resolve) => (clear = resolve))
  }
  return {
    port: await listen(server),
    cut() {
      become('cut')
      breakAll()
    },
    hang: () => become('hung'),
    slow(meanMs, spreadMs) {
      Object.assign(weather, { meanMs, spreadMs })
    },
    heal() {
      Object.assign(weather, { meanMs: 0, spreadMs: 0 })
      become('clear')
    },
    lead(other) {
      target = other
      breakAll()
    },
    async close() {
      become('cut')
      breakAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Carries bytes one way, in order, as the weather allows; the end of one side ends the other. */
function carry(from: Socket, to: Socket, weather: Weather, dice: Dice, translate: Translate = (bytes) => bytes): void {
  let line: Promise<void> = Promise.resolve()
  function later(step: () => void): void {
    const dueAt = performance.now() + delayMs(weather, dice)
    line = line.then(() => passable(weather, dueAt)).then(step)
  }
  from.on('data', (bytes) => {
    const carried = translate(bytes)
    later(() => void to.write(carried))
  })
  from.once('end', () => later(() => void to.end()))
  from.once('error', () => to.destroy())
  from.once('close', () => later(() => void to.destroy()))
}

function delayMs({ meanMs, spreadMs }: Weather, dice: Dice): number {
  return meanMs === 0 ? 0 : (meanMs + dice.between(-spreadMs, spreadMs)) / 2
}

async function passable(weather: Weather, dueAt: number): Promise<void> {
  const early = dueAt - performance.now()
  if (early >= 1) await sleep(early)
  while (weather.state === 'hung') await weather.clearing
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}

/** One gateway's connection to a whole Redis Cluster: a proxy before each node, all with the same weather. */
export interface ClusterLink {
  readonly link: Link
  /** The proxies, as REDIS_URL names nodes. */
  readonly url: string
}

/**
 * Nodes tell clients where other nodes are (CLUSTER SLOTS, MOVED, ASK). Replaces their ports in replies by those of the proxies, so
 * that no connection bypasses them.
 */
export async function openClusterLink({ nodes }: RedisCluster, dice: Dice): Promise<ClusterLink> {
  const proxyOf = new Map<string, string>()
  const links = await Promise.all(nodes.map(({ port }) => openLink(port, dice, () => translatePorts(proxyOf))))
  for (const [at, { port }] of nodes.entries()) proxyOf.set(String(port), String(links[at]!.port))
  const each = (act: (link: Link) => void) => () => links.forEach(act)
  const link: Link = {
    port: links[0]!.port,
    cut: each((one) => one.cut()),
    hang: each((one) => one.hang()),
    heal: each((one) => one.heal()),
    slow: (meanMs, spreadMs) => links.forEach((one) => void one.slow(meanMs, spreadMs)),
    lead() {
      throw new Error('a cluster leads its clients itself')
    },
    close: async () => void (await Promise.all(links.map((one) => one.close()))),
  }
  return { link, url: links.map(({ port }) => `redis://127.0.0.1:${port}`).join(',') }
}

/** Every port has five digits, so lengths stay. A possible beginning of a port waits for the rest. */
function translatePorts(proxyOf: ReadonlyMap<string, string>): Translate {
  let held = ''
  return (bytes) => {
    const text = held + bytes.toString('latin1')
    const cut = /:\d{0,5}\r?$/.exec(text)?.index ?? text.length
    held = text.slice(cut)
    const passed = text.slice(0, cut).replace(/:(\d{5})\r\n/g, (all, port: string) => {
      const proxy = proxyOf.get(port)
      return proxy === undefined ? all : `:${proxy}\r\n`
    })
    return Buffer.from(passed, 'latin1')
  }
}
