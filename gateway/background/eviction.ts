import type { Cache } from '../../store/cache.js'
import { atMostEvery } from '../telemetry/at-most-every.js'

/** Redis is asked for its policy so often at most, in milliseconds. */
const lookEveryMs = 10_000

/** Redis's eviction of keys: a cache that evicts looks like one that lost its memory. */
export interface Eviction {
  /** The maxmemory-policy by which it may; null: it evicts none, or has not said yet. */
  readonly policy: string | null
  /** Asks Redis, unless it was asked a moment ago; rejects with StoreFault. */
  look(): Promise<void>
}

/** @param onChange  called with every policy that is found to evict, unless the last look found the same */
export function createEviction(
  cache: Pick<Cache, 'describe'>,
  onChange: (policy: string) => void,
  nowMs?: () => number,
): Eviction {
  let policy: string | null = null
  const ask = async () => {
    const { evictionPolicy: found } = await cache.describe()
    if (found !== null && found !== policy) onChange(found)
    policy = found
  }
  return {
    get policy() {
      return policy
    },
    look: atMostEvery(lookEveryMs, ask, nowMs),
  }
}
