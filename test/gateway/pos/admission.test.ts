import t from 'tap'
import { createAdmission } from '../../../gateway/pos/admission.js'

/** Offers calls at a rate per millisecond to a server of fixed capacity; counts admitted calls and their waiting times. */
function run(options: { perMs: number; offeredPerMs: number; forMs: number; bytesMax?: number }) {
  let now = 0
  const admission = createAdmission({ deadlineMs: 450, bytesMax: options.bytesMax ?? 1_000, nowMs: () => now })
  const queue: number[] = []
  const waits: number[] = []
  let refused = 0
  let work = 0
  for (now = 1; now <= options.forMs; now += 1) {
    for (let index = 0; index < options.offeredPerMs; index += 1) {
      if (admission.refusal('basket') === null) {
        admission.enter()
        queue.push(now)
      } else refused += 1
    }
    for (work += options.perMs; work >= 1 && queue.length > 0; work -= 1) {
      const waited = now - queue.shift()!
      waits.push(waited)
      admission.leave(waited)
    }
    if (queue.length === 0) work = 0
  }
  return { admission, waits, refused }
}

t.test('at eight times its capacity a server still answers in time, and all it can', async (t) => {
  for (const perMs of [1, 2, 5]) {
    const { waits, refused } = run({ perMs, offeredPerMs: perMs * 8, forMs: 20_000 })
    t.ok(waits.length >= 0.99 * perMs * 20_000, `${perMs}/ms: it is never idle`)
    t.ok(refused > 0)
    const settled = waits.slice(waits.length / 4)
    t.ok(Math.max(...settled.slice(0, 50_000)) < 450, `${perMs}/ms: no call waits longer than the deadline`)
  }
})

/** The same server; its calls end at their deadline: 503, and the work spent on them is lost. */
function runWithDeadline({ perMs, offeredPerMs, forMs }: { perMs: number; offeredPerMs: number; forMs: number }) {
  const deadlineMs = 450
  let now = 0
  const admission = createAdmission({ deadlineMs, bytesMax: 1_000, nowMs: () => now })
  const queue: number[] = []
  let [offered, work] = [0, 0]
  const seconds = Array.from({ length: forMs / 1_000 }, () => ({ inTime: 0, late: 0, refused: 0 }))
  for (now = 0; now < forMs; now += 1) {
    const second = seconds[Math.floor(now / 1_000)]!
    for (offered += offeredPerMs; offered >= 1; offered -= 1) {
      if (admission.refusal('basket') === null) {
        admission.enter()
        queue.push(now)
      } else second.refused += 1
    }
    for (work += perMs; work >= 1 && queue.length > 0; work -= 1) {
      const waited = now - queue.shift()!
      if (waited <= deadlineMs) second.inTime += 1
      else second.late += 1
      admission.leave(Math.min(waited, deadlineMs + 15))
    }
    if (queue.length === 0) work = 0
  }
  return seconds
}

t.test('calls that all miss their deadline lower the limit though it is never reached', async (t) => {
  for (const [perMs, offeredPerMs] of [
    [0.2, 0.3],
    [0.3, 0.6],
    [0.3, 2.4],
    [0.1, 1],
  ] as const) {
    const seconds = runWithDeadline({ perMs, offeredPerMs, forMs: 10_000 })
    const settled = seconds.slice(3)
    const of = (word: 'inTime' | 'late' | 'refused') => settled.reduce((sum, second) => sum + second[word], 0)
    const name = `${perMs * 1_000} a second, offered ${offeredPerMs * 1_000}`
    t.equal(of('late'), 0, `${name}: what comes in is answered in time`)
    t.ok(of('inTime') >= 0.99 * perMs * 1_000 * settled.length, `${name}: ${of('inTime')} in ${settled.length} s`)
    t.ok(of('refused') > 0)
  }
})

t.test('slow stores alone cause no refusal at the rate of the contract', async (t) => {
  let now = 0
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 1_000, nowMs: () => now })
  const ends: number[] = []
  for (now = 0; now < 30_000; now += 10) {
    for (; ends.length > 0 && ends[0]! <= now; ends.shift()) admission.leave(440)
    if (now % 20 !== 0) continue
    t.equal(admission.refusal('basket'), null)
    admission.enter()
    ends.push(now + 440)
  }
})

t.test('a few slow calls before a burst cause no refusal', async (t) => {
  let now = 0
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 1_000, nowMs: () => now })
  for (; now < 2_000; now += 100) {
    t.equal(admission.refusal('basket'), null)
    admission.enter()
    admission.leave(465)
  }
  for (let index = 0; index < 200; index += 1) {
    t.equal(admission.refusal('basket'), null)
    admission.enter()
  }
})

