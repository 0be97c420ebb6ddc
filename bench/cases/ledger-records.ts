import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Ledger } from '../../test/support/open-ledger.js'
import { createPostgresLedger } from '../../test/support/open-ledger.js'
import type { Bench } from '../run/bench.js'

const packedBytes = 2_000
const explanationBytes = 400
const withinMs = 5_000
export const plenty = 1_000_000_000

/** A ledger in a database of its own. */
export async function openLedger(bench: Bench): Promise<{ readonly ledger: Ledger; readonly url: string }> {
  const url = await (await bench.postgres()).createDatabase()
  const times = { expiryS: 1_800, idempotencyS: 86_400, readMs: withinMs, saleMs: withinMs }
  return { ledger: await createPostgresLedger({ url, ...times }), url }
}

export function confirm(ledger: Ledger, more: Partial<CalculationRecord>): Promise<unknown> {
  return ledger.calculations.confirm({ ...aRecord(ledger.clock()), ...more }, withinMs)
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

/** A calculation as services store it: of one venue and member, without holds. */
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
    entered: null,
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
