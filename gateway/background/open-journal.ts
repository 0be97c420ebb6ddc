import { randomUUID } from 'node:crypto'
import type { Cache } from '../../store/cache.js'
import { StoreFault } from '../../store/fault.js'
import type { PosLedger } from '../../store/ledger.js'
import { isNotPermitted } from '../../store/redis/faults.js'
import type { Log } from '../telemetry/log.js'
import type { Metrics } from '../telemetry/metrics.js'
import { createFlushBarrier } from './flush-barrier.js'
import { createJournal, type Journal } from './journal.js'
import { createVouching, nothingToVouchFor, type Vouching } from './vouching.js'

/** Time for the marks at the start, and when Redis is back, while no call waits for them, in milliseconds. */
const aheadMs = 10_000

const notPermitted =
  'Redis is of no use: its user may not run a command that scripts need (INFO is one); every answer waits for Postgres'

interface Parts {
  readonly cache: Cache | null
  readonly posLedger: PosLedger
  readonly metrics: Pick<Metrics, 'cacheFault'>
  readonly log: Log
}

interface OpenJournal {
  readonly journal: Journal
  readonly vouching: Vouching
  /** Before the first call: lists this gateway among the others. Rejects with StoreFault of the ledger. */
  start(): Promise<void>
  circuitChanged(open: boolean): void
  /** After the journal is closed. */
  stop(flushed: boolean): Promise<void>
}

/** Brings answers from Redis to the ledger; without Redis only a journal, which stays empty. */
export function openJournal({ cache, posLedger, metrics, log }: Parts): OpenJournal {
  const onBug = (error: unknown) => log.error({ err: error }, 'journal')
  const onContradiction = (calculationIds: readonly string[]) => {
    metrics.cacheFault('contradiction', calculationIds.length)
    log.error({ calculationIds }, 'Redis had other answers than the ledger; it is corrected')
  }
  const journal = createJournal({ cache, posLedger, onBug, onContradiction })
  if (cache === null) {
    return {
      journal,
      vouching: nothingToVouchFor,
      start: async () => {},
      circuitChanged: () => {},
      stop: async () => {},
    }
  }
  const gatewayId = randomUUID()
  const barrier = createFlushBarrier({ gatewayId, posLedger, journal, onBug })
  const vouching = createVouching({
    gatewayId,
    cache,
    barrier,
    onLoss(buckets) {
      metrics.cacheFault('memory_lost', buckets)
      log.warn({ buckets }, 'Redis is new, was restarted or has lost its memory')
    },
  })
  /** Done before the first baskets. */
  function recoverAhead(): void {
    vouching.recover(aheadMs).catch((error: unknown) => {
      if (!(error instanceof StoreFault)) return onBug(error)
      if (isNotPermitted(error.cause)) log.error({ err: error }, notPermitted)
      else log.warn({ err: error }, 'Redis does not vouch for its memory yet')
    })
  }
  return {
    journal,
    vouching,
    async start() {
      await barrier.start()
      recoverAhead()
    },
    circuitChanged(open) {
      barrier.circuitChanged(open)
      if (!open) recoverAhead()
    },
    stop: barrier.stop,
  }
}