t.test('a burst is admitted once the strain has been over for a second, even without calls meanwhile', async (t) => {
  let now = 0
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 1_000, nowMs: () => now })
  for (let index = 0; index < 40; index += 1) admission.enter()
  for (; now < 3_000; now += 10) {
    if (admission.refusal('basket') !== null) continue
    admission.enter()
    admission.leave(465)
  }
  t.equal(admission.refusal('basket'), 'overloaded')
  for (let index = 0; index < 40; index += 1) admission.leave(10)
  now += 200
  admission.refusal('basket')
  now += 1_000
  for (let index = 0; index < 150; index += 1) {
    t.equal(admission.refusal('basket'), null)
    admission.enter()
  }
})

t.test('below its capacity no call is refused, a burst included', async (t) => {
  t.equal(run({ perMs: 2, offeredPerMs: 1, forMs: 5_000 }).refused, 0)
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 1, nowMs: () => 0 })
  for (let index = 0; index < 200; index += 1) {
    t.equal(admission.refusal('basket'), null)
    admission.enter()
  }
})

t.test('after a slow time a burst is admitted again', async (t) => {
  let now = 0
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 1, nowMs: () => now })
  let open = 0
  for (; now < 5_000; now += 10) {
    while (admission.refusal('basket') === null) {
      admission.enter()
      open += 1
    }
    if (now % 100 === 0 && open > 0) {
      admission.leave(400)
      open -= 1
    }
  }
  for (; open > 0; open -= 1) admission.leave(400)
  t.ok(admission.refusal('basket') === null)
  for (; now < 8_000; now += 100) admission.refusal('basket')
  let taken = 0
  for (; taken < 200 && admission.refusal('basket') === null; taken += 1) admission.enter()
  t.equal(taken, 200)
})

t.test('bytes are held and released, and a drain admits no call', async (t) => {
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 100, nowMs: () => 0 })
  const whole = admission.receive(() => t.fail('a whole body never gives way'))
  t.ok(whole.hold(60))
  whole.complete()
  const next = admission.receive(() => t.fail('nor does this one'))
  t.notOk(next.hold(41))
  t.ok(next.hold(40))
  t.equal(admission.refusal('basket'), null, 'what is still arriving can give way')
  next.complete()
  t.equal(admission.refusal('basket'), 'overloaded')
  for (const body of [whole, next, next]) body.release()
  t.equal(admission.refusal('basket'), null)
  t.ok(admission.receive(() => {}).hold(100))
  admission.drain()
  t.equal(admission.refusal('basket'), 'draining')
})

t.test('bodies that arrive slowly give way to new calls, the oldest one first', async (t) => {
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 100, nowMs: () => 0 })
  const gone: string[] = []
  const arrive = (name: string, bytes: number) => {
    const body = admission.receive(() => {
      gone.push(name)
      body.release()
    })
    return { body, came: body.hold(bytes) }
  }
  const [slow] = [arrive('slow', 50), arrive('slower', 10), arrive('slowest', 40)] as const
  t.ok(arrive('first', 30).came)
  t.same(gone, ['slow'])
  t.ok(arrive('second', 60).came)
  t.same(gone, ['slow', 'slower', 'slowest'], 'no more than has to')
  t.notOk(slow.body.hold(101), 'it would be the next')
})

t.test('baskets come before sale events: the last 40 % of the room is theirs', async (t) => {
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 1, nowMs: () => 0 })
  const fill = (endpoint: 'basket' | 'sale') => {
    let taken = 0
    for (; admission.refusal(endpoint) === null; taken += 1) admission.enter()
    return taken
  }
  const sales = fill('sale')
  const baskets = fill('basket')
  t.equal(admission.refusal('sale'), 'overloaded')
  t.ok(Math.abs(baskets / (sales + baskets) - 0.4) < 0.01, `${baskets} beside ${sales}`)
})

t.test('baskets are admitted under a flood of sale events', async (t) => {
  let now = 0
  const admission = createAdmission({ deadlineMs: 450, bytesMax: 1, nowMs: () => now })
  for (; now < 5_000; now += 10) {
    while (admission.refusal('sale') === null) admission.enter()
    // One of them is answered every 10 ms.
    admission.leave(10)
  }
  let baskets = 0
  for (; admission.refusal('basket') === null; baskets += 1) admission.enter()
  t.ok(baskets >= 10, `${baskets} baskets still come in`)
})
