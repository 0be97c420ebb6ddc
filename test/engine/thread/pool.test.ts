import t, { type Test } from 'tap'
import {
  type BasketRead,
  EngineFault,
  type PricingEngine,
  type PricingFacts,
  type Ticket,
} from '../../../engine/index.js'
import { createPricingPool, type PoolOptions } from '../../../engine/thread/pool.js'
import { batchBytesMax, batchCallsMax } from '../../../engine/thread/pricing-thread.js'
import { versionsMax } from '../../../engine/thread/programme-shelf.js'
import { createSameThreadEngine } from '../../../engine/thread/same-thread.js'
import { basketBody, bytesOf, calculationId } from '../wire/basket-body.js'
import { dieKey, loopKey, standKey, standMs, standStill } from './fault-keys.js'

const settings = { linesMax: 200, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax: 10_000 }
const faulty = new URL('./faulty-worker.js', import.meta.url)
const defaults: PoolOptions = { ...settings, workers: 1, queueMax: 1000, taskMaxMs: 120_000, entry: faulty }

const programme = JSON.stringify([
  { benefitId: 'tenth', text: 'Member tenth', reward: { kind: 'line_percentage', percentage: 10 } },
])
const facts: PricingFacts = {
  programmeVersion: 1,
  member: { memberId: 'm', tier: null, segments: [] },
  venue: { venueId: 'venue 1', currency: 'EUR', timeZone: 'Europe/Berlin', products: [] },
  available: {},
}

async function started(t: Test, options: Partial<PoolOptions> = {}): Promise<PricingEngine> {
  const pool = await createPricingPool({ ...defaults, ...options })
  t.teardown(() => pool.close())
  await pool.loadProgramme(1, programme)
  return pool
}

async function ticketOf(engine: PricingEngine, body = bytesOf(basketBody())): Promise<Ticket> {
  const read = await engine.readBasket(body, calculationId)
  if (read.kind === 'refused') throw new Error(read.refusal.message)
  return read.ticket
}

async function answerOf(engine: PricingEngine, body?: Uint8Array): Promise<string> {
  const ticket = await ticketOf(engine, body)
  const { answer } = await engine.priceBasket(ticket, facts)
  engine.forget(ticket)
  return Buffer.from(answer).toString('utf8')
}

/** A read basket without its ticket, which differs by engine, and with the digest as text. */
function readable(read: BasketRead): unknown {
  if (read.kind === 'refused') return read
  const { ticket: _, facts, ...rest } = read
  return { ...rest, facts: { ...facts, digest: Buffer.from(facts.digest).toString('hex') } }
}

function faultOf(kind: EngineFault['kind']): { name: string; kind: string } {
  return { name: 'EngineFault', kind }
}

t.test('returns what the same work returns on the own thread, for every call', async (t) => {
  const pool = await started(t)
  const twin = createSameThreadEngine(settings)
  await twin.loadProgramme(1, programme)
  const sale = bytesOf({
    calculationId,
    status: 'cancelled',
    currency: 'EUR',
    occurredAt: '2026-11-21T12:00:00Z',
    context: basketBody().context,
  })
  const bodies = [basketBody(1), basketBody(40), basketBody(201), { ...basketBody(), loyaltyId: 7 }, 'no JSON'].map(
    bytesOf,
  )
  for (const [index, body] of bodies.entries()) {
    const [left, right] = [await pool.readBasket(body, calculationId), await twin.readBasket(body, calculationId)]
    t.strictSame(readable(left), readable(right), `body ${index}`)
    if (left.kind === 'refused' || right.kind === 'refused') continue
    for (const each of [facts, { ...facts, member: null }]) {
      const [priced, twinPriced] = [
        await pool.priceBasket(left.ticket, each),
        await twin.priceBasket(right.ticket, each),
      ]
      t.equal(Buffer.from(priced.answer).toString(), Buffer.from(twinPriced.answer).toString())
      t.equal(Buffer.compare(priced.packed, twinPriced.packed), 0)
      t.equal(Buffer.compare(priced.explanation, twinPriced.explanation), 0)
      t.strictSame(
        { ...priced, answer: 0, packed: 0, explanation: 0 },
        { ...twinPriced, answer: 0, packed: 0, explanation: 0 },
      )
      const unpacked = await pool.unpack(priced.packed)
      t.equal(Buffer.compare(unpacked.request, body), 0)
      t.equal(Buffer.compare(unpacked.answer, priced.answer), 0)
      for (const answer of [null, priced.answer]) {
        const charged = { facts: each, answer }
        t.equal(await pool.ladder(left.ticket, charged), await twin.ladder(right.ticket, charged))
      }
    }
  }
  t.match(await pool.readSale(sale, calculationId), {
    kind: 'read',
    event: { status: 'cancelled', digest: Uint8Array },
  })
  t.match(await pool.readSale(bodies[0]!, calculationId), { kind: 'refused', refusal: { code: 'invalid_request' } })
  t.equal(await pool.sameValue(bytesOf('{"a":1,"b":2}'), bytesOf('{"b":2.0,"a":1}')), true)
  t.equal(await pool.sameValue(bytesOf('1'), bytesOf('2')), false)
})

