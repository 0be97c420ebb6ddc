import { randomUUID } from 'node:crypto'
import { aCounter, aWant, short, until } from './records.js'
import type { Suite } from './vouched-cache.js'

export const counters: Suite = async (t, open) => {
  await t.test('a counter that was never loaded is unknown, not zero', async (t) => {
    const cache = await open()
    const counter = aCounter()
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 1, 5)]), { kind: 'unknown', names: [counter] })
  })

  await t.test('a reservation of nothing succeeds', async (t) => {
    const cache = await open()
    t.same(await cache.reserve(randomUUID(), null, []), { kind: 'reserved' })
  })

  await t.test('used, open and held units are all counted', async (t) => {
    const cache = await open()
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 3, open: 2 }])
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 4, 10)]), { kind: 'reserved' })
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 2, 10)]), short([counter, 1]))
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 1, 10)]), { kind: 'reserved' })
  })

  await t.test('a maximum below the use leaves 0, never less', async (t) => {
    const cache = await open()
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 50, open: 0 }])
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 1, 10)]), short([counter, 0]))
  })

  await t.test('numbers stay exact as far as integers are', async (t) => {
    const cache = await open()
    const counter = aCounter()
    const maximum = Number.MAX_SAFE_INTEGER
    await cache.loadCounters([{ ...counter, used: 1, open: 0 }])
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, maximum - 3, maximum)]), { kind: 'reserved' })
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 3, maximum)]), short([counter, 2]))
  })

  await t.test('counters with colliding names stay apart', async (t) => {
    const cache = await open()
    const names = [
      { limitId: 'a:b', subject: 'c', period: '' },
      { limitId: 'a', subject: 'b:c', period: '' },
      { limitId: 'a%3ab', subject: 'c', period: '' },
      { limitId: '}{', subject: '}', period: '' },
      { limitId: '{}', subject: '', period: '' },
    ]
    await cache.loadCounters(names.map((name, used) => ({ ...name, used, open: 0 })))
    for (const [used, name] of names.entries()) {
      t.same(await cache.reserve(randomUUID(), null, [aWant(name, 10, 9)]), short([name, 9 - used]))
    }
  })

  await t.test('a reservation takes every counter or none', async (t) => {
    const cache = await open()
    const [plenty, scarce, unknown] = [aCounter(), aCounter(), aCounter()]
    await cache.loadCounters([plenty, scarce].map((name) => ({ ...name, used: 0, open: 0 })))
    const id = randomUUID()
    t.same(await cache.reserve(id, null, [aWant(plenty, 5, 5), aWant(scarce, 2, 1)]), short([scarce, 1]))
    const both = await cache.reserve(id, null, [aWant(plenty, 5, 5), aWant(unknown, 1, 1)])
    t.same(both, { kind: 'unknown', names: [unknown] })
    t.same(await cache.reserve(randomUUID(), null, [aWant(plenty, 5, 5), aWant(scarce, 1, 1)]), { kind: 'reserved' })
  })

  await t.test('of a thousand at once for the last ten, exactly ten get them', async (t) => {
    const cache = await open({ holdMs: 60_000 })
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 85, open: 5 }])
    const replies = await Promise.all(
      Array.from({ length: 1_000 }, () => cache.reserve(randomUUID(), null, [aWant(counter, 1, 100)])),
    )
    t.equal(replies.filter((reply) => reply.kind === 'reserved').length, 10)
    t.equal(replies.filter((reply) => reply.kind === 'short').length, 990)
  })
}

export const loading: Suite = async (t, open) => {
  await t.test('loading a known counter changes nothing', async (t) => {
    const cache = await open()
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
    await cache.reserve(randomUUID(), null, [aWant(counter, 9, 10)])
    await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 2, 10)]), short([counter, 1]))
  })

  await t.test('a forgotten counter is unknown until it is loaded, and then has the loaded values', async (t) => {
    const cache = await open()
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
    const id = randomUUID()
    await cache.reserve(id, null, [aWant(counter, 9, 10)])
    await cache.forgetCounters([counter, aCounter()])
    t.equal((await cache.reserve(randomUUID(), null, [aWant(counter, 1, 10)])).kind, 'unknown')
    await cache.loadCounters([{ ...counter, used: 1, open: 2 }])
    await cache.giveBack(id, [counter])
    t.same(await cache.reserve(randomUUID(), null, [aWant(counter, 8, 10)]), short([counter, 7]))
  })

  await t.test('a counter is forgotten after its lifetime, however busy it is', async (t) => {
    const cache = await open({ counterMs: 2_000 })
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 0, open: 10 }])
    const ask = () => cache.reserve(randomUUID(), null, [aWant(counter, 1, 1_000_000)])
    t.equal((await ask()).kind, 'reserved')
    t.same(await until(ask, ({ kind }) => kind === 'unknown'), { kind: 'unknown', names: [counter] })
  })

  await t.test('a reloaded counter has nothing of the forgotten one', async (t) => {
    const cache = await open({ counterMs: 2_000, holdMs: 60_000 })
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
    const ask = (units: number) => cache.reserve(randomUUID(), null, [aWant(counter, units, 10)])
    await ask(9)
    await until(
      () => ask(1),
      ({ kind }) => kind === 'unknown',
    )
    await cache.loadCounters([{ ...counter, used: 4, open: 0 }])
    t.same(await ask(6), { kind: 'reserved' })
  })
}
