import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault } from '../../engine/index.js'
import { givenFromText } from '../../engine/wire/write-stored.js'
import { StoreFault } from '../../store/fault.js'
import type { WithheldBasket } from '../../store/ledger/experiments.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LowPriority } from '../background/low-priority.js'
import type { Log } from '../telemetry/log.js'
import { readInputs } from './calculation-record.js'
import { priceStored } from './price-stored.js'

interface WithheldParts {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'calculations' | 'experiments'>
  readonly lowPriority: Pick<LowPriority, 'run'>
  readonly log: Pick<Log, 'warn'>
}

/** Baskets of one slice: far fewer than are priced while they are leased. */
const sliceMax = 20

/**
 * Prices what sold baskets would have got with the benefits that an experiment withheld, by the programme and facts of their moment,
 * whatever their limits: these were not looked up. No caller waits for it.
 *
 * @param signal  ends it after the basket in hand
 */
export async function priceWithheldBaskets(parts: WithheldParts, signal: AbortSignal): Promise<void> {
  const { adminLedger, log } = parts
  while (!signal.aborted) {
    const beganMs = performance.now()
    const baskets = await adminLedger.experiments.leaseWithheld(sliceMax)
    if (baskets.length === 0) return
    for (const basket of baskets) {
      try {
        await adminLedger.experiments.priceWithheld(basket, await withheldFrom(parts, basket, signal))
      } catch (error) {
        if (signal.aborted) return
        // Leased again later; others do not wait for it.
        if (error instanceof EngineFault) continue
        if (error instanceof StoreFault) throw error
        log.warn({ err: error, ...basket }, 'withheld benefits cannot be priced')
        await adminLedger.experiments.priceWithheld(basket, null)
      }
    }
    // Half of the time at most: this thread is also the one of simulations and replays.
    await sleep(performance.now() - beganMs, undefined, { signal }).catch(() => {})
  }
}

/** Minor units besides what it got; null: its body or its programme is gone. */
async function withheldFrom(
  { adminLedger, lowPriority }: Omit<WithheldParts, 'log'>,
  { calculationId, experimentId }: WithheldBasket,
  signal: AbortSignal,
): Promise<number | null> {
  const found = await adminLedger.calculations.find(calculationId)
  if (found === null || found.body === null) return null
  const { [experimentId]: _, ...others } = readInputs(found.body.inputs).facts.arms ?? {}
  const basket = { calculationId, body: found.body }
  const parts = { ledger: adminLedger, lowPriority }
  // Both by this build, so that its own choices do not count.
  const got = await priceStored(parts, basket, (then) => then, signal)
  const would = await priceStored(parts, basket, (then) => ({ ...then, arms: others }), signal)
  return got && would && total(would.gave) - total(got.gave)
}

function total(gave: string | null): number {
  return givenFromText(gave).reduce((sum, { discount }) => sum + discount, 0)
}
