import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { type CounterName, counterKey, type Want } from '../../../engine/core/base/outcome.js'
import type { Cache } from '../../../store/cache.js'
import type { CalculationRecord, StoredAnswer } from '../../../store/ledger/calculations.js'
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