t.test('answers many baskets at once, each with its own, over several threads', async (t) => {
  const pool = await started(t, { workers: 2 })
  const bodies = Array.from({ length: batchCallsMax * 8 }, (_, index) =>
    bytesOf({ ...basketBody((index % 30) + 1), posOrder: `order ${index}` }),
  )
  const answers = await Promise.all(bodies.map((body) => answerOf(pool, body)))
  for (const [index, answer] of answers.entries()) {
    if (!answer.includes(`"order ${index}"`)) t.fail(`answer ${index} is another's`)
  }
  t.equal(pool.waiting, 0)
  const tickets = await Promise.all(bodies.slice(0, 40).map((body) => ticketOf(pool, body)))
  t.equal(new Set(tickets.map(({ thread }) => thread)).size, 2)
})

t.test('takes bodies that are larger than a batch, and leaves them as they are', async (t) => {
  const pool = await started(t)
  const large = bytesOf({ ...basketBody(), pos: 'x'.repeat(batchBytesMax * 2) })
  const slice = Buffer.concat([Buffer.from('  '), bytesOf(basketBody()), Buffer.from('  ')]).subarray(2, -2)
  const before = Buffer.from(slice).toString()
  const answers = await Promise.all([large, slice, large, slice].map((body) => answerOf(pool, body)))
  t.ok(answers[0]!.length > batchBytesMax * 2)
  t.equal(answers[1], answers[3])
  t.equal(slice.toString(), before)
})

t.test('prices a ticket again with other facts, until it is forgotten', async (t) => {
  const pool = await started(t)
  const ticket = await ticketOf(pool)
  t.equal((await pool.priceBasket(ticket, facts)).status, 'applied')
  t.equal((await pool.priceBasket(ticket, { ...facts, member: null })).status, 'member_not_found')
  pool.forget(ticket)
  await t.rejects(pool.priceBasket(ticket, facts), faultOf('ticket_unknown'))
  await t.rejects(pool.priceBasket({ thread: 0, id: 999 }, facts), faultOf('ticket_unknown'))
})

t.test('returns what a thread throws, with its stack, and continues', async (t) => {
  const pool = await started(t)
  const ticket = await ticketOf(pool)
  const thrown = await pool.priceBasket(ticket, { ...facts, programmeVersion: 9 }).catch((error: Error) => error)
  t.match(thrown, { message: 'programme version 9 is not loaded', stack: /pricer/ })
  t.notOk(thrown instanceof EngineFault)
  await t.rejects(pool.unpack(bytesOf('no pack')), /Decompression failed/)
  await t.rejects(pool.loadProgramme(2, 'no JSON'))
  t.equal((await pool.priceBasket(ticket, facts)).status, 'applied')
})

