import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { watchStalls } from '../../../gateway/listeners/stalls.js'

t.test('a blocked event loop is noticed, also before the next look, and forgotten after a while', async (t) => {
  const stalls = watchStalls(10, 300)
  t.teardown(() => stalls.stop())
  const untilMs = performance.now() + 350
  while (performance.now() < untilMs);
  t.ok(stalls.within(100))
  await sleep(150)
  t.notOk(stalls.within(100))
  t.ok(stalls.within(60_000))
})
