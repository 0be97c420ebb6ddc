import type { Front } from '../../../store/index.js'
import { createFront as create, type FrontOptions } from '../../../store/redis/create-redis-cache.js'
import { withFailpoint } from './with-failpoint.js'

export function createFront(options: FrontOptions): Front {
  return withFailpoint('front', create(options))
}
