import t from 'tap'
import { createRateLimiter } from '../../../gateway/listeners/rate-limit.js'
import { StoreFault } from '../../../store/fault.js'
import { fc } from '../../support/seeded.js'

function aLimiter(rate: number, burst: number) {
  const clock = { ms: 1_000 }
  const limiter = createRateLimiter({ cache: null, rate, burst, nowMs: () => clock.ms })
  const takeMany = async (endpoint: 'basket' | 'sale', times: number) => {
    let taken = 0
    for (let index = 0; index < times; index += 1) if ((await limiter.take(endpoint)) === 0) taken += 1
    return taken
  }
  return { clock, limiter, takeMany }
}

t.test('a full burst is there at first, then the rate', async (t) => {
  const { clock, limiter, takeMany } = aLimiter(50, 100)
  t.equal(await takeMany('basket', 150), 100)
  t.equal(await limiter.take('basket'), 1)
  clock.ms += 1_000
  t.equal(await takeMany('basket', 100), 50)
  clock.ms += 3_600_000
  t.equal(await takeMany('basket', 200), 100, 'never more than a burst')
})

t.test('sale events leave the last 40 % to baskets and are notified when to come back', async (t) => {
  const { clock, limiter, takeMany } = aLimiter(10, 100)
  t.equal(await takeMany('sale', 100), 60)
  t.equal(await takeMany('basket', 100), 40)
  t.equal(await limiter.take('sale'), 5, '41 tokens at 10 a second')
  t.equal(await limiter.take('basket'), 1)
  clock.ms += 5_000
  t.equal(await limiter.take('sale'), 0)
})

t.test('whatever is asked, Retry-After is kept: a token is there then, and not a second earlier', async (t) => {
  const arbitrary = fc.record({
    rate: fc.integer({ min: 1, max: 200 }),
    burst: fc.integer({ min: 1, max: 300 }),
    calls: fc.array(fc.record({ endpoint: fc.constantFrom('basket', 'sale'), afterMs: fc.nat(3_000) }), {
      maxLength: 50,
    }),
    endpoint: fc.constantFrom('basket', 'sale'),
  })
  const property = fc.asyncProperty(arbitrary, async ({ rate, burst, calls, endpoint }) => {
    const { clock, limiter, takeMany } = aLimiter(rate, burst)
    for (const call of calls) {
      clock.ms += call.afterMs
      await limiter.take(call.endpoint)
    }
    await takeMany('basket', burst)
    const seconds = await limiter.take(endpoint)
    if (!Number.isInteger(seconds) || seconds < 1) return false
    clock.ms += (seconds - 1) * 1_000
    const early = await limiter.take(endpoint)
    clock.ms += 1_000
    return (seconds === 1 || early > 0) && (await limiter.take(endpoint)) === 0
  })
  await t.resolves(fc.assert(property, { numRuns: 300 }))
})

t.test('a rate or burst of 0 turns it off', async (t) => {
  t.equal(await aLimiter(0, 100).takeMany('sale', 1_000), 1_000)
  t.equal(await aLimiter(50, 0).takeMany('sale', 1_000), 1_000)
})

t.test('a clock that goes back gives no token twice', async (t) => {
  const { clock, takeMany } = aLimiter(50, 100)
  t.equal(await takeMany('basket', 200), 100)
  clock.ms -= 10_000
  t.equal(await takeMany('basket', 200), 0)
  clock.ms += 10_000
  t.equal(await takeMany('basket', 200), 0)
})

t.test('the cache decides while it answers, a bucket of our own while it does not', async (t) => {
  let fault: Error | null = null
  const limiter = createRateLimiter({
    cache: {
      takeToken: async ({ endpoint }) => {
        if (fault !== null) throw fault
        return endpoint === 'basket' ? { taken: true, ahead: 0 } : { taken: false, retryAfterS: 0.2 }
      },
    },
    rate: 1,
    burst: 2,
    nowMs: () => 0,
  })
  t.same([await limiter.take('basket'), await limiter.take('basket'), await limiter.take('basket')], [0, 0, 0])
  t.equal(await limiter.take('sale'), 1, 'whole seconds, at least 1')
  fault = new StoreFault('cache', 'timeout')
  t.same([await limiter.take('basket'), await limiter.take('basket'), await limiter.take('basket')], [0, 0, 1])
  fault = new Error('a bug')
  await t.rejects(limiter.take('basket'), { message: 'a bug' })
})

