import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlushBarrier } from '../../../gateway/background/flush-barrier.js'
import { createVouching } from '../../../gateway/background/vouching.js'
import type { Cache, Mark } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { GatewayReport } from '../../../store/ledger/gateways.js'
import { until } from '../../support/until.js'

const plentyMs = 60_000

/** A ledger with one other gateway in it, which has flushed through `others`. */
function aBarrier(
  received: { others?: () => number; flush?: () => Promise<void>; idle?: boolean; ledger?: () => unknown } = {},
) {
  const reports: GatewayReport[] = []
  let wished = 0
  const ledger = {
    gateways: {
      async meet(report: GatewayReport) {
        await received.ledger?.()
        reports.push(report)
        if (report.wishes) wished += 1
        return { wished, flushedByOthers: (received.others ?? (() => Number.POSITIVE_INFINITY))() }
      },
      leave: async () => {},
    },
  }
  const journal = { flushNow: received.flush ?? (async () => {}), isIdle: () => received.idle ?? true }
  const bugs: unknown[] = []
  const barrier = createFlushBarrier({
    gatewayId: 'one',
    posLedger: ledger,
    journal,
    onBug: (error) => bugs.push(error),
  })
  const wish = () => {
    wished += 1
  }
  return { barrier, reports, bugs, wish }
}

t.test('no call passes before this gateway and all others have flushed', async (t) => {
  let others = 0
  let flushed = 0
  const { barrier } = aBarrier({
    others: () => others,
    flush: async () => {
      flushed += 1
    },
  })
  await barrier.start()
  t.teardown(() => barrier.stop(true))
  await t.rejects(barrier.pass(150), new StoreFault('ledger', 'busy'))
  t.ok(flushed > 0, 'its own copies go to the ledger meanwhile')
  const passing = barrier.pass(plentyMs)
  others = 100
  await t.resolves(passing)
})

t.test('a flush that fails is tried again, and no call passes on it', async (t) => {
  let fails = 3
  const { barrier, bugs } = aBarrier({
    async flush() {
      fails -= 1
      if (fails >= 0) throw new StoreFault('ledger', 'busy')
    },
  })
  await barrier.start()
  t.teardown(() => barrier.stop(true))
  await barrier.pass(plentyMs)
  t.ok(fails < 0)
  t.same(bugs, [])
})

t.test('a wish of another gateway is fulfilled and reported', async (t) => {
  const { barrier, reports, wish } = aBarrier()
  await barrier.start()
  t.teardown(() => barrier.stop(true))
  wish()
  const through = await until(
    async () => reports.at(-1)!.flushedThrough,
    (number) => number === 1,
  )
  t.equal(through, 1)
})

t.test('with the ledger out of reach calls fail at once, and the gateway works with Redis alone', async (t) => {
  let out = false
  const { barrier } = aBarrier({
    ledger() {
      if (out) throw new StoreFault('ledger', 'unreachable')
    },
  })
  await barrier.start()
  t.teardown(() => barrier.stop(false))
  out = true
  await t.rejects(barrier.pass(plentyMs), new StoreFault('ledger', 'busy'))
  t.equal(barrier.usesCache, true)
})

t.test('with the circuit to Redis open others are notified not to wait, once nothing is left to flush', async (t) => {
  const busy = aBarrier({ idle: false })
  await busy.barrier.start()
  busy.barrier.circuitChanged(true)
  await until(
    async () => busy.reports.length,
    (count) => count > 2,
  )
  t.equal(busy.barrier.usesCache, true)
  await busy.barrier.stop(true)
  const idle = aBarrier()
  await idle.barrier.start()
  idle.barrier.circuitChanged(true)
  t.equal(
    await until(
      async () => idle.barrier.usesCache,
      (uses) => !uses,
    ),
    false,
  )
  t.equal(idle.reports.at(-1)!.usesCache, false)
  idle.barrier.circuitChanged(false)
  t.equal(
    await until(
      async () => idle.barrier.usesCache,
      (uses) => uses,
    ),
    true,
  )
  t.equal(idle.reports.at(-1)!.usesCache, true, 'only after the ledger has it')
  await idle.barrier.stop(true)
})

t.test('an idle gateway reports no more, and its next call waits until it is listed again', async (t) => {
  const { barrier, reports } = aBarrier()
  await barrier.start()
  t.teardown(() => barrier.stop(true))
  const last = await until(
    () => reports.at(-1)!,
    ({ usesCache }) => !usesCache,
  )
  t.equal(last.usesCache, false)
  t.equal(barrier.usesCache, false)
  const count = reports.length
  await sleep(600)
  t.equal(reports.length, count)
  t.equal(await barrier.use(async () => barrier.usesCache), true)
  t.match(reports.slice(count), [{ usesCache: true }])
})

t.test('a gateway with copies is not idle', async (t) => {
  const { barrier, reports } = aBarrier({ idle: false })
  await barrier.start()
  t.teardown(() => barrier.stop(true))
  await sleep(6_000)
  t.ok(reports.every(({ usesCache }) => usesCache))
  t.equal(barrier.usesCache, true)
})

t.test('the call of an idle gateway goes on without Redis where the ledger does not reply', async (t) => {
  let hangs = false
  const { barrier, reports } = aBarrier({ ledger: () => (hangs ? new Promise(() => {}) : undefined) })
  await barrier.start()
  await until(
    () => reports.at(-1)!,
    ({ usesCache }) => !usesCache,
  )
  hangs = true
  t.equal(await barrier.use(async () => barrier.usesCache), false)
})

t.test('Redis vouches again only after the barrier, and what was vouched for by others is taken over', async (t) => {
  const order: string[] = []
  const found: Mark[] = [
    { bucket: 0, vouched: true, mark: 'a' },
    { bucket: 1, vouched: false, mark: '?b' },
  ]
  const cache = {
    survey: async () => found,
    async vouch(marks: readonly Mark[]) {
      order.push('vouch')
      return marks.map(({ bucket }) => ({ bucket, vouched: true, mark: 'b' }))
    },
  } as unknown as Cache
  const barrier = {
    pass: async () => void order.push('pass'),
    usesCache: true,
    use: <T>(work: () => Promise<T>) => work(),
  }
  const losses: number[] = []
  const vouching = createVouching({ gatewayId: 'one', cache, barrier, onLoss: (buckets) => losses.push(buckets) })
  const before = vouching.marks
  await Promise.all([vouching.recover(plentyMs), vouching.recover(plentyMs)])
  t.same(order, ['pass', 'vouch'], 'once for all who wait')
  t.same(vouching.marks, ['a', 'b'])
  t.same(before, [], 'who took the marks before has them still')
  t.same(losses, [1])
})
