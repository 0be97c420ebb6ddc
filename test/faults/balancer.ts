import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A load balancer: connections go in turn to the gateways that are ready. Where none is ready they go to all, because a gateway's own 503
 * is more useful to a POS than a broken connection.
 */
export interface Balancer {
  readonly url: string
  readonly handed: readonly number[]
  close(): Promise<void>
}

/** Pause between two readiness checks, in milliseconds. */
const lookMs = 100

/** @param urls  of the gateways; null: none is running there */
export async function openBalancer(urls: () => readonly (string | null)[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  const handed = urls().map(() => 0)
  const all = urls().map((_, at) => at)
  let ready: readonly number[] = []
  let turn = 0
  let closed = false

  function keep(socket: Socket): Socket {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.once('close', () => sockets.delete(socket))
    return socket.on('error', () => socket.destroy())
  }

  /** Passes the connection to the next gateway in turn; where that does not listen, to the one after it. */
  function hand(near: Socket, triesLeft: number): void {
    const among = ready.length > 0 ? ready : all
    const at = among[turn % among.length]
    turn += 1
    const url = at === undefined ? null : urls()[at]
    if (triesLeft === 0) near.destroy()
    else if (at === undefined || url === null || url === undefined) hand(near, triesLeft - 1)
    else {
      const far = keep(connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true }))
      let isThere = false
      far.once('connect', () => {
        isThere = true
        handed[at] = handed[at]! + 1
        near.pipe(far)
        far.pipe(near)
        far.once('close', () => near.destroy())
        near.once('close', () => far.destroy())
      })
      far.once('close', () => {
        if (!isThere) hand(near, triesLeft - 1)
      })
    }
  }

  async function isReady(url: string | null): Promise<boolean> {
    if (url === null) return false
    const signal = AbortSignal.timeout(1_000)
    return await fetch(`${url}/health/ready`, { signal, headers: { connection: 'close' } }).then(
      (answer) => answer.ok,
      () => false,
    )
  }

  async function look(): Promise<void> {
    const found = await Promise.all(urls().map(isReady))
    ready = found.flatMap((isOne, at) => (isOne ? [at] : []))
  }

  async function watch(): Promise<void> {
    while (!closed) {
      await look()
      await sleep(lookMs)
    }
  }

  await look()
  const watching = watch()
  const server = createServer({ allowHalfOpen: true }, (near) => hand(keep(near), urls().length))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    handed,
    async close() {
      closed = true
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await watching
    },
  }
}
