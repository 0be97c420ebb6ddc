import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '../../store/cache.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Ledger } from '../../store/ledger.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { createRedisCache } from '../../store/redis/create-redis-cache.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { BenchCase } from './bench-case.js'
import { runClosedLoop } from './closed-loop.js'
import { partResult } from './part-result.js'

const packedBytes = 2_000
const explanationBytes = 400
const inFlight = 32
const batch = 64
const plenty = 1_000_000_000
const withinMs = 5_000

const batchVerb = 'keep-64'

type CacheVerb = readonly [
  name: string,
  note: string,
  call: (cache: Cache) => (() => Promise<unknown>) | Promise<() => Promise<unknown>>,
]

const cacheVerbs: readonly CacheVerb[] = [
  [
    'token',
    'one token of the rate limit',
    (cache) => () => cache.takeToken({ endpoint: 'basket', rate: plenty, burst: plenty, ahead: 0 }),
  ],
  ['find-answer', 'an answer that is not there', (cache) => () => cache.findAnswer(randomUUID())],
  ['keep', 'key claimed, answer stored and journalled in one script', keepVouched],
  ['reserve', 'one unit of one hot counter, given back', reserveAndGiveBack],
]

type LedgerVerb = readonly [
  name: string,
  note: string,
  call: (ledger: Ledger) => (() => Promise<unknown>) | Promise<() => Promise<unknown>>,
]

const ledgerVerbs: readonly LedgerVerb[] = [
  ['find-answer', 'an answer that is not there', (ledger) => () => ledger.calculations.findAnswer(randomUUID())],
  ['confirm', 'a calculation with one unit of a limit of its member', (ledger) => () => confirm(ledger, randomUUID())],
  ['confirm-hot', 'a calculation with one unit of one limit shared by all', (ledger) => () => confirm(ledger, 'hot')],
  ['sale', 'the sale event of an open calculation', saleOfCalculation],
  [batchVerb, `${batch} journalled calculations in one statement`, keepBatch],
]

export const storeCases: readonly BenchCase[] = [
  ...cacheVerbs.map((verb) => ({ name: `redis/${verb[0]}`, run: (bench: Bench) => redisCase(bench, verb) })),
  ...ledgerVerbs.map((verb) => ({ name: `postgres/${verb[0]}`, run: (bench: Bench) => postgresCase(bench, verb) })),
]

async function* redisCase(bench: Bench, [name, note, call]: CacheVerb): AsyncGenerator<Result> {
  const cache = createRedisCache({ url: (await bench.redis()).url, prefix: `bench-${randomUUID()}` })
  try {
    await answering(cache)
    const loop = { seconds: bench.settings.seconds / 4, inFlight }
    yield partResult(`redis/${name}`, await runClosedLoop(loop, await call(cache)), { loop, note })
  } finally {
    await cache.close()
  }
}

async function* postgresCase(bench: Bench, [name, note, call]: LedgerVerb): AsyncGenerator<Result> {
  const url = await (await bench.postgres()).createDatabase()
  const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: withinMs, saleMs: withinMs }
  const ledger = await createPostgresLedger({ url, ...options })
  try {
    // The service sends its large batches one after the other.
    const loop = { seconds: bench.settings.seconds / 4, inFlight: name === batchVerb ? 2 : inFlight }
    const report = await runClosedLoop(loop, await call(ledger))
    yield partResult(`postgres/${name}`, report, { loop, note: `${note}; fsync on` })
  } finally {
    await ledger.close()
  }
}

async function keepVouched(cache: Cache): Promise<() => Promise<unknown>> {
  const vouched = await cache.vouch(await cache.survey(randomUUID()))
  const marks = vouched.toSorted((left, right) => left.bucket - right.bucket).map(({ mark }) => mark)
  return () => cache.keep(aRecord(), marks)
}

function reserveAndGiveBack(cache: Cache): () => Promise<unknown> {
  const name = { limitId: 'hot', subject: '', period: '' }
  const want = { ...name, units: 1, maximum: plenty }
  const loaded = cache.loadCounters([{ ...name, used: 0, open: 0 }])
  return async () => {
    await loaded
    const calculationId = randomUUID()
    await cache.reserve(calculationId, null, [want])
    await cache.giveBack(calculationId, [name])
  }
}

function confirm(ledger: Ledger, subject: string): Promise<unknown> {
  const holds = [{ limitId: 'limit', subject, period: '2026-11-21', units: 1, maximum: plenty }]
  return ledger.calculations.confirm({ ...aRecord(ledger.clock()), holds }, withinMs)
}

/** Stores enough calculations before the case starts; events beyond them have no stored calculation. */
async function saleOfCalculation(ledger: Ledger): Promise<() => Promise<unknown>> {
  const records = Array.from({ length: 6_000 }, () => aRecord(ledger.clock()))
  await ledger.calculations.store(records)
  let next = 0
  const body = randomBytes(600)
  return () => {
    const record = records[next++] ?? aRecord(ledger.clock())
    return ledger.sales.record(eventOf(record), body)
  }
}

function keepBatch(ledger: Ledger): () => Promise<unknown> {
  return () => ledger.calculations.store(Array.from({ length: batch }, () => aRecord(ledger.clock())))
}

/** The sale of a calculation, paid as it was answered. */
export function eventOf(record: CalculationRecord): Parameters<Ledger['sales']['record']>[0] {
  const { calculationId, loyaltyId, currency, venueId, baxId, cashRegisterId, channel, digest } = record
  return {
    calculationId,
    loyaltyId,
    currency,
    venueId,
    baxId,
    cashRegisterId,
    channel,
    digest,
    status: 'applied',
    failureReason: null,
    transactionId: `transaction-${calculationId}`,
    receiptNumber: 1,
    paidTotal: record.netAfter,
    loyaltyDiscountTotal: record.loyaltyDiscountTotal,
    occurredAt: record.requestedAt,
    terminalId: null,
    clerkNumber: null,
  }
}

/** A calculation as services store it: of one venue and member, nothing held. */
export function aRecord(answeredAt = Date.now()): CalculationRecord {
  const packed = randomBytes(packedBytes)
  return {
    calculationId: randomUUID(),
    supersedesCalculationId: null,
    status: 'applied',
    reason: null,
    venueId: 'venue-1',
    baxId: '7100001',
    cashRegisterId: 'register-1',
    channel: 'pos',
    loyaltyId: 'LOY-0000001',
    memberId: 'member-1',
    currency: 'NOK',
    requestedAt: '2026-11-21T11:00:00.000Z',
    programmeVersion: 1,
    netBefore: 1_000,
    netAfter: 900,
    loyaltyDiscountTotal: 100,
    optimal: true,
    gap: 0,
    earning: null,
    gave: null,
    carried: 0,
    spending: null,
    digest: createHash('sha256').update(packed).digest(),
    packed,
    inputs: '{"programmeVersion":1,"member":{"memberId":"member-1"},"venue":{"venueId":"venue-1"},"available":{}}',
    explanation: randomBytes(explanationBytes),
    holds: [],
    answeredAt,
  }
}

const connectTries = 100

async function answering(cache: Cache): Promise<void> {
  for (let tries = 0; tries < connectTries; tries += 1) {
    const answers = await cache.ping().then(
      () => true,
      () => false,
    )
    if (answers) return
    await sleep(50)
  }
  throw new Error('Redis does not answer')
}
