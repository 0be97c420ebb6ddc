import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createTurns } from '../../../gateway/listeners/turns.js'

t.test('turns come in their order, and no more than `count` in `everyMs`', async (t) => {
  const turn = createTurns({ count: 3, everyMs: 20 })
  const startedAt = performance.now()
  const order: number[] = []
  await Promise.all(Array.from({ length: 10 }, (_, index) => turn().then(() => order.push(index))))
  t.same(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  // Four groups, and three pauses between them; timers may be a millisecond early.
  t.ok(performance.now() - startedAt >= 3 * 19)
})

t.test('one alone after a pause has its turn at once, and one right after another waits', async (t) => {
  const turn = createTurns({ count: 1, everyMs: 2_000 })
  await turn()
  const waits = sleep(50, 'waits')
  t.equal(await Promise.race([turn().then(() => 'came'), waits]), 'waits')
})

t.test('more than may wait are refused at once', async (t) => {
  const turn = createTurns({ count: 1, everyMs: 5, waitingMax: 2 })
  t.same(await Promise.all([turn(), turn(), turn()]), [true, true, false])
  t.equal(await turn(), true)
})
