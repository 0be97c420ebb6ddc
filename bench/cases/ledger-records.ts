import { randomBytes } from 'node:crypto'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { aRecord } from '../../test/support/ledger-builders.js'
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
  return ledger.calculations.confirm(aStored(ledger, more), withinMs)
}

/** A calculation as large as services store it: of one venue and member, without holds. */
export function aStored(ledger: Pick<Ledger, 'clock'>, more: Partial<CalculationRecord> = {}): CalculationRecord {
  const [packed, explanation] = [randomBytes(packedBytes), randomBytes(explanationBytes)]
  const inputs = '{"programmeVersion":1,"member":{"memberId":"member-1"},"venue":{"venueId":"venue-1"},"available":{}}'
  return aRecord(ledger, { currency: 'NOK', packed, explanation, inputs, ...more })
}
