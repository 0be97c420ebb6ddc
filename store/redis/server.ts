import type { CacheServer } from '../cache.js'
import { StoreFault } from '../fault.js'
import type { CacheParts } from './cache-parts.js'

/** What a server says of itself; of a cluster the node that happens to answer. */
export function createServer({ client, callMs }: CacheParts): { describe(): Promise<CacheServer> } {
  return {
    async describe() {
      const reply = await client.send('info', [], callMs)
      if (!Buffer.isBuffer(reply)) throw new StoreFault('cache', 'unreachable', { cause: new Error('no text') })
      const text = reply.toString()
      const number = (name: string) => Number(fieldOf(text, name) ?? 0)
      return {
        version: fieldOf(text, 'redis_version') ?? '',
        bytes: number('used_memory'),
        // 0: no limit but the machine's.
        bytesMax: number('maxmemory'),
      }
    },
  }
}

function fieldOf(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(text)?.[1]
}
