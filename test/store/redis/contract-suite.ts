import type { Test } from 'tap'
import type { CacheLifetimes } from '../../../store/redis/lifetimes.js'
import type { VouchedCache } from './vouched-cache.js'

/** Opens a cache with nothing in it; the suite closes it. */
export type OpenCache = (lifetimes?: Partial<CacheLifetimes>) => Promise<VouchedCache>

/** A group of promises; its name is that of its function. */
export type Suite = (t: Test, open: OpenCache) => Promise<void>
