import type { Cache } from '../cache.js'
import { tokensKeptFromSales } from '../tokens-kept.js'
import type { CacheParts } from './cache-parts.js'
import { replyWord, runScript } from './scripts.js'

/** The rate limit's token bucket, shared by all replicas (wire decisions 3), by the server's clock. */
export function createRate({ client, keys, callMs }: CacheParts): Pick<Cache, 'takeToken'> {
  return {
    async takeToken({ endpoint, rate, burst, ahead }) {
      const reply = await runScript(client, 'take_token', {
        keys: [keys.tokens()],
        args: [Math.ceil(1_000_000 / rate), burst, endpoint === 'sale' ? tokensKeptFromSales(burst) : 0, ahead],
        timeMs: callMs,
      })
      const number = Number(reply[1])
      return replyWord(reply) === 'taken' ? { taken: true, ahead: number } : { taken: false, retryAfterS: number }
    },
  }
}