t.test('refuses calls beyond the queue, but not the pricing of a basket already read', async (t) => {
  const pool = await started(t, { queueMax: 4 })
  const ticket = await ticketOf(pool)
  const reads = Array.from({ length: 4 }, () => pool.readBasket(bytesOf(basketBody()), calculationId))
  t.equal(pool.waiting, 4)
  await t.rejects(pool.readSale(bytesOf('{}'), calculationId), faultOf('queue_full'))
  t.equal((await pool.priceBasket(ticket, facts)).status, 'applied')
  t.equal((await Promise.all(reads)).length, 4)
})

t.test('fails the calls of a thread that dies, and replaces it, programmes included', async (t) => {
  const pool = await started(t)
  await pool.loadProgramme(2, programme)
  const ticket = await ticketOf(pool)
  for (let round = 0; round < 3; round++) {
    const dying = pool.readBasket(bytesOf(basketBody()), dieKey)
    const bound = t.rejects(pool.priceBasket(ticket, facts), faultOf('thread_lost'))
    const waiting = answerOf(pool)
    await t.rejects(dying, faultOf('thread_lost'))
    await bound
    t.match(await waiting, /Member tenth/, 'what could wait is answered by the new thread')
    await t.rejects(pool.priceBasket(ticket, facts), faultOf('thread_lost'), 'the old ticket is gone')
  }
  const again = await ticketOf(pool)
  t.equal((await pool.priceBasket(again, { ...facts, programmeVersion: 2 })).status, 'applied')
  t.equal(pool.waiting, 0)
})

t.test('continues with the other threads while one is replaced', async (t) => {
  const pool = await started(t, { workers: 2 })
  const tickets = await Promise.all([1, 2, 3, 4].map(() => ticketOf(pool)))
  await t.rejects(pool.readBasket(bytesOf(basketBody()), dieKey), faultOf('thread_lost'))
  const priced = await Promise.allSettled(tickets.map((ticket) => pool.priceBasket(ticket, facts)))
  const survived = priced.filter(({ status }) => status === 'fulfilled').length
  t.ok(survived > 0 && survived < 4, `${survived} of 4 survived`)
  t.match(await answerOf(pool), /Member tenth/)
})

t.test('ends a thread that is in an endless loop', async (t) => {
  const pool = await started(t, { taskMaxMs: 3_000 })
  await t.rejects(pool.readBasket(bytesOf(basketBody()), loopKey), faultOf('thread_lost'))
  t.match(await answerOf(pool), /Member tenth/)
})

t.test('does not take a standstill of the whole process for a loop of the thread', async (t) => {
  const pool = await started(t, { taskMaxMs: standMs - 1_000 })
  const reading = pool.readBasket(bytesOf(basketBody()), standKey)
  await new Promise((resolve) => setImmediate(resolve))
  standStill(standMs)
  await t.resolves(reading)
})

t.test('loads a programme into every thread, also while one dies', async (t) => {
  const pool = await started(t, { workers: 2 })
  const dying = Promise.allSettled([1, 2].map(() => pool.readBasket(bytesOf(basketBody()), dieKey)))
  await pool.loadProgramme(2, programme)
  await dying
  const tickets = await Promise.all(Array.from({ length: 8 }, () => ticketOf(pool)))
  const priced = await Promise.all(tickets.map((ticket) => pool.priceBasket(ticket, { ...facts, programmeVersion: 2 })))
  t.equal(priced.length, 8)
})

t.test('forgets long unused programmes, but never the built-in one', async (t) => {
  const pool = await started(t)
  await pool.loadProgramme(0, programme)
  const ticket = await ticketOf(pool)
  for (let version = 2; version <= versionsMax + 1; version++) await pool.loadProgramme(version, programme)
  const priceWith = (programmeVersion: number) => pool.priceBasket(ticket, { ...facts, programmeVersion })
  await t.rejects(priceWith(1), /version 1 is not loaded/)
  for (const version of [0, 3, versionsMax + 1])
    t.equal((await priceWith(version)).status, 'applied', `version ${version}`)
  await t.rejects(pool.readBasket(bytesOf(basketBody()), dieKey), faultOf('thread_lost'))
  const again = await ticketOf(pool)
  t.equal((await pool.priceBasket(again, { ...facts, programmeVersion: 0 })).status, 'applied')
})

