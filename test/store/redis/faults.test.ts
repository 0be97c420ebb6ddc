import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Cache, Marks } from '../../../store/cache.js'
import { withBreaker } from '../../../store/circuit-breaker.js'
import { StoreFault } from '../../../store/fault.js'
import { type CacheOptions, createRedisCache } from '../../../store/redis/create-redis-cache.js'
import {
  aCounter,
  anAnswer,
  aRecord,
  aWant,
  type OperatedRedis,
  startOperatedRedis,
  until,
  untilAnswering,
  vouchForAll,
} from './caches.js'

const counter = aCounter()
/** Marks of the server opened last. */
let marks: Marks = []

/** One call of every verb that reaches the server. */
const verbs: Record<string, (cache: Cache) => Promise<unknown>> = {
  takeToken: (cache) => cache.takeToken({ endpoint: 'basket', rate: 50, burst: 100, ahead: 0 }),
  findAnswer: (cache) => cache.findAnswer(randomUUID()),
  claim: (cache) => cache.claim(randomUUID()),
  release: (cache) => cache.release(randomUUID()),
  keep: (cache) => cache.keep(aRecord(), marks),
  survey: (cache) => cache.survey(randomUUID()),
  correct: (cache) => cache.correct(randomUUID(), anAnswer()),
  remember: (cache) => cache.remember(randomUUID(), anAnswer()),
  reserve: (cache) => cache.reserve(randomUUID(), null, [aWant(counter, 1, 10), aWant(aCounter(), 1, 10)]),
  loadCounters: (cache) => cache.loadCounters([{ ...counter, used: 0, open: 0 }]),
  confirmHold: (cache) => cache.confirmHold(randomUUID(), [counter], 1_000),
  giveBack: (cache) => cache.giveBack(randomUUID(), [counter]),
  forgetCounters: (cache) => cache.forgetCounters([counter]),
  readJournal: (cache) => cache.readJournal(10, 0),
  findJournalled: (cache) => cache.findJournalled(randomUUID()),
  forgetJournalled: (cache) => cache.forgetJournalled([randomUUID()]),
  journalDepth: (cache) => cache.journalDepth(),
  forgetAnswers: (cache) => cache.forgetAnswers([randomUUID()]),
  ping: (cache) => cache.ping(),
}

const all = Object.keys(verbs)

await t.test('without a server every call is refused at once, and answered once it is up', async (t) => {
  const server = await aServer(t)
  await server.kill()
  const errors: string[] = []
  const cache = createRedisCache({ url: server.url, callMs: 1_000, onError: (error) => errors.push(error.message) })
  t.teardown(() => cache.close())
  t.same(await faults(cache), every('cache unreachable'))
  await until(
    async () => errors.length,
    (count) => count > 1,
  )
  t.match(errors[0], 'ECONNREFUSED')
  await server.restart()
  await untilAnswering(cache)
  t.same(await faults(cache), every('answered'))
})

await t.test('a server that restarts empty is out of reach, then has nothing, then works', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server)
  await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
  await server.kill()
  t.same(await faults(cache), every('cache unreachable'))
  await server.restart()
  await untilAnswering(cache)
  t.equal((await cache.reserve(randomUUID(), null, [aWant(counter, 1, 10)])).kind, 'unknown')
  t.same(await faults(cache), every('answered'))
})

await t.test('a server that hangs is given up in time, and works when it wakes', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server)
  server.signal('SIGSTOP')
  t.same(await faults(cache), every('cache timeout'))
  server.signal('SIGCONT')
  await untilAnswering(cache)
  t.same(await faults(cache), every('answered'))
})

await t.test('a reservation with a late reply holds nothing', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server, { lifetimes: { holdMs: 60_000 } })
  const [left, right] = [aCounter(), aCounter()]
  await cache.loadCounters([left, right].map((name) => ({ ...name, used: 0, open: 0 })))
  await cache.reserve(randomUUID(), null, [aWant(left, 1, 10)])
  server.signal('SIGSTOP')
  t.equal(await faultOf(cache.reserve(randomUUID(), null, [aWant(left, 9, 10), aWant(right, 10, 10)])), 'cache timeout')
  server.signal('SIGCONT')
  await untilAnswering(cache)
  t.same(await cache.reserve(randomUUID(), null, [aWant(left, 9, 10), aWant(right, 10, 10)]), { kind: 'reserved' })
})

await t.test('a server that hangs for good is given up, and a new connection is opened', async (t) => {
  const server = await aServer(t)
  const errors: string[] = []
  const cache = await open(t, server, { onError: (error) => errors.push(error.message) })
  server.signal('SIGSTOP')
  t.equal(await faultOf(cache.ping()), 'cache timeout')
  await until(
    async () => errors.length,
    (count) => count > 0,
  )
  t.match(errors[0], 'Socket timeout')
  t.equal(await faultOf(cache.ping()), 'cache unreachable')
  server.signal('SIGCONT')
  await untilAnswering(cache)
  t.same(await faults(cache), every('answered'))
})

