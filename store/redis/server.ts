import type { CacheServer } from '../cache.js'
import type { MastersClient } from './client.js'

/** The only maxmemory-policy by which a server evicts nothing. */
const safePolicy = 'noeviction'

interface ServerParts {
  readonly client: MastersClient
  readonly callMs: number
}

/** What a server says of itself; of a cluster one of the masters that answer, and the policy of all that do. */
export function createServer({ client, callMs }: ServerParts): { describe(): Promise<CacheServer> } {
  return {
    async describe() {
      const texts = (await client.sendToMasters('info', callMs)).map(String)
      const text = texts[0]!
      const number = (name: string) => Number(fieldOf(text, name) ?? 0)
      const policies = texts.map((each) => fieldOf(each, 'maxmemory_policy'))
      return {
        version: fieldOf(text, 'redis_version') ?? '',
        bytes: number('used_memory'),
        // 0: no limit but the machine's.
        bytesMax: number('maxmemory'),
        evictionPolicy: policies.find((policy) => policy !== undefined && policy !== safePolicy) ?? null,
      }
    },
  }
}

function fieldOf(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(text)?.[1]
}