t.test('prices what it has read before it reads more', async (t) => {
  const pool = await started(t)
  const ticket = await ticketOf(pool)
  const done: string[] = []
  const reads = Array.from({ length: batchCallsMax * 4 }, (_, index) =>
    pool.readBasket(bytesOf(basketBody()), calculationId).then(() => done.push(`read ${index}`)),
  )
  await Promise.all([...reads, pool.priceBasket(ticket, facts).then(() => done.push('priced'))])
  t.ok(done.indexOf('priced') <= batchCallsMax + 1, `after ${done.indexOf('priced')} of ${reads.length} reads`)
})

t.test('drops abandoned work before it begins, and keeps the order of the rest', async (t) => {
  const pool = await started(t)
  const [past, future] = [performance.now() - 1, performance.now() + 60_000]
  const ticket = await ticketOf(pool)
  const running = pool.readBasket(bytesOf(basketBody()), calculationId)
  const late = pool.readBasket(bytesOf(basketBody()), calculationId, { untilMs: past, ahead: null })
  const latePricing = pool.priceBasket(ticket, facts, past)
  const inTime = pool.readBasket(bytesOf(basketBody()), calculationId, { untilMs: future, ahead: null })
  await Promise.all([
    t.rejects(late, faultOf('too_late')),
    t.rejects(latePricing, faultOf('too_late')),
    t.resolveMatch(inTime, { kind: 'read' }),
    t.resolveMatch(running, { kind: 'read' }),
  ])
  t.equal(pool.waiting, 0)
})

t.test('prices a basket while it reads it, if the peek was right', async (t) => {
  const pool = await started(t)
  const body = { ...basketBody(), loyaltyId: 'LOY-1' }
  const venueId = String(body.context['venueId'])
  const venue = { ...facts.venue, venueId }
  const ahead = { loyaltyId: 'LOY-1', venueId, facts: { ...facts, venue } }
  const read = async (given: typeof ahead, sent: unknown = body) => {
    const reading = await pool.readBasket(bytesOf(sent), calculationId, {
      untilMs: Number.POSITIVE_INFINITY,
      ahead: given,
    })
    if (reading.kind === 'refused') throw new Error(reading.refusal.message)
    return reading
  }
  const asTaken = await read(ahead)
  const priced = await pool.priceBasket(asTaken.ticket, ahead.facts)
  t.same(asTaken.ahead, priced, 'the same, byte for byte, as in a hand-over of its own')
  t.equal((await read({ ...ahead, loyaltyId: 'LOY-2' })).ahead, null)
  t.equal((await read({ ...ahead, venueId: 'elsewhere' })).ahead, null)
  t.equal((await read({ ...ahead, facts: { ...ahead.facts, venue: { ...venue, currency: 'SEK' } } })).ahead, null)
  const wrong = { ...body, totals: { ...body.totals, net: Number(body.totals['net']) + 1 } }
  t.equal((await read(ahead, wrong)).ahead, null, 'what is to be refused is not priced')
})

t.test('rejects waiting calls when it closes, and all later ones', async (t) => {
  const pool = await createPricingPool(defaults)
  const waiting = pool.readBasket(bytesOf(basketBody()), calculationId)
  const closed = pool.close()
  await t.rejects(waiting, faultOf('closed'))
  await closed
  await t.rejects(pool.readSale(bytesOf('{}'), calculationId), faultOf('closed'))
  await t.rejects(pool.priceBasket({ thread: 0, id: 1 }, facts), faultOf('closed'))
  await t.rejects(pool.loadProgramme(1, programme), faultOf('closed'))
})

t.test('does not start where a thread cannot', async (t) => {
  await t.rejects(createPricingPool({ ...defaults, entry: new URL('./no-such-worker.js', import.meta.url) }))
})
