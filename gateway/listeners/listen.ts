import net, { type AddressInfo } from 'node:net'
import type { Address } from '../config/config.js'
import { StartFault } from '../config/start-fault.js'

/**
 * Listens; resolves to the address with its port, rejects with StartFault.
 *
 * @param setting  the setting that holds the address, such as `LOYALTY_HTTP`
 * @param backlog  connections that may wait to be accepted; undefined: Node's own
 */
export function listen(
  server: net.Server,
  { host, port }: Address,
  { setting, backlog }: { readonly setting: string; readonly backlog?: number },
): Promise<Address> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const reason = cause.code ?? cause.message
      reject(new StartFault(`${setting}: cannot listen on ${host}:${port}: ${reason}`, { cause }))
    }
    server.once('error', fail)
    server.listen({ host, port, ...(backlog === undefined ? {} : { backlog }) }, () => {
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
