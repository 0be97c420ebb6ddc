import type { Batch } from '../../../engine/thread/messages.js'
import answerBatch from '../../../engine/thread/worker.js'
import { dieKey, loopKey, standKey, standMs, standStill } from './fault-keys.js'

/** The worker, except for batches with a key at which it fails. */
function answerFaultily(batch: Batch): unknown {
  for (const call of batch.calls) {
    if (!('idempotencyKey' in call)) continue
    if (call.idempotencyKey === dieKey) process.exit(1)
    if (call.idempotencyKey === standKey) standStill(standMs + 500)
    while (call.idempotencyKey === loopKey) Math.sqrt(2)
  }
  return answerBatch(batch)
}

// biome-ignore lint/style/noDefaultExport: Piscina runs a file's default export.
export { answerFaultily as default }
