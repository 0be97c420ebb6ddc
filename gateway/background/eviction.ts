import type { Cache } from '../../store/cache.js'
import { atMostEvery } from '../telemetry/at-most-every.js'

/** Shortest interval between questions to Redis for its policy, in milliseconds. */
const lookEveryMs = 10_000

/** Redis's eviction of keys: a cache that evicts looks like one that lost its memory. */
export interface Eviction {
  /** The maxmemory-policy, where it evicts keys; null: it evicts none, or has not answered yet. */
  readonly policy: string | null
  /** Asks Redis, unless it was asked just before; rejects with StoreFault. */
  look(): Promise<void>
}

/** @param onChange  receives every evicting policy, unless it is the last one received */
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
