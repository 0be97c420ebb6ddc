import t from 'tap'
import { everyCounter } from '../../../engine/core/base/input.js'
import type { Want } from '../../../engine/core/base/outcome.js'
import { type BasketParts, createCalculateBasket } from '../../../gateway/use-cases/calculate-basket.js'
import type { Call } from '../../../gateway/use-cases/replies.js'
import { StoreFault } from '../../../store/fault.js'
import type { AnswerLookup, CalculationRecord, StoredAnswer } from '../../../store/ledger/calculations.js'

const digest = Buffer.alloc(32)
const own: StoredAnswer = { digest, packed: Buffer.from('packed') }

/** A service with stores as the test sets them; it counts its pricings. */
function aService(received: {
  readonly copy?: StoredAnswer
  readonly cache?: () => StoredAnswer | 'unvouched' | null
  readonly ledger?: () => AnswerLookup
  /** True when all facts are cached, so that a basket is priced while it is read. */
  readonly known?: true
  /** Limits wanted by a basket of a known venue. */
  readonly prices?: readonly Want[]
}) {
  const seen = { priced: 0, ahead: 0, asked: 0, order: [] as string[], available: [] as unknown[] }
  const { prices } = received
  const basket = { currency: 'EUR', baxId: 'bax-1', loyaltyId: null, supersedesCalculationId: null }
  const parts = {
    engine: {
      readBasket: async (_body: Uint8Array, _key: string, { ahead }: { readonly ahead: unknown }) => {
        if (ahead !== null) seen.ahead += 1
        return {
          kind: 'read',
          ticket: 1,
          facts: { digest, venueId: 'venue-1', ...basket },
          tooManyLines: null,
          arithmetic: null,
        }
      },
      unpack: async () => {
        seen.order.push('unpacked')
        return { request: Buffer.from('request'), answer: Buffer.from('answer') }
      },
      priceBasket: async (_ticket: number, { available }: { readonly available: unknown }) => {
        seen.priced += 1
        seen.available.push(available)
        if (prices === undefined) throw new Error('priced')
        return { status: 'applied', answer: Buffer.from('answer'), packed: digest, wants: prices, spending: null }
      },
      sameValue: async () => false,
      forget: () => {},
    },
    journal: {
      add: () => {},
      find: () => received.copy ?? null,
      holdCopy: (record: CalculationRecord | null) => void seen.order.push(`held ${record?.calculationId}`),
      track: <T>(call: Promise<T>) => call,
    },
    vouching: {
      marks: [],
      usesCache: true,
      recover: async () => void seen.order.push('recovered'),
      pass: async () => void seen.order.push('passed'),
    },
    cache: {
      findAnswer: async () => {
        seen.asked += 1
        const answer = (received.cache ?? (() => null))()
        if (answer === 'unvouched') return { kind: 'unvouched' }
        return answer === null ? { kind: 'unknown' } : { kind: 'known', answer, record: { calculationId: 'c-1' } }
      },
      keep: async () => {
        seen.order.push('kept')
        return { kind: 'kept' }
      },
    },
    posLedger: {
      clock: () => 0,
      calculations: {
        findAnswer: async () => (received.ledger ?? (() => ({ kind: 'unknown' })))(),
      },
    },
    environment: 'staging',
    inBackground: () => {},
    facts: {
      findVenue: async () =>
        prices === undefined ? null : { environment: 'staging', baxIds: ['bax-1'], currency: 'EUR' },
      findMember: async () => ({ member: null, programmeVersion: 1 }),
      peek: async () => (received.known ? { member: null, programmeVersion: 1, venue: { venueId: 'venue-1' } } : null),
      venueFacts: () => ({}),
    },
    deadlineMs: 60_000,
  } as unknown as BasketParts
  return { calculate: createCalculateBasket(parts), seen }
}

function aCall(): Call {
  return { body: Buffer.from('request'), idempotencyKey: 'c-1', arrivedAtMs: performance.now() }
}

const fails =
  (store: 'cache' | 'ledger', kind: StoreFault['kind'], lasting = false) =>
  () => {
    throw new StoreFault(store, kind, { lasting })
  }

t.test('a repeat is answered from the own copy on its way to the ledger, whatever the stores have lost', async (t) => {
  const { calculate, seen } = aService({
    copy: own,
    cache: fails('cache', 'unreachable'),
    ledger: fails('ledger', 'unreachable'),
  })
  t.match(await calculate(aCall()), { kind: 'answered', body: Buffer.from('answer'), replayed: true })
  t.equal(seen.priced, 0)
})

t.test(
  'what the cache alone knows is held as a copy before it is notified, so that a cache that forgets loses nothing',
  async (t) => {
    const { calculate, seen } = aService({ cache: () => own })
    t.match(await calculate(aCall()), { kind: 'answered', replayed: true })
    t.same(seen.order, ['held c-1', 'unpacked'])
  },
)

