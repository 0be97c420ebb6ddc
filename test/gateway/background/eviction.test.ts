import t from 'tap'
import { createEviction } from '../../../gateway/background/eviction.js'

t.test('a policy that evicts is reported once, until it is another, and Redis is asked every 10 s', async (t) => {
  let [nowMs, asked] = [0, 0]
  let evictionPolicy: string | null = null
  const reported: string[] = []
  const describe = async () => {
    asked += 1
    return { version: '7', bytes: 0, bytesMax: 0, evictionPolicy, clocksMs: [], appends: false, snapshotFailed: false }
  }
  const eviction = createEviction(
    { describe },
    (policy) => reported.push(policy),
    () => nowMs,
  )
  const rows = [null, 'allkeys-lru', 'allkeys-lru', 'volatile-ttl', null, 'volatile-ttl']
  for (const [at, policy] of rows.entries()) {
    evictionPolicy = policy
    await eviction.look()
    t.equal(eviction.policy, policy)
    nowMs += 9_999
    await eviction.look()
    t.equal(asked, at + 1)
    nowMs += 1
  }
  t.same(reported, ['allkeys-lru', 'volatile-ttl', 'volatile-ttl'])
})
