import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openOnLastingOutage, withBreaker } from '../../store/circuit-breaker.js'
import { StoreFault } from '../../store/fault.js'
import { until } from './redis/caches.js'

/** A store that fails where `fault` is set, and counts. */
function aStore() {
  return {
    fault: null as Error | null,
    asked: 0,
    pinged: 0,
    closed: 0,
    async ask(word: string) {
      this.asked++
      if (this.fault) throw this.fault
      return word
    },
    async ping() {
      this.pinged++
      if (this.fault) throw this.fault
    },
    async close() {
      this.closed++
    },
  }
}

const down = new StoreFault('cache', 'unreachable')

await t.test('a store that answers is asked every time, under its own name and type', async (t) => {
  const store = aStore()
  const guarded = withBreaker('cache', store)
  t.equal(await guarded.ask('word'), 'word')
  t.equal(guarded.ask, guarded.ask)
  await guarded.close()
  t.equal(store.closed, 1)
})

await t.test('after some faults in a row the circuit opens and calls fail at once', async (t) => {
  const store = aStore()
  const changes: boolean[] = []
  const guarded = withBreaker('cache', store, {
    failuresMax: 3,
    probeMs: 60_000,
    onChange: (open) => changes.push(open),
  })
  store.fault = down
  for (let call = 0; call < 10; call++)
    await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'unreachable', store: 'cache' })
  t.equal(store.asked, 3)
  t.equal(store.pinged, 0)
  t.same(changes, [true])
  await guarded.close()
})

await t.test('faults count only in a row', async (t) => {
  const store = aStore()
  const guarded = withBreaker('cache', store, { failuresMax: 3, probeMs: 60_000 })
  for (let round = 0; round < 5; round++) {
    store.fault = new StoreFault('cache', 'timeout')
    for (let call = 0; call < 2; call++) await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'timeout' })
    store.fault = null
    t.equal(await guarded.ask('word'), 'word')
  }
  await guarded.close()
})

for (const fault of [new StoreFault('cache', 'full'), new StoreFault('ledger', 'busy'), new Error('a bug')]) {
  await t.test(`${fault.message} does not open the circuit`, async (t) => {
    const store = aStore()
    const guarded = withBreaker('cache', store, { failuresMax: 3, probeMs: 60_000 })
    store.fault = fault
    for (let call = 0; call < 10; call++) await t.rejects(guarded.ask('word'), { message: fault.message })
    t.equal(store.asked, 10)
    await guarded.close()
  })
}

for (const kind of ['unreachable', 'timeout', 'in_doubt'] as const) {
  await t.test(`${kind} counts`, async (t) => {
    const store = aStore()
    const guarded = withBreaker('ledger', store, { failuresMax: 2, probeMs: 60_000 })
    store.fault = new StoreFault('ledger', kind)
    for (let call = 0; call < 4; call++) await t.rejects(guarded.ask('word'))
    t.equal(store.asked, 2)
    await guarded.close()
  })
}

await t.test('a store that is back is seen by probes alone, and then asked again', async (t) => {
  const store = aStore()
  const changes: boolean[] = []
  const guarded = withBreaker('cache', store, { failuresMax: 2, probeMs: 10, onChange: (open) => changes.push(open) })
  store.fault = down
  for (let call = 0; call < 2; call++) await t.rejects(guarded.ask('word'))
  await until(
    async () => store.pinged,
    (pinged) => pinged >= 3,
  )
  t.equal(store.asked, 2, 'no caller is a probe')
  store.fault = null
  await until(
    async () => changes.length,
    (length) => length === 2,
  )
  t.equal(await guarded.ask('word'), 'word')
  t.same(changes, [true, false])
  const pinged = store.pinged
  await pause(40)
  t.equal(store.pinged, pinged, 'probing has ended')
  await guarded.close()
})

await t.test(
  'a store that is back and meets a queue is busy, and its circuit does not open again for it',
  async (t) => {
    const store = aStore()
    const changes: boolean[] = []
    const guarded = withBreaker('ledger', store, { failuresMax: 2, probeMs: 5, onChange: (open) => changes.push(open) })
    store.fault = new StoreFault('ledger', 'unreachable')
    for (let call = 0; call < 2; call++) await t.rejects(guarded.ask('word'))
    store.fault = new StoreFault('ledger', 'busy')
    await until(
      async () => changes.length,
      (length) => length === 2,
    )
    for (let call = 0; call < 100; call++) await t.rejects(guarded.ask('word'), new StoreFault('ledger', 'busy'))
    t.same(changes, [true, false])
    await guarded.close()
  },
)

