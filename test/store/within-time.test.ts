import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { withinTime } from '../../store/within-time.js'

await t.test('work within its time settles as it does', async (t) => {
  t.equal(await withinTime('cache', 1_000, Promise.resolve(7)), 7)
  await t.rejects(withinTime('cache', 1_000, Promise.reject(new Error('broken'))), { message: 'broken' })
})

await t.test('work beyond its time is a timeout, and what it comes to is dropped', async (t) => {
  let fail = (_error: Error) => {}
  const late = new Promise<never>((_, reject) => {
    fail = reject
  })
  await t.rejects(withinTime('ledger', 5, late), { name: 'StoreFault', store: 'ledger', kind: 'timeout' })
  fail(new Error('late'))
  await turn()
})

await t.test('a reply that arrived while the process was busy is in time', async (t) => {
  // From here on timers have their turn before what has arrived.
  await turn()
  const arrived = turn('reply')
  const reply = withinTime('cache', 1, arrived)
  const end = performance.now() + 20
  while (performance.now() < end);
  t.equal(await reply, 'reply')
})
