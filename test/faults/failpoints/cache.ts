import type { Cache } from '../../../store/cache.js'
import { type CacheOptions, createRedisCache as create } from '../../../store/redis/create-redis-cache.js'
import { withFailpoint } from './with-failpoint.js'

export function createRedisCache(options: CacheOptions): Cache {
  return withFailpoint('cache', create(options))
}
