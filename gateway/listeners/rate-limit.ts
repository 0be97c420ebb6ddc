import { type Cache, type TokenReply, tokensKeptFromSales } from '../../store/cache.js'
import { StoreFault } from '../../store/fault.js'

type Endpoint = 'basket' | 'sale'

/** Time after a refusal for which the limit counts as strained, in milliseconds. */
const strainedMs = 1_000

/**
 * The rate limit (wire decisions 3): one bucket per environment in the cache. While the cache does not answer, this gateway uses a bucket
 * of its own with the same rule. It is full at first, so that a restart refuses no request.
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
  const shared = cache && createSharedBucket(cache, { rate, burst, nowMs })
  let turnedAwayAtMs = Number.NEGATIVE_INFINITY

  async function take(endpoint: Endpoint): Promise<number> {
    if (shared === null) return bucket.take(endpoint)
    try {
      return await shared.take(endpoint)
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

/** Time for which tokens are taken ahead, in milliseconds; those left then are dropped. */
const aheadMs = 50
/** Most tokens taken ahead; never more than come back in that time, so that dropped ones are hardly missed. */
const aheadMax = 64
/** Time for which none are taken ahead after the bucket was less than half full, in milliseconds. */
const scarceMs = 1_000

/**
 * The bucket that all replicas share. Under load one call takes tokens for the next moment too, as many as the last one needed: a round
 * trip to the cache costs more than the rest of the check. Calls that come meanwhile wait for its reply.
 */
function createSharedBucket(
  cache: Pick<Cache, 'takeToken'>,
  { rate, burst, nowMs }: { readonly rate: number; readonly burst: number; readonly nowMs: () => number },
) {
  const expected = createForecast(nowMs)
  const most = Math.min(aheadMax, Math.floor((rate * aheadMs) / 1_000))
  let asking: Promise<unknown> | null = null
  let scarceUntilMs = Number.NEGATIVE_INFINITY
  let left = 0
  let takenAtMs = Number.NEGATIVE_INFINITY

  function hasOneLeft(): boolean {
    if (left === 0 || nowMs() - takenAtMs >= aheadMs) return false
    left -= 1
    return true
  }

  async function askAhead(endpoint: Endpoint, ahead: number): Promise<number> {
    left = 0
    takenAtMs = nowMs()
    const reply = await cache.takeToken({ endpoint, rate, burst, ahead })
    if (!reply.taken || reply.ahead < ahead) scarceUntilMs = nowMs() + scarceMs
    if (reply.taken) left = reply.ahead
    return secondsOf(reply)
  }

  return {
    async take(endpoint: Endpoint): Promise<number> {
      const calls = expected.call()
      if (hasOneLeft()) return 0
      if (asking !== null) {
        await asking
        if (hasOneLeft()) return 0
      }
      const ahead = asking !== null || nowMs() < scarceUntilMs ? 0 : Math.min(calls, most)
      if (ahead === 0) return secondsOf(await cache.takeToken({ endpoint, rate, burst, ahead }))
      const asked = askAhead(endpoint, ahead)
      asking = asked.then(ignore, ignore)
      try {
        return await asked
      } finally {
        asking = null
      }
    },
  }
}

/** Expected calls in `aheadMs`, from the number in the last stretch of at least that length. */
function createForecast(nowMs: () => number) {
  let sinceMs = nowMs()
  let calls = 0
  let expected = 0
  return {
    call(): number {
      const passedMs = nowMs() - sinceMs
      if (passedMs >= aheadMs) {
        expected = Math.floor((calls * aheadMs) / passedMs)
        sinceMs += passedMs
        calls = 0
      }
      calls += 1
      return expected
    },
  }
}

function secondsOf(reply: TokenReply): number {
  return reply.taken ? 0 : Math.max(1, Math.ceil(reply.retryAfterS))
}

function ignore(): void {}

/** A token bucket of this replica; its clock never moves it back. */
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
  /** True when a request was refused in the last second: then the next one is not priced before it has its token. */
  readonly isStrained: boolean
}
