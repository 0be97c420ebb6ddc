import { writeSync } from 'node:fs'
import { aRecord, aWant, plenty } from '../support/ledger-builders.js'
import { createEmbeddedLedger } from '../support/open-ledger.js'

/** A process to be killed: confirms calculations one after another and prints each GUID once it is confirmed. */
const ledger = await createEmbeddedLedger({ folder: process.argv[2]!, expiryS: 1_800, idempotencyS: 86_400 })
const want = aWant({ maximum: Number.MAX_SAFE_INTEGER })

for (;;) {
  const record = aRecord(ledger, { holds: [want] })
  await ledger.calculations.confirm(record, plenty)
  writeSync(1, `${record.calculationId}\n`)
}
