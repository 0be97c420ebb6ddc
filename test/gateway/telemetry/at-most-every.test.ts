import t from 'tap'
import { atMostEvery } from '../../../gateway/telemetry/at-most-every.js'

t.test('callers within the time share one computation, and a failure is not remembered', async (t) => {
  let nowMs = 0
  let computed = 0
  let failing = false
  const page = atMostEvery(
    1_000,
    async () => {
      computed += 1
      if (failing) throw new Error('no page')
      return computed
    },
    () => nowMs,
  )
  t.same(await Promise.all(Array.from({ length: 100 }, page)), Array(100).fill(1))
  nowMs = 999
  t.equal(await page(), 1)
  nowMs = 1_000
  failing = true
  t.same(
    (await Promise.allSettled([page(), page()])).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.equal(computed, 2)
  failing = false
  t.equal(await page(), 3)
})