await t.test('behind the breaker a hung server costs a few calls, then none until it is back', async (t) => {
  const server = await aServer(t)
  let changes = 0
  const cache = withBreaker('cache', await open(t, server), { onChange: () => changes++ })
  t.teardown(() => cache.close())
  server.signal('SIGSTOP')
  t.same(await faults(cache), every('cache timeout'))
  t.equal(changes, 1)
  for (let round = 0; round < 20; round++) t.same(await faults(cache), every('cache unreachable'))
  server.signal('SIGCONT')
  await until(
    async () => changes,
    (count) => count === 2,
  )
  t.same(await faults(cache), every('answered'))
})

await t.test('a cut connection drops its calls, and nothing is sent again', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server, { callMs: 5_000 })
  const record = aRecord()
  await server.direct.client('PAUSE', 120_000, 'WRITE')
  const kept = faultOf(cache.keep(record, marks))
  await server.direct.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  t.equal(await kept, 'cache unreachable')
  await server.direct.client('UNPAUSE')
  await untilAnswering(cache)
  t.same(await cache.findAnswer(record.calculationId), { kind: 'unknown' })
  t.same(await cache.keep(record, marks), { kind: 'kept' })
})

const writing = ['takeToken', 'claim', 'keep', 'survey', 'correct', 'remember', 'loadCounters']

await t.test('a server without memory is full for writes that need some, and answers everything else', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server)
  const id = randomUUID()
  await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
  await cache.reserve(id, null, [aWant(counter, 10, 10)])
  const record = aRecord()
  await cache.keep(record, marks)
  await server.direct.config('SET', 'maxmemory', '1')
  const others = all.filter((name) => !writing.includes(name) && !['reserve', 'confirmHold'].includes(name))
  t.same(await faults(cache, writing), every('cache full', writing))
  t.equal(await faultOf(cache.reserve(id, null, [aWant(counter, 1, 10)])), 'cache full')
  t.equal((await cache.findAnswer(record.calculationId)).kind, 'known')
  await cache.giveBack(id, [counter])
  await cache.forgetJournalled([record.calculationId])
  t.equal((await cache.journalDepth()).entries, 0)
  t.same(await faults(cache, others), every('answered', others))
  await server.direct.config('SET', 'maxmemory', '0')
  t.same(await faults(cache), every('answered'))
})

await t.test('a master that may not write without replicas is full', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server)
  await server.direct.config('SET', 'min-replicas-to-write', '1')
  t.same(await faults(cache, writing), every('cache full', writing))
})

await t.test('a server that became a replica is out of reach for writes until it is a master', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server)
  await server.direct.replicaof('127.0.0.1', 1)
  for (const name of writing) {
    await untilAnswering(cache)
    t.equal(await faultOf(verbs[name]!(cache)), 'cache unreachable', name)
  }
  await server.direct.replicaof('NO', 'ONE')
  await untilAnswering(cache)
  t.same(await faults(cache), every('answered'))
})

await t.test('a server that asks for a password is out of reach without it and answers with it', async (t) => {
  const server = await aServer(t)
  await server.direct.config('SET', 'requirepass', 'p@ss:word')
  const stranger = createRedisCache({ url: server.url })
  t.teardown(() => stranger.close())
  t.same(await faults(stranger), every('cache unreachable'))
  const cache = await open(t, { ...server, url: server.url.replace('//', `//:${encodeURIComponent('p@ss:word')}@`) })
  t.same(await faults(cache), every('answered'))
  t.match(await faultOf(stranger.ping()), 'cache unreachable')
})

await t.test('a closed cache refuses every call', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server)
  const last = faultOf(cache.ping())
  await cache.close()
  t.match(await last, /answered|cache unreachable/)
  t.same(await faults(cache), every('cache unreachable'))
})

async function aServer(t: Test): Promise<OperatedRedis> {
  const server = await startOperatedRedis()
  t.teardown(() => server.stop())
  return server
}

async function open(t: Test, server: OperatedRedis, options: Partial<CacheOptions> = {}): Promise<Cache> {
  const cache = createRedisCache({ url: server.url, callMs: 1_000, journalCallMs: 1_000, ...options })
  t.teardown(() => cache.close())
  await untilAnswering(cache)
  marks = await vouchForAll(cache)
  return cache
}

async function faultOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'answered',
    (error: unknown) => (error instanceof StoreFault ? `${error.store} ${error.kind}` : String(error)),
  )
}

async function faults(cache: Cache, names: readonly string[] = all): Promise<Record<string, string>> {
  const found = await Promise.all(names.map((name) => faultOf(verbs[name]!(cache))))
  return Object.fromEntries(names.map((name, index) => [name, found[index]!]))
}

function every(fault: string, names: readonly string[] = all): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, fault]))
}
