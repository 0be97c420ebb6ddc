import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault } from '../../engine/index.js'
import { StoreFault } from '../../store/fault.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { Log } from '../telemetry/log.js'
import { chargedLadder, type LadderParts } from './charged-ladder.js'

interface SweepParts extends Pick<LadderParts, 'lowPriority'> {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'returns'>
  readonly log: Pick<Log, 'warn'>
}

/** Sales of one slice: the lease of a slice is far longer than they take. */
const sliceMax = 20

/**
 * Stores the ladders of sales without a return, slice by slice, before the bodies of their calculations are dropped. Of several
 * gateways one works at a time. A sale whose ladder cannot be computed is passed over with a warning.
 *
 * @param signal  ends it after the sale in hand
 */
export async function sweepLadders({ adminLedger, lowPriority, log }: SweepParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const beganMs = performance.now()
    const { calculationIds, last } = await adminLedger.returns.sweep(sliceMax)
    if (last === null) return
    for (const calculationId of calculationIds) {
      try {
        await chargedLadder({ ledger: adminLedger, lowPriority }, calculationId, signal)
      } catch (error) {
        if (signal.aborted || error instanceof EngineFault) return
        if (error instanceof StoreFault) throw error
        log.warn({ err: error, calculationId }, 'a sale cannot be returned: it has no ladder')
      }
    }
    await adminLedger.returns.passed(last)
    // Half of the time at most: this thread is also the one of simulations and replays.
    await sleep(performance.now() - beganMs, undefined, { signal }).catch(() => {})
  }
}
