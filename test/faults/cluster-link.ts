import type { Dice } from '../support/dice.js'
import type { RedisCluster } from '../support/servers/start-redis-cluster.js'
import { type Link, openLink, type Translate } from './link.js'

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
