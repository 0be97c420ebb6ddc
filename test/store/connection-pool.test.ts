import t from 'tap'
import { StoreFault } from '../../store/fault.js'
import type { Connection } from '../../store/postgres/connection/connection.js'
import { createConnectionPool, waitingMax } from '../../store/postgres/connection/connection-pool.js'
import type { GivenUp, Pulse, Wait } from '../../store/postgres/connection/pulse.js'

const plenty = 10_000

/** Connections that only record that they were ended. */
function fakes() {
  const ended: number[] = []
  let made = 0
  return {
    ended,
    made: () => made,
    connect() {
      const number = made
      made += 1
      return { client: { end: async () => void ended.push(number) }, received: 0 } as unknown as Connection
    },
  }
}

/** A controllable pulse. */
function aPulse() {
  const waits: { readonly wait: Wait; readonly giveUp: (why: GivenUp) => void }[] = []
  const pulse: Pulse & { isSilent: boolean } = {
    isSilent: false,
    replied() {},
    close() {},
    silent() {
      return this.isSilent
    },
    watch(wait, giveUp) {
      waits.push({ wait, giveUp })
      return () => {}
    },
  }
  return { pulse, waits }
}

t.test('callers are served in the order in which they came', async (t) => {
  const pool = createConnectionPool(1, fakes().connect, aPulse().pulse)
  const pooled = await pool.take(plenty)
  const served: number[] = []
  const waiting = [1, 2, 3].map(async (number) => {
    const own = await pool.take(plenty)
    served.push(number)
    pool.free(own)
  })
  pool.free(pooled)
  await Promise.all(waiting)
  t.same(served, [1, 2, 3])
})

for (const why of ['busy', 'timeout'] as const) {
  t.test(`a wait that the pulse ends as ${why} is a fault of that kind and leaves the queue`, async (t) => {
    const { pulse, waits } = aPulse()
    const pool = createConnectionPool(1, fakes().connect, pulse)
    const pooled = await pool.take(plenty)
    const first = pool.take(plenty)
    const next = pool.take(plenty)
    t.equal(waits[0]!.wait.endsOnSilence, true)
    waits[0]!.giveUp(why)
    await t.rejects(first, new StoreFault('ledger', why))
    pool.free(pooled)
    t.equal(await next, pooled)
  })
}

t.test('a full queue is busy at once, and a pool of stuck connections is an outage only in silence', async (t) => {
  const { pulse } = aPulse()
  const pool = createConnectionPool(1, fakes().connect, pulse)
  const pooled = await pool.take(plenty)
  const waiting = Array.from({ length: waitingMax }, () => pool.take(plenty).then(pool.free))
  await t.rejects(pool.take(plenty), new StoreFault('ledger', 'busy'))
  pool.free(pooled)
  await Promise.all(waiting)
  const stuck = await pool.take(plenty)
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  pool.abandon(stuck, settled)
  const patient = pool.take(plenty)
  pulse.isSilent = true
  await t.rejects(pool.take(plenty), new StoreFault('ledger', 'unreachable'))
  settle()
  pool.free(stuck)
  t.equal(await patient, stuck)
})

t.test('the most recently used connection is used again, unless the coldest is requested', async (t) => {
  const pool = createConnectionPool(3, fakes().connect, aPulse().pulse)
  const last = await pool.take(plenty)
  pool.free(last)
  t.equal(await pool.take(plenty), last)
  pool.free(last)
  const turns = new Set<unknown>()
  for (let turn = 0; turn < 3; turn += 1) {
    const pooled = await pool.takeColdest(plenty)
    turns.add(pooled)
    pool.free(pooled)
  }
  t.equal(turns.size, 3, 'each in turn')
})

t.test('a broken connection is ended and replaced', async (t) => {
  const { connect, ended, made } = fakes()
  const pool = createConnectionPool(1, connect, aPulse().pulse)
  const pooled = await pool.take(plenty)
  pool.renew(pooled)
  t.same(ended, [0])
  t.equal(made(), 2)
  await pool.close()
  t.same(ended, [0, 1])
})
