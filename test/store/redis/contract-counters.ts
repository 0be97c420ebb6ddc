import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CacheLifetimes } from '../../../store/redis/access.js'
import { aCounter, aWant, type Suite, short, until } from './caches.js'

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

export const holds: Suite = async (t, open) => {
  const one = async (lifetimes?: Partial<CacheLifetimes>) => {
    const cache = await open(lifetimes)
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
    const reserve = (units: number, id: string = randomUUID(), supersedes: string | null = null) =>
      cache.reserve(id, supersedes, [aWant(counter, units, 10)])
    return { cache, counter, reserve }
  }

  await t.test('reserving again for the same calculation replaces its hold', async (t) => {
    const { counter, reserve } = await one()
    const id = randomUUID()
    for (const units of [10, 10, 4]) t.same(await reserve(units, id), { kind: 'reserved' })
    t.same(await reserve(7), short([counter, 6]))
  })

  await t.test('reserving again for more than is left ends its hold', async (t) => {
    const { counter, reserve } = await one()
    const id = randomUUID()
    await reserve(4, id)
    t.same(await reserve(11, id), short([counter, 10]))
    t.same(await reserve(10), { kind: 'reserved' })
  })

  await t.test('units of a superseded calculation are free for its successor alone', async (t) => {
    const { counter, reserve } = await one()
    const first = randomUUID()
    await reserve(8, first)
    t.same(await reserve(8), short([counter, 2]))
    t.same(await reserve(10, randomUUID(), first), { kind: 'reserved' })
  })

  await t.test('a superseded hold ends when its successor is confirmed, not before', async (t) => {
    const { cache, counter, reserve } = await one()
    const [first, second] = [randomUUID(), randomUUID()]
    await reserve(6, first)
    await reserve(3, second, first)
    t.same(await reserve(5), short([counter, 1]))
    await cache.confirmHold(second, [counter], 60_000)
    t.same(await reserve(8), short([counter, 7]))
    t.same(await reserve(7), { kind: 'reserved' })
  })

  await t.test('a superseded hold stays where its successor is released', async (t) => {
    const { cache, counter, reserve } = await one()
    const [first, second] = [randomUUID(), randomUUID()]
    await reserve(6, first)
    await reserve(10, second, first)
    await cache.giveBack(second, [counter])
    t.same(await reserve(5), short([counter, 4]))
  })

  await t.test('a released hold is free at once, and only once', async (t) => {
    const { cache, counter, reserve } = await one()
    const [gone, stays] = [randomUUID(), randomUUID()]
    await reserve(5, gone)
    await reserve(5, stays)
    for (let time = 0; time < 3; time++) await cache.giveBack(gone, [counter])
    t.same(await reserve(6), short([counter, 5]))
  })

  await t.test('a confirmed hold that is released is free', async (t) => {
    const { cache, counter, reserve } = await one()
    const id = randomUUID()
    await reserve(10, id)
    await cache.confirmHold(id, [counter], 60_000)
    await cache.giveBack(id, [counter])
    t.same(await reserve(10), { kind: 'reserved' })
  })

  await t.test('an unconfirmed hold ends by itself', async (t) => {
    const { reserve } = await one({ holdMs: 2_000 })
    await reserve(10)
    t.equal((await reserve(1)).kind, 'short')
    t.same(
      await until(
        () => reserve(10),
        ({ kind }) => kind === 'reserved',
      ),
      { kind: 'reserved' },
    )
  })

  await t.test('a confirmed hold outlives an unconfirmed one, and ends at its own time', async (t) => {
    const { cache, counter, reserve } = await one({ holdMs: 2_000 })
    const [lasts, ends] = [randomUUID(), randomUUID()]
    await reserve(4, lasts)
    await reserve(6, ends)
    await cache.confirmHold(lasts, [counter], 60_000)
    t.same(
      await until(
        () => reserve(6),
        ({ kind }) => kind === 'reserved',
      ),
      { kind: 'reserved' },
    )
    t.same(await reserve(5), short([counter, 0]))
    await cache.confirmHold(lasts, [counter], 1)
    t.same(
      await until(
        () => reserve(10),
        ({ kind }) => kind === 'reserved',
      ),
      { kind: 'reserved' },
    )
  })

  await t.test('confirming or releasing a missing hold changes nothing', async (t) => {
    const { cache, counter, reserve } = await one()
    await cache.confirmHold(randomUUID(), [counter, aCounter()], 60_000)
    await cache.giveBack(randomUUID(), [counter, aCounter()])
    t.same(await reserve(10), { kind: 'reserved' })
  })

  await t.test('an ended hold that is superseded is freed once', async (t) => {
    const { counter, reserve } = await one({ holdMs: 60 })
    const first = randomUUID()
    await reserve(8, first)
    await pause(90)
    t.same(await reserve(11, randomUUID(), first), short([counter, 10]))
  })

  await t.test('an ended hold that is reserved again is freed once', async (t) => {
    const { counter, reserve } = await one({ holdMs: 60 })
    const id = randomUUID()
    await reserve(8, id)
    await pause(90)
    t.same(await reserve(11, id), short([counter, 10]))
  })

  await t.test('a hold freed otherwise is not freed again by its release', async (t) => {
    const { cache, counter, reserve } = await one({ holdMs: 2_000 })
    const [ended, superseded, successor] = [randomUUID(), randomUUID(), randomUUID()]
    await reserve(3, ended)
    await pause(2_100)
    await reserve(4, superseded)
    await reserve(5, successor, superseded)
    await cache.confirmHold(successor, [counter], 60_000)
    for (const id of [ended, superseded]) await cache.giveBack(id, [counter])
    t.same(await reserve(6), short([counter, 5]))
  })

  await t.test('confirming once more does not end later reservations of the superseded calculation', async (t) => {
    const { cache, counter, reserve } = await one()
    const [first, second] = [randomUUID(), randomUUID()]
    await reserve(4, first)
    await reserve(4, second, first)
    await cache.confirmHold(second, [counter], 60_000)
    await reserve(6, first)
    await cache.confirmHold(second, [counter], 60_000)
    t.same(await reserve(1), short([counter, 0]))
  })

  await t.test('a calculation reserved anew, released before or not, supersedes only what it names then', async (t) => {
    for (const isReleased of [true, false]) {
      const { cache, counter, reserve } = await one()
      const [first, second] = [randomUUID(), randomUUID()]
      await reserve(4, first)
      await reserve(4, second, first)
      if (isReleased) await cache.giveBack(second, [counter])
      await reserve(4, second)
      await cache.confirmHold(second, [counter], 60_000)
      t.same(await reserve(3), short([counter, 2]))
    }
  })

  await t.test('a thousand ended holds are freed by the next reservation', async (t) => {
    const cache = await open({ holdMs: 1 })
    const counter = aCounter()
    await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
    await Promise.all(
      Array.from({ length: 1_000 }, () => cache.reserve(randomUUID(), null, [aWant(counter, 1, 5_000)])),
    )
    await pause(5)
    const all = await cache.reserve(randomUUID(), null, [aWant(counter, 5_000, 5_000)])
    t.same(all, { kind: 'reserved' })
  })
}
