import net, { type AddressInfo } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Address } from '../config/config.js'
import { StartFault } from '../config/config.js'

/**
 * Listens; resolves to the address with its port, rejects with StartFault.
 *
 * @param setting    name of the address's setting, such as `LOYALTY_HTTP`
 * @param backlog    connections that may wait to be accepted; undefined: Node's own
 * @param exclusive  the processes of a cluster do not share the port
 */
export function listen(
  server: net.Server,
  { host, port }: Address,
  { setting, ...more }: { readonly setting: string; readonly backlog?: number; readonly exclusive?: boolean },
): Promise<Address> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const reason = cause.code ?? cause.message
      reject(new StartFault(`${setting}: cannot listen on ${host}:${port}: ${reason}`, { cause }))
    }
    server.once('error', fail)
    server.listen({ host, port, ...more }, () => {
      server.off('error', fail)
      resolve({ host, port: (server.address() as AddressInfo).port })
    })
  })
}

/**
 * Stops listening; resolves when the last connection is gone. It closes none itself: http's own `close` would also cut connections that
 * were accepted but have not sent anything yet.
 */
export function stopListening(server: net.Server): Promise<void> {
  return new Promise((resolve) => {
    net.Server.prototype.close.call(server, () => resolve())
  })
}

/**
 * Lets a server take new connections one after the other, with a pause after each as long as its first bytes took: it may bring hundreds
 * of requests at once. During the pause calls go on, and libuv accepts further connections, one per turn of the event loop. The newest and
 * the oldest are taken alternately, so that a burst delays only its own connections. Call it before any other listener of connections.
 *
 * @param pauseMs  the least pause
 * @returns        cuts the waiting connections
 */
export function takeInTurn(server: net.Server, pauseMs = () => 0): () => void {
  const takes = server.listeners('connection')
  server.removeAllListeners('connection')
  const waiting: net.Socket[] = []
  let isTaking = false
  async function takeAll(): Promise<void> {
    isTaking = true
    for (let isNewest = true; waiting.length > 0; isNewest = !isNewest) {
      const socket = (isNewest ? waiting.pop() : waiting.shift())!
      const takenAtMs = performance.now()
      if (!socket.destroyed) for (const take of takes) take.call(server, socket)
      await setImmediate()
      const restMs = Math.max(performance.now() - takenAtMs, pauseMs())
      if (restMs >= 1) await sleep(restMs)
    }
    isTaking = false
  }
  server.on('connection', (socket) => {
    waiting.push(socket.on('error', () => {}))
    if (!isTaking) void takeAll()
  })
  return () => {
    for (const socket of waiting.splice(0)) socket.destroy()
  }
}
