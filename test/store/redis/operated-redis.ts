import { Redis } from 'ioredis'
import { type RedisServer, startRedis } from '../../support/servers/start-redis.js'

/** A test's own Redis with a plain connection to it, to inspect the cache's keys and to operate the server. */
export interface OperatedRedis extends RedisServer {
  readonly direct: Redis
}

export async function startOperatedRedis(settings: Readonly<Record<string, string>> = {}): Promise<OperatedRedis> {
  const server = await startRedis({ settings })
  const direct = new Redis(server.port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: null })
  direct.on('error', () => {})
  return {
    ...server,
    direct,
    async stop() {
      await server.stop()
      direct.disconnect()
    },
  }
}