await t.test(
  'the circuit of a store that answers probes and nothing else opens after one fault each time',
  async (t) => {
    const store = aStore()
    let [opened, closed] = [0, 0]
    const guarded = withBreaker('cache', store, {
      failuresMax: 3,
      probeMs: 10,
      onChange(open) {
        if (open) opened++
        else closed++
      },
    })
    store.ping = async () => {}
    store.fault = down
    for (let call = 0; call < 3; call++) await t.rejects(guarded.ask('word'))
    t.equal(opened, 1)
    await until(
      () => closed,
      (count) => count === 1,
    )
    await t.rejects(guarded.ask('word'))
    t.equal(opened, 2)
    t.equal(store.asked, 4)
    store.fault = null
    await until(
      () => guarded.ask('word').catch(() => null),
      (word) => word === 'word',
    )
    store.fault = down
    for (let call = 0; call < 2; call++) await t.rejects(guarded.ask('word'))
    t.equal(opened, 2, 'forgiven: two faults do not open it')
    await guarded.close()
  },
)

await t.test('a store that is full answers a probe', async (t) => {
  const store = aStore()
  const guarded = withBreaker('cache', store, { failuresMax: 1, probeMs: 5 })
  store.fault = down
  await t.rejects(guarded.ask('word'))
  store.fault = new StoreFault('cache', 'full')
  const fault = await until(
    () => guarded.ask('word').catch((error: StoreFault) => error.kind),
    (kind) => kind === 'full',
  )
  t.equal(fault, 'full')
  await guarded.close()
})

await t.test('a call that began before the circuit opened does not open it again', async (t) => {
  const store = aStore()
  let fail = (_: Error) => {}
  const held = { ...store, hold: () => new Promise<void>((_, reject) => (fail = reject)) }
  const changes: boolean[] = []
  const guarded = withBreaker('cache', held, { failuresMax: 1, probeMs: 5, onChange: (open) => changes.push(open) })
  const slow = guarded.hold()
  held.fault = down
  await t.rejects(guarded.ask('word'))
  held.fault = null
  await until(
    async () => changes.length,
    (length) => length === 2,
  )
  fail(down)
  await t.rejects(slow, down)
  t.equal(await guarded.ask('word'), 'word')
  t.same(changes, [true, false])
  await guarded.close()
})

await t.test('the methods of a room within the store are behind the same circuit', async (t) => {
  const store = aStore()
  const guarded = withBreaker('ledger', { ...store, room: { ask: () => Promise.reject(down) } }, { failuresMax: 2 })
  for (let call = 0; call < 2; call++) await t.rejects(guarded.room.ask(), down)
  await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'unreachable', lasting: true })
  await guarded.close()
})

await t.test('closing ends the probing, whatever is under way', async (t) => {
  const store = aStore()
  const guarded = withBreaker('cache', store, { failuresMax: 1, probeMs: 5 })
  store.fault = down
  await t.rejects(guarded.ask('word'))
  await guarded.close()
  const { pinged } = store
  await pause(30)
  t.ok(store.pinged <= pinged)
  await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'unreachable' })
})

await t.test(
  'a store that measures its outages itself has its circuit opened by the first fault that lasts',
  async (t) => {
    const store = aStore()
    const changes: boolean[] = []
    const options = { ...openOnLastingOutage, probeMs: 5, onChange: (open: boolean) => changes.push(open) }
    const guarded = withBreaker('ledger', store, options)
    const brief = ['unreachable', 'timeout', 'in_doubt'] as const
    for (const kind of [...brief, ...brief, ...brief]) {
      store.fault = new StoreFault('ledger', kind)
      await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind, lasting: false })
    }
    store.fault = new StoreFault('ledger', 'full', { lasting: true })
    await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'full' })
    t.same(changes, [])
    store.fault = new StoreFault('ledger', 'unreachable', { lasting: true })
    await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'unreachable', lasting: true })
    t.same(changes, [true])
    await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'unreachable', lasting: true })
    store.fault = new StoreFault('ledger', 'unreachable')
    await until(
      async () => changes.length,
      (length) => length === 2,
    )
    await t.rejects(guarded.ask('word'), { name: 'StoreFault', kind: 'unreachable', lasting: false })
    t.same(changes, [true, false], 'a connection that breaks afterwards does not open it again')
    await guarded.close()
  },
)