t.test('where the ledger is busy or out of reach, the cache’s answer is the answer', async (t) => {
  for (const kind of ['busy', 'unreachable'] as const) {
    const { calculate, seen } = aService({ cache: () => own, ledger: fails('ledger', kind) })
    t.match(await calculate(aCall()), { kind: 'answered', replayed: true }, kind)
    t.equal(seen.priced, 0)
  }
})

t.test(
  'with the ledger out of reach, marks that others have made since are taken over for the next call',
  async (t) => {
    const { calculate, seen } = aService({ cache: () => 'unvouched', ledger: fails('ledger', 'unreachable') })
    t.match(await calculate(aCall()), { kind: 'unavailable' })
    t.same(seen.order, ['recovered'])
  },
)

t.test('the cache is not asked for a new key, but first for one that has been answered here', async (t) => {
  const inLedger = aService({ ledger: () => ({ kind: 'stored', answer: own }) })
  t.match(await inLedger.calculate(aCall()), { kind: 'answered', replayed: true })
  t.equal(inLedger.seen.asked, 0)
  t.match(await inLedger.calculate(aCall()), { kind: 'answered', replayed: true })
  t.equal(inLedger.seen.asked, 1, 'a repeat is in the cache')
})

t.test('a new basket of an unknown venue is refused', async (t) => {
  t.match(await aService({}).calculate(aCall()), { kind: 'refused', code: 'venue_not_configured' })
  const cacheOut = aService({ cache: fails('cache', 'unreachable') })
  t.match(await cacheOut.calculate(aCall()), { kind: 'refused', code: 'venue_not_configured' })
})

t.test('a look-up that finds the ledger busy is a 503, not a basket without limited benefits', async (t) => {
  const { calculate, seen } = aService({ ledger: fails('ledger', 'busy') })
  t.match(await calculate(aCall()), { kind: 'unavailable', cause: 'ledger busy' })
  t.equal(seen.priced, 0)
})

for (const kind of ['unreachable', 'timeout'] as const) {
  const wanting = { holds: [{ limitId: 'l', subject: '', period: '', units: 1, maximum: 1_000_000 }] }
  t.test(`a look-up that misses the ledger (${kind}) is a 503 for a basket that takes limited benefits`, async (t) => {
    const { calculate, seen } = aService({ ledger: fails('ledger', kind), prices: wanting.holds })
    t.match(await calculate(aCall()), { kind: 'unavailable', cause: 'ledger missed' })
    t.same(seen.available, [{}], 'nothing counts as exhausted')
    t.notOk(seen.order.includes('kept'))
  })

  t.test(`a basket that takes nothing limited goes on where the ledger is missed (${kind})`, async (t) => {
    const { calculate, seen } = aService({ ledger: fails('ledger', kind), prices: [] })
    t.match(await calculate(aCall()), { kind: 'answered', outcome: 'applied' })
    t.same(seen.order, ['kept'])
  })

  t.test(`only an outage of seconds (${kind}) leaves limited benefits out`, async (t) => {
    const { calculate, seen } = aService({ ledger: fails('ledger', kind, true), prices: [] })
    t.match(await calculate(aCall()), { kind: 'answered', outcome: 'applied' })
    t.same(seen.available, [{ [everyCounter]: 0 }])
  })
}

t.test('with both stores out of reach there is no answer', async (t) => {
  const { calculate } = aService({ cache: fails('cache', 'timeout'), ledger: fails('ledger', 'unreachable') })
  t.match(await calculate(aCall()), { kind: 'unavailable', cause: 'ledger unreachable' })
})

t.test('a repeat whose stored answer is outlived or dropped is a conflict', async (t) => {
  const { calculate, seen } = aService({ ledger: () => ({ kind: 'outlived' }) })
  t.match(await calculate(aCall()), { kind: 'refused', code: 'idempotency_conflict' })
  t.equal(seen.priced, 0)
})

t.test('another body under an answered key is a conflict', async (t) => {
  const { calculate } = aService({ copy: { ...own, digest: Buffer.alloc(32, 1) } })
  t.match(await calculate(aCall()), { kind: 'refused', code: 'idempotency_conflict' })
})

t.test('a call that the rate limit turns away is neither priced nor kept', async (t) => {
  const { calculate, seen } = aService({})
  t.match(await calculate({ ...aCall(), admitted: Promise.resolve(false) }), {
    kind: 'unavailable',
    cause: 'rate limited',
  })
  t.equal(seen.priced, 0)
})

t.test('a basket is priced while it is read, but not a repeat of one that has been answered', async (t) => {
  let stored: StoredAnswer | null = null
  const { calculate, seen } = aService({ known: true, cache: () => stored })
  const body = Buffer.from('{"context":{"venueId":"venue-1"},"loyaltyId":"LOY-1"}')
  t.match(await calculate({ ...aCall(), body }), { kind: 'refused' })
  t.equal(seen.ahead, 1, 'the first')
  stored = own
  await calculate({ ...aCall(), body })
  t.equal(seen.ahead, 2, 'one whose first call was not answered')
  t.match(await calculate({ ...aCall(), body }), { kind: 'answered', replayed: true })
  t.equal(seen.ahead, 2, 'no more')
})
