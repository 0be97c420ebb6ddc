import t from 'tap'
import { StoreFault } from '../../store/index.js'
import type { Connection } from '../../store/postgres/connection/connection.js'
import { createLanes, waitingMax } from '../../store/postgres/connection/lanes.js'
import type { GivenUp, Pulse, Wait } from '../../store/postgres/connection/pulse.js'

const plenty = 10_000

/** Connections that do nothing but remember that they were ended. */
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

/** A pulse that says what it is told to say, when it is told. */
function aPulse() {
  const waits: { readonly wait: Wait; readonly giveUp: (why: GivenUp) => void }[] = []
  const pulse: Pulse & { isSilent: boolean } = {
    isSilent: false,
    heard() {},
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

t.test('whoever waits first is served first', async (t) => {
  const lanes = createLanes(1, fakes().connect, aPulse().pulse)
  const lane = await lanes.take(plenty)
  const served: number[] = []
  const waiting = [1, 2, 3].map(async (number) => {
    const own = await lanes.take(plenty)
    served.push(number)
    lanes.free(own)
  })
  lanes.free(lane)
  await Promise.all(waiting)
  t.same(served, [1, 2, 3])
})

for (const why of ['busy', 'timeout'] as const) {
  t.test(`a wait that the pulse ends as ${why} is a fault of that kind and leaves the queue`, async (t) => {
    const { pulse, waits } = aPulse()
    const lanes = createLanes(1, fakes().connect, pulse)
    const lane = await lanes.take(plenty)
    const first = lanes.take(plenty)
    const next = lanes.take(plenty)
    t.equal(waits[0]!.wait.endsOnSilence, true)
    waits[0]!.giveUp(why)
    await t.rejects(first, new StoreFault('ledger', why))
    lanes.free(lane)
    t.equal(await next, lane)
  })
}

t.test('a full queue is busy at once, and connections that are all stuck are an outage only in silence', async (t) => {
  const { pulse } = aPulse()
  const lanes = createLanes(1, fakes().connect, pulse)
  const lane = await lanes.take(plenty)
  const waiting = Array.from({ length: waitingMax }, () => lanes.take(plenty).then(lanes.free))
  await t.rejects(lanes.take(plenty), new StoreFault('ledger', 'busy'))
  lanes.free(lane)
  await Promise.all(waiting)
  const stuck = await lanes.take(plenty)
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  lanes.abandon(stuck, settled)
  const patient = lanes.take(plenty)
  pulse.isSilent = true
  await t.rejects(lanes.take(plenty), new StoreFault('ledger', 'unreachable'))
  settle()
  lanes.free(stuck)
  t.equal(await patient, stuck)
})

t.test('the connection used last is used again, unless the coldest is asked for', async (t) => {
  const lanes = createLanes(3, fakes().connect, aPulse().pulse)
  const last = await lanes.take(plenty)
  lanes.free(last)
  t.equal(await lanes.take(plenty), last)
  lanes.free(last)
  const turns = new Set<unknown>()
  for (let turn = 0; turn < 3; turn += 1) {
    const lane = await lanes.takeColdest(plenty)
    turns.add(lane)
    lanes.free(lane)
  }
  t.equal(turns.size, 3, 'each in turn')
})

t.test('a connection that broke is ended and made anew', async (t) => {
  const { connect, ended, made } = fakes()
  const lanes = createLanes(1, connect, aPulse().pulse)
  const lane = await lanes.take(plenty)
  lanes.renew(lane)
  t.same(ended, [0])
  t.equal(made(), 2)
  await lanes.close()
  t.same(ended, [0, 1])
})
