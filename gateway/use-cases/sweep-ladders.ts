import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault } from '../../engine/index.js'
import { StoreFault } from '../../store/fault.js'
import type { Log } from '../telemetry/log.js'
import { chargedLadder, type LadderParts } from './charged-ladder.js'

/** Sales of one slice: the lease of a slice is far longer than they take. */
const sliceMax = 20

/**
 * Stores the ladders of sales without a return, slice by slice, before the bodies of their calculations are dropped. Of several
 * gateways one works at a time. A sale whose ladder cannot be computed is passed over with a warning.
 *
 * @param signal  ends it after the sale in hand
 */
export async function sweepLadders(
  parts: LadderParts & { readonly log: Pick<Log, 'warn'> },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const beganMs = performance.now()
    const { calculationIds, last } = await parts.adminLedger.returns.sweep(sliceMax)
    if (last === null) return
    for (const calculationId of calculationIds) {
      try {
        await chargedLadder(parts, calculationId, signal)
      } catch (error) {
        if (signal.aborted || error instanceof EngineFault) return
        if (error instanceof StoreFault) throw error
        parts.log.warn({ err: error, calculationId }, 'a sale cannot be returned: it has no ladder')
      }
    }
    await parts.adminLedger.returns.passed(last)
    // Half of the time at most: this thread is also the one of simulations and replays.
    await sleep(performance.now() - beganMs, undefined, { signal }).catch(() => {})
  }
}
