import type postgres from 'postgres'
import t from 'tap'
import { StoreFault } from '../../store/index.js'
import { createLanes, waitingMax } from '../../store/postgres/lanes.js'

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
      return { end: async () => void ended.push(number) } as unknown as postgres.Sql
    },
  }
}

t.test('whoever waits first is served first', async (t) => {
  const lanes = createLanes(1, fakes().connect)
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

t.test('whoever has waited his time gets a timeout and leaves the queue', async (t) => {
  const lanes = createLanes(1, fakes().connect)
  const lane = await lanes.take(plenty)
  await t.rejects(lanes.take(5), new StoreFault('ledger', 'timeout'))
  const next = lanes.take(plenty)
  lanes.free(lane)
  t.equal(await next, lane)
})

t.test('a full queue turns away at once, and so do connections that are all stuck', async (t) => {
  const lanes = createLanes(1, fakes().connect)
  const lane = await lanes.take(plenty)
  const waiting = Array.from({ length: waitingMax }, () => lanes.take(plenty).then(lanes.free))
  await t.rejects(lanes.take(plenty), new StoreFault('ledger', 'unreachable'))
  lanes.free(lane)
  await Promise.all(waiting)
  const stuck = await lanes.take(plenty)
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  lanes.abandon(stuck, settled)
  await t.rejects(lanes.take(plenty), new StoreFault('ledger', 'unreachable'))
  settle()
  lanes.free(stuck)
  t.equal(await lanes.take(plenty), stuck)
})

t.test('a connection that broke is ended and made anew', async (t) => {
  const { connect, ended, made } = fakes()
  const lanes = createLanes(1, connect)
  const lane = await lanes.take(plenty)
  lanes.renew(lane)
  t.same(ended, [0])
  t.equal(made(), 2)
  await lanes.close()
  t.same(ended, [0, 1])
})
