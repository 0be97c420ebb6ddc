import t, { type Test } from 'tap'
import {
  createPulse,
  type GivenUp,
  hangMsDefault as hangMs,
  type Pulse,
  type Wait,
} from '../../store/postgres/pulse.js'

const plenty = 20_000

/** The real timers, on a clock that the test sets. */
function aClock(t: Test) {
  const clock = { nowMs: 1_000 }
  const { now } = performance
  performance.now = () => clock.nowMs
  t.teardown(() => {
    performance.now = now
  })
  const timers: { readonly happen: () => void; readonly atMs: number }[] = []
  const { setTimeout: real } = globalThis
  globalThis.setTimeout = ((happen: () => void, ms: number) => {
    timers.push({ happen, atMs: clock.nowMs + ms })
    return timers.at(-1)
  }) as never
  t.teardown(() => {
    globalThis.setTimeout = real
  })
  return {
    /** Goes on to the moment of the next timer that is set, and lets it happen. */
    async next() {
      const timer = timers.shift()!
      clock.nowMs = Math.max(clock.nowMs, timer.atMs)
      timer.happen()
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** Time passes and nothing happens. */
    stall(ms: number) {
      clock.nowMs += ms
    },
    get nowMs() {
      return clock.nowMs
    },
    get waits() {
      return timers.length > 0
    },
  }
}

function watched(pulse: Pulse, wait: Wait) {
  const seen: { why: GivenUp | null } = { why: null }
  const unwatch = pulse.watch(wait, (why) => {
    seen.why = why
  })
  return { seen, unwatch }
}

t.test(
  'a server that says nothing is given up after its time, a wait that must not end on silence is not',
  async (t) => {
    const clock = aClock(t)
    const pulse = createPulse()
    t.ok(pulse.silent(), 'nothing was heard yet')
    const { seen } = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: true })
    await clock.next()
    t.equal(seen.why, 'timeout')
    t.equal(clock.nowMs, 1_000 + hangMs)
    const patient = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: false })
    await clock.next()
    t.equal(patient.seen.why, 'busy')
    t.equal(clock.nowMs, 1_000 + hangMs + plenty)
  },
)

t.test('a server that answers others is busy, not away, however long this call waits', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen } = watched(pulse, { untilMs: clock.nowMs + 4 * hangMs, endsOnSilence: true })
  while (seen.why === null) {
    clock.stall(10)
    pulse.beat()
    t.notOk(pulse.silent())
    await clock.next()
  }
  t.equal(seen.why, 'busy')
  t.ok(clock.nowMs >= 1_000 + 4 * hangMs)
})

t.test('silence counts from the last reply to anybody', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen } = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: true })
  clock.stall(hangMs - 1)
  pulse.beat()
  await clock.next()
  t.equal(seen.why, null)
  await clock.next()
  t.equal(seen.why, 'timeout')
  t.equal(clock.nowMs, 1_000 + hangMs - 1 + hangMs)
})

t.test('a machine that stood still tells nothing of the server: the silence is measured anew', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen } = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: true })
  clock.stall(3 * hangMs)
  await clock.next()
  t.equal(seen.why, null)
  await clock.next()
  t.equal(seen.why, 'timeout')
  t.equal(clock.nowMs, 1_000 + 4 * hangMs)
})

t.test('a reply that arrived while this process stood still is in time', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen, unwatch } = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: true })
  // The timer fires late; in the same turn the reply is read.
  setImmediate(unwatch)
  clock.stall(10 * hangMs)
  await clock.next()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(seen.why, null)
  t.notOk(clock.waits)
})
