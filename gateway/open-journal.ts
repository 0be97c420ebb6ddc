import type { Front, Ledger } from '../store/index.js'
import { StoreFault } from '../store/index.js'
import { createFlushBarrier, type FlushBarrier } from './flush-barrier.js'
import { createJournal, type Journal } from './journal.js'
import type { Log } from './log.js'
import type { Metrics } from './metrics.js'
import { createVouching, nothingToVouchFor, type Vouching } from './vouching.js'

/** At the start nobody waits for the first marks, in milliseconds. */
const firstRecoveryMs = 10_000

interface Parts {
  readonly front: Front | null
  readonly ledger: Ledger
  readonly metrics: Pick<Metrics, 'frontFault'>
  readonly log: Log
}

/** Whatever brings answers from Redis to the ledger; without Redis the journal alone, which is empty then. Rejects with StoreFault of the ledger. */
export async function openJournal({ front, ledger, metrics, log }: Parts): Promise<{
  readonly journal: Journal
  readonly barrier: FlushBarrier | null
  readonly vouching: Vouching
}> {
  const onBug = (error: unknown) => log.error({ err: error }, 'journal')
  const onContradiction = (calculationIds: readonly string[]) => {
    metrics.frontFault('contradiction', calculationIds.length)
    log.error({ calculationIds }, 'Redis had other answers than the ledger; it is corrected')
  }
  const journal = createJournal({ front, ledger, onBug, onContradiction })
  if (front === null) return { journal, barrier: null, vouching: nothingToVouchFor }
  const barrier = createFlushBarrier({ ledger, journal, onBug })
  await barrier.start()
  const vouching = createVouching({
    front,
    barrier,
    onLoss(buckets) {
      metrics.frontFault('memory_lost', buckets)
      log.warn({ buckets }, 'Redis is new, was restarted or has lost its memory')
    },
  })
  // So that the first baskets find it done.
  vouching.recover(firstRecoveryMs).catch((error: unknown) => {
    if (!(error instanceof StoreFault)) onBug(error)
  })
  return { journal, barrier, vouching }
}
