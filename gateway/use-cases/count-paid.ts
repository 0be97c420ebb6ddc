import { EngineFault, type SaleEvent } from '../../engine/index.js'
import type { Recounted } from '../../store/ledger/sales.js'
import type { Ledger } from '../../store/ledger.js'
import type { LowPriority } from '../background/low-priority.js'
import type { Log } from '../telemetry/log.js'
import { publishedProgramme } from './simulate-basket.js'
import { readInputs } from './stored-inputs.js'

interface CountingParts {
  readonly ledger: Pick<Ledger, 'programmes' | 'calculations'>
  readonly lowPriority: Pick<LowPriority, 'run'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * Counts what a sale earns that was paid less than the net of its basket (page 4, section 9): the stored basket is priced
 * again, with the paid total spread over its lines. `unknown` where the basket is no longer kept, or, with a warning, where it
 * cannot be priced any more: the sale is recorded all the same. Rejects with EngineFault where the engine has no time for it:
 * the POS sends the sale again.
 *
 * @param signal  aborts when the sale has no time left
 */
export async function countPaid(
  { ledger, lowPriority, log }: CountingParts,
  { calculationId, paidTotal }: SaleEvent,
  signal: AbortSignal,
): Promise<Recounted> {
  const found = await ledger.calculations.find(calculationId)
  if (found === null || found.body === null || paidTotal === null) return 'unknown'
  const { packed, inputs } = found.body
  const { facts } = readInputs(inputs)
  const programme = await publishedProgramme(ledger, facts.programmeVersion)
  if (programme === null) return 'unknown'
  try {
    return await lowPriority.run(signal, async (engine) => {
      const { request } = await engine.unpack(packed)
      const read = await engine.readBasket(request, calculationId)
      if (read.kind === 'refused') throw new Error(`a stored request is refused: ${read.refusal.message}`)
      try {
        const { earning } = await engine.priceBasket(read.ticket, programme, { ...facts, paidTotal })
        return { earning }
      } finally {
        engine.forget(read.ticket)
      }
    })
  } catch (error) {
    if (signal.aborted) throw new EngineFault('too_late', { cause: error })
    if (error instanceof EngineFault) throw error
    log.warn({ err: error, calculationId }, 'a sale earns in proportion: its basket cannot be priced again')
    return 'unknown'
  }
}
