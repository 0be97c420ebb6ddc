import t from 'tap'
import { readConfig } from '../../../gateway/config/read-config.js'

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  const read = readConfig(env, 4)
  return read.kind === 'faults' ? read.faults : []
}

t.test(
  'processes: a number, or one for two cores where both stores are external, with internal calls apart',
  async (t) => {
    const outside = { REDIS_URL: 'redis://a:1', DATABASE_URL: 'postgres://b/c' }
    const read = (env: Record<string, string>, cores: number) => {
      const config = readConfig(env, cores)
      if (config.kind === 'faults') throw new Error(config.faults.join())
      const { serve, processes, internalApart, workers } = config.config
      return [serve, processes, internalApart ? 'and internal' : 'alone', workers]
    }
    for (const text of ['auto', '']) {
      t.same(read({ ...outside, LOYALTY_PROCESSES: text }, 8), ['both', 4, 'and internal', 1])
    }
    t.same(read(outside, 1), ['both', 1, 'and internal', 1])
    t.same(read(outside, 3), ['both', 1, 'and internal', 2])
    t.same(read({ ...outside, LOYALTY_PROCESSES: '2' }, 8), ['both', 2, 'and internal', 3])
    t.same(read({ ...outside, LOYALTY_PROCESSES: '1' }, 8), ['both', 1, 'alone', 7])
    t.same(read({ LOYALTY_PROCESSES: 'auto' }, 8), ['both', 1, 'alone', 7])
    t.same(read({ ...outside, LOYALTY_SERVE: 'pos' }, 8), ['pos', 4, 'alone', 1])
    t.same(read({ ...outside, LOYALTY_SERVE: 'internal' }, 8), ['internal', 1, 'alone', 7])
    t.match(faultsOf({ LOYALTY_SERVE: 'rpc' }), [/^LOYALTY_SERVE: expected one of both, pos, internal/])
    for (const text of ['0', '129', '-1', '1.5', 'all']) {
      t.match(faultsOf({ ...outside, LOYALTY_PROCESSES: text }), [
        `LOYALTY_PROCESSES: expected auto, or a whole number from 1 to 128, received "${text}"`,
      ])
    }
    for (const stores of [{}, { REDIS_URL: 'redis://a:1' }, { DATABASE_URL: 'postgres://b/c' }]) {
      t.match(faultsOf({ ...stores, LOYALTY_PROCESSES: '2' }), [/^LOYALTY_PROCESSES: expected 1, or DATABASE_URL/])
    }
  },
)