t.test('it is strained for a second after a refusal', async (t) => {
  const { clock, limiter, takeMany } = aLimiter(50, 2)
  await takeMany('basket', 2)
  t.notOk(limiter.isStrained)
  await limiter.take('basket')
  t.ok(limiter.isStrained)
  clock.ms += 1_000
  t.notOk(limiter.isStrained)
})

/** A cache with one bucket that never fills up again; it gives tokens ahead from its upper half. */
function aCache(tokens: number) {
  let left = tokens
  const asked: number[] = []
  return {
    asked,
    async takeToken({ ahead }: { readonly ahead: number }) {
      asked.push(ahead)
      if (left < 1) return { taken: false, retryAfterS: 1 } as const
      left -= 1
      const given = Math.min(ahead, Math.max(0, left - tokens / 2))
      left -= given
      return { taken: true, ahead: given } as const
    },
  }
}

t.test('under load one look at the cache serves the calls of 50 ms, and what is not used is dropped', async (t) => {
  const cache = aCache(10_000)
  const clock = { ms: 1_000 }
  const limiter = createRateLimiter({ cache, rate: 1_000, burst: 10_000, nowMs: () => clock.ms })
  const callsFor = async (seconds: number, everyMs: number) => {
    for (const endMs = clock.ms + seconds * 1_000; clock.ms < endMs; clock.ms += everyMs) {
      t.equal(await limiter.take('basket'), 0)
    }
    return cache.asked.splice(0)
  }
  t.same(new Set(await callsFor(1, 100)), new Set([0]), 'none ahead at 10 a second')
  await callsFor(0.1, 5)
  t.same(await callsFor(0.5, 5), [10, 10, 10, 10, 10, 10, 10, 10, 10, 10])
  clock.ms += 60_000
  await limiter.take('basket')
  t.same(cache.asked, [0], 'what was taken a minute ago counts no more')
})

t.test('no more is taken ahead than comes back meanwhile, so that what is dropped is hardly missed', async (t) => {
  for (const [rate, most] of [
    [1, 0],
    [100, 5],
  ] as const) {
    const cache = aCache(10_000)
    const clock = { ms: 1_000 }
    const limiter = createRateLimiter({ cache, rate, burst: 10_000, nowMs: () => clock.ms })
    for (; clock.ms < 2_000; clock.ms += 5) await limiter.take('basket')
    t.equal(Math.max(...cache.asked), most)
  }
})

t.test('calls that come at once share a look ahead; those beyond it ask for themselves, once', async (t) => {
  const cache = aCache(1_000)
  const clock = { ms: 1_000 }
  const limiter = createRateLimiter({ cache, rate: 1_000, burst: 1_000, nowMs: () => clock.ms })
  const takeMany = (calls: number) => Promise.all(Array.from({ length: calls }, () => limiter.take('basket')))
  await takeMany(8)
  clock.ms += 50
  cache.asked.length = 0
  t.same(new Set(await takeMany(12)), new Set([0]))
  t.same(cache.asked, [8, 8, 0, 0])
})

t.test('nothing is taken ahead for a second once the bucket is less than half full', async (t) => {
  const cache = aCache(40)
  const clock = { ms: 1_000 }
  const limiter = createRateLimiter({ cache, rate: 1_000, burst: 40, nowMs: () => clock.ms })
  for (let moment = 0; moment < 20; moment += 1) {
    await Promise.all([limiter.take('basket'), limiter.take('basket')])
    clock.ms += 50
  }
  const scarce = cache.asked.lastIndexOf(2)
  t.ok(scarce >= 0 && cache.asked.slice(scarce + 1).every((ahead) => ahead === 0))
  t.equal(cache.asked.length - scarce > 10, true)
})

t.test('of many replicas’ calls at once no more get through than the bucket holds', async (t) => {
  const cache = aCache(100)
  const clock = { ms: 1_000 }
  const limiters = [1, 2, 3].map(() => createRateLimiter({ cache, rate: 1_000, burst: 100, nowMs: () => clock.ms }))
  let passed = 0
  for (let moment = 0; moment < 10; moment += 1) {
    const calls = limiters.flatMap((limiter) => Array.from({ length: 20 }, () => limiter.take('basket')))
    passed += (await Promise.all(calls)).filter((seconds) => seconds === 0).length
    clock.ms += 100
  }
  t.equal(passed, 100)
})
