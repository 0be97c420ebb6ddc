import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { withinTime } from '../../store/call-deadline.js'
import { apartMs, createOutage, failuresMin, outageMs } from '../../store/postgres/connection/attempts.js'
import {
  beatMs,
  createPulse,
  type GivenUp,
  hangMsDefault as hangMs,
  type Pulse,
  type Wait,
} from '../../store/postgres/connection/pulse.js'

const plenty = 20_000

/** Timers and a clock that the test moves. */
function aClock(t: Test) {
  const clock = { nowMs: 1_000 }
  const { setTimeout: realTimeout, setInterval: realInterval } = globalThis
  const { now } = performance
  const timers: { readonly happen: () => void; atMs: number; readonly everyMs: number | null }[] = []
  performance.now = () => clock.nowMs
  const add = (happen: () => void, ms: number, everyMs: number | null) => {
    const timer = { happen, atMs: clock.nowMs + ms, everyMs, unref: () => timer }
    timers.push(timer)
    return timer
  }
  globalThis.setTimeout = ((happen: () => void, ms: number) => add(happen, ms, null)) as never
  globalThis.setInterval = ((happen: () => void, ms: number) => add(happen, ms, ms)) as never
  t.teardown(() => {
    performance.now = now
    globalThis.setTimeout = realTimeout
    globalThis.setInterval = realInterval
  })
  return {
    /** Advances to the next timer that is due and fires it, late where the clock has passed it. */
    async next() {
      const timer = timers.reduce((first, each) => (each.atMs < first.atMs ? each : first))
      clock.nowMs = Math.max(clock.nowMs, timer.atMs)
      if (timer.everyMs === null) timers.splice(timers.indexOf(timer), 1)
      else timer.atMs = clock.nowMs + timer.everyMs
      timer.happen()
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** Advances the clock without firing timers. */
    stall(ms: number) {
      clock.nowMs += ms
    },
    get nowMs() {
      return clock.nowMs
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

t.test('a silent server is given up after its time, except where the outcome would be in doubt', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  t.ok(pulse.silent(), 'no reply was received yet')
  const { seen } = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: true })
  const patient = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: false })
  while (seen.why === null) await clock.next()
  t.equal(seen.why, 'timeout')
  t.equal(clock.nowMs, 1_000 + hangMs)
  while (patient.seen.why === null) await clock.next()
  t.equal(patient.seen.why, 'busy')
  t.equal(clock.nowMs, 1_000 + plenty)
})

t.test('a server that answers others is busy, not down, however long this call waits', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen } = watched(pulse, { untilMs: clock.nowMs + 4 * hangMs, endsOnSilence: true })
  while (seen.why === null) {
    pulse.replied()
    t.notOk(pulse.silent())
    await clock.next()
  }
  t.equal(seen.why, 'busy')
  t.equal(clock.nowMs, 1_000 + 4 * hangMs)
})

t.test('silence counts from the last reply to any call', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen } = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: true })
  while (clock.nowMs < 1_000 + hangMs - beatMs) await clock.next()
  const repliedAtMs = clock.nowMs
  pulse.replied()
  while (seen.why === null) await clock.next()
  t.equal(seen.why, 'timeout')
  t.equal(clock.nowMs, repliedAtMs + hangMs)
})

t.test('while the whole machine stands still silence does not count', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen } = watched(pulse, { untilMs: clock.nowMs + plenty, endsOnSilence: true })
  // Every beat comes four times as late as it should.
  while (seen.why === null) {
    clock.stall(4 * beatMs)
    await clock.next()
  }
  t.equal(seen.why, 'timeout')
  t.ok(clock.nowMs > 1_000 + 2 * hangMs, `after ${clock.nowMs - 1_000} ms`)
})

t.test('a reply that arrived while this process stood still is in time', async (t) => {
  const clock = aClock(t)
  const pulse = createPulse()
  const { seen, unwatch } = watched(pulse, { untilMs: clock.nowMs + hangMs, endsOnSilence: true })
  // The timer fires late; the reply is read in the same turn.
  setImmediate(unwatch)
  clock.stall(10 * hangMs)
  await clock.next()
  await clock.next()
  t.equal(seen.why, null)
})

t.test('an outage is failures for seconds without one success', (t) => {
  let nowMs = 0
  const outage = createOutage(() => nowMs)
  t.notOk(outage.isLasting())
  for (let failure = 0; failure < failuresMin; failure += 1) outage.failed()
  nowMs = outageMs
  t.notOk(outage.isLasting(), 'many failures at once are one')
  outage.worked()
  nowMs = 0
  for (let failure = 0; failure < failuresMin; failure += 1) {
    t.notOk(outage.isLasting())
    outage.failed()
    nowMs += apartMs
  }
  nowMs = outageMs - 1
  t.notOk(outage.isLasting())
  nowMs = outageMs
  t.ok(outage.isLasting())
  outage.worked()
  t.notOk(outage.isLasting(), 'one success ends it')
  outage.failed()
  nowMs += outageMs
  t.notOk(outage.isLasting(), 'time in which nobody tried, or this process stood still, is none')
  t.end()
})

t.test('work within its time settles as it does', async (t) => {
  t.equal(await withinTime('cache', 1_000, Promise.resolve(7)), 7)
  await t.rejects(withinTime('cache', 1_000, Promise.reject(new Error('broken'))), { message: 'broken' })
})

t.test('work beyond its time is a timeout, and its result is dropped', async (t) => {
  let fail = (_error: Error) => {}
  const late = new Promise<never>((_, reject) => {
    fail = reject
  })
  await t.rejects(withinTime('ledger', 5, late), { name: 'StoreFault', store: 'ledger', kind: 'timeout' })
  fail(new Error('late'))
  await turn()
})

t.test('a reply that arrived while the process was busy is in time', async (t) => {
  // From here on timers have their turn before replies that have arrived.
  await turn()
  const arrived = turn('reply')
  const reply = withinTime('cache', 1, arrived)
  const end = performance.now() + 20
  while (performance.now() < end);
  t.equal(await reply, 'reply')
})
