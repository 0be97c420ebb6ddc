import t from 'tap'
import { EngineFault } from '../../../engine/index.js'
import { countPaid } from '../../../gateway/use-cases/count-paid.js'
import type { PosLedger } from '../../../store/ledger.js'
import { aRecord, aSale } from '../../support/ledger-builders.js'
import type { Ledger } from '../../support/open-ledger.js'

const record = aRecord({ clock: () => 0 } as Ledger)
const posLedger = {
  returns: { findBody: async () => ({ packed: record.packed, inputs: '{"programmeVersion":1}' }) },
  programmes: { lookUp: async () => ({ benefits: '[]' }) },
} as unknown as PosLedger

/** Counts where the engine fails with this error. */
async function counted(error: Error, signal = new AbortController().signal) {
  const warnings: unknown[] = []
  const log = { warn: (fields: unknown) => void warnings.push(fields) }
  const lowPriority = { run: () => Promise.reject(error) }
  const reply = await countPaid({ posLedger, lowPriority, log }, aSale(record, { paidTotal: 1 }), signal)
  return { reply, warnings }
}

t.test('a basket that cannot be priced again counts as unknown, with a warning', async (t) => {
  const error = new Error('a stored request is refused')
  const { calculationId } = record
  t.same(await counted(error), { reply: 'unknown', warnings: [{ err: error, calculationId }] })
})

t.test('an engine without time is a fault: the POS sends the sale again', async (t) => {
  await t.rejects(counted(new EngineFault('queue_full')), { message: 'pricing engine: queue_full' })
  await t.rejects(counted(new Error('stopped'), AbortSignal.abort()), { message: 'pricing engine: too_late' })
})
