import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { type CounterName, counterKey, type Want } from '../../../engine/core/base/outcome.js'
import type { Cache, HotLookup, KeepReply, Marks, Unvouched } from '../../../store/cache.js'
import type { CalculationRecord, StoredAnswer } from '../../../store/ledger/calculations.js'
import type { CacheLifetimes } from '../../../store/redis/access.js'
import { type RedisServer, startRedis } from '../../support/servers/start-redis.js'
import { until } from '../../support/until.js'

export { until }

export function aRecord(fields: Partial<CalculationRecord> = {}): CalculationRecord {
  const packed = fields.packed ?? randomBytes(2_000)
  return {
    calculationId: randomUUID(),
    supersedesCalculationId: null,
    status: 'applied',
    reason: null,
    venueId: 'venue-1',
    baxId: '4711',
    cashRegisterId: 'register-1',
    channel: 'pos',
    loyaltyId: 'LOYAL \ud83d\ude00 1',
    memberId: 'member-1',
    currency: 'EUR',
    requestedAt: '2026-11-21T10:00:00.000+01:00',
    programmeVersion: 7,
    netBefore: Number.MAX_SAFE_INTEGER,
    netAfter: 0,
    loyaltyDiscountTotal: 120,
    optimal: true,
    gap: 0,
    carried: 0,
    spending: null,
    earning: null,
    gave: null,
    entered: null,
    digest: createHash('sha256').update(packed).digest(),
    packed,
    inputs: '{"member":null,"venue":{"name":"Caf\u00e9 \\"Gr\u00fcn\\""}}',
    explanation: randomBytes(200),
    holds: [],
    answeredAt: 1_795_000_000_000,
    ...fields,
  }
}

export function anAnswer(text = 'an answer'): StoredAnswer {
  const packed = Buffer.from(text)
  return { digest: createHash('sha256').update(packed).digest(), packed }
}

export function aCounter(limitId = `limit-${randomUUID()}`): CounterName {
  return { limitId, subject: '', period: '2026-11-21' }
}

export function aWant(counter: CounterName, units: number, maximum: number): Want {
  return { ...counter, units, maximum }
}

/** Bytes as Buffers, so that a Uint8Array and a Buffer compare equal. */
export function plain<T extends object>(value: T): T {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, field instanceof Uint8Array ? Buffer.from(field) : field]),
  ) as T
}

/** Resolves once the cache answers; it refuses calls while it connects. */
export async function untilAnswering(cache: Cache): Promise<void> {
  const answers = () =>
    cache.ping().then(
      () => true,
      () => false,
    )
  if (!(await until(answers, (answer) => answer))) throw new Error('the cache does not answer')
}

export function short(...left: readonly (readonly [CounterName, number])[]) {
  return { kind: 'short', left: Object.fromEntries(left.map(([name, units]) => [counterKey(name), units])) }
}

/** A cache whose memory is vouched for, as in a gateway before its first call. */
export type VouchedCache = Omit<Cache, 'keep' | 'findAnswer' | 'findJournalled'> & {
  /** Vouches again and repeats where Redis does not vouch for its memory any more. */
  keep(record: CalculationRecord): Promise<KeepReply>
  findAnswer(calculationId: string): Promise<StoredAnswer | null>
  findJournalled(calculationId: string): Promise<CalculationRecord | null>
  /** Vouches once more, after a loss. */
  vouchAgain(): Promise<void>
  readonly marks: Marks
  readonly plain: Cache
}

/** A group of promises on caches that begin empty, and that it closes; named by its function. */
export type Suite = (t: Test, open: (lifetimes?: Partial<CacheLifetimes>) => Promise<VouchedCache>) => Promise<void>

export async function vouchedCache(plain: Cache): Promise<VouchedCache> {
  let marks: Marks = []
  async function vouchAgain(): Promise<void> {
    marks = await vouchForAll(plain)
  }
  await vouchAgain()
  return {
    ...plain,
    async keep(record) {
      const reply = await plain.keep(record, marks)
      if (reply.kind !== 'unvouched') return reply
      await vouchAgain()
      return await plain.keep(record, marks)
    },
    findAnswer: async (calculationId) => answerOf(await plain.findAnswer(calculationId)),
    findJournalled: async (calculationId) => vouchedFor(await plain.findJournalled(calculationId)),
    vouchAgain,
    get marks() {
      return marks
    },
    plain,
  }
}

/** Vouches for the current memory without any check; resolves to the marks by bucket. */
export async function vouchForAll(cache: Cache): Promise<Marks> {
  const found = await cache.survey(randomUUID())
  const vouched = await cache.vouch(found.filter((mark) => !mark.vouched))
  const marks: string[] = []
  for (const { bucket, mark } of [...found, ...vouched]) marks[bucket] = mark
  return marks
}

function answerOf(found: HotLookup): StoredAnswer | null {
  if (found.kind === 'unvouched') throw new Error('unvouched')
  return found.kind === 'known' ? found.answer : null
}

function vouchedFor(found: CalculationRecord | Unvouched | null): CalculationRecord | null {
  if (found !== null && 'kind' in found) throw new Error('unvouched')
  return found
}

/** A test's own Redis with a plain connection to it, to inspect the cache's keys and to operate the server. */
export interface OperatedRedis extends RedisServer {
  readonly direct: Redis
}

export async function startOperatedRedis(settings: Readonly<Record<string, string>> = {}): Promise<OperatedRedis> {
  const server = await startRedis({ settings })
  const direct = new Redis(server.port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: null })
  direct.on('error', () => {})
  return {
    ...server,
    direct,
    async stop() {
      await server.stop()
      direct.disconnect()
    },
  }
}
