import type { Cache } from '../../store/cache.js'
import { StoreFault } from '../../store/fault.js'
import { tokensKeptFromSales } from '../../store/tokens-kept.js'

type Endpoint = 'basket' | 'sale'

/** How long after a request was turned away the limit counts as strained, in milliseconds. */
const strainedMs = 1_000

/**
 * The rate limit (wire decisions 3): one bucket per environment in the cache. While the cache does not answer, this
 * gateway uses a bucket of its own with the same rule. It is full at first, so that a restart turns nobody away.
 *
 * @param rate   tokens a second; 0: no limit
 * @param burst  tokens the bucket holds; 0: no limit
 * @param nowMs  monotonic clock, milliseconds
 */
export function createRateLimiter(options: {
  readonly cache: Pick<Cache, 'takeToken'> | null
  readonly rate: number
  readonly burst: number
  readonly nowMs: () => number
}): RateLimiter {
  const { cache, rate, burst, nowMs } = options
  if (rate === 0 || burst === 0) return { take: async () => 0, isStrained: false }
  const bucket = createBucket(rate, burst, nowMs)
  let turnedAwayAtMs = Number.NEGATIVE_INFINITY

  async function take(endpoint: Endpoint): Promise<number> {
    if (cache === null) return bucket.take(endpoint)
    try {
      const reply = await cache.takeToken(endpoint, rate, burst)
      return reply.taken ? 0 : Math.max(1, Math.ceil(reply.retryAfterS))
    } catch (fault) {
      if (!(fault instanceof StoreFault)) throw fault
      return bucket.take(endpoint)
    }
  }

  return {
    async take(endpoint) {
      const retryAfterS = await take(endpoint)
      if (retryAfterS > 0) turnedAwayAtMs = nowMs()
      return retryAfterS
    },
    get isStrained() {
      return nowMs() - turnedAwayAtMs < strainedMs
    },
  }
}

/** A token bucket of this replica's own; its clock only ever moves it forward. */
function createBucket(rate: number, burst: number, nowMs: () => number) {
  // The last 40 % in whole tokens: a backlog of sale events cannot starve baskets, and even a burst of 1 lets sales through.
  const keptForBaskets = tokensKeptFromSales(burst)
  let tokens = burst
  let filledAt = nowMs()
  return {
    take(endpoint: Endpoint): number {
      const now = Math.max(nowMs(), filledAt)
      tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * rate)
      filledAt = now
      const needed = 1 + (endpoint === 'sale' ? keptForBaskets : 0)
      if (tokens < needed) return Math.max(1, Math.ceil((needed - tokens) / rate))
      tokens -= 1
      return 0
    },
  }
}

/** A bucket that all replicas share while the cache answers, else one of this replica's own (wire decisions 3). */
export interface RateLimiter {
  /** Resolves to 0 when a token was taken, else to the whole seconds, at least 1, until one is there. Never rejects. */
  take(endpoint: 'basket' | 'sale'): Promise<number>
  /** Whether a request was turned away in the last second: then the next one is not worked on before its token is there. */
  readonly isStrained: boolean
}
