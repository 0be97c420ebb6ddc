import type { Priced, PricingFacts } from '../../engine/index.js'
import type { CalculationBody } from '../../store/ledger/calculations.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LowPriority } from '../background/low-priority.js'
import { readInputs } from './calculation-record.js'
import { publishedProgramme } from './simulate-basket.js'

export interface StoredPricingParts {
  readonly adminLedger: Pick<AdminLedger, 'programmes'>
  readonly lowPriority: Pick<LowPriority, 'run'>
}

export interface StoredBasket {
  readonly calculationId: string
  readonly body: CalculationBody
}

/**
 * Prices a stored basket again by the version that priced it, with its stored facts but for those that `change` gives. null: the
 * version is gone.
 */
export async function priceStored(
  { adminLedger, lowPriority }: StoredPricingParts,
  { calculationId, body }: StoredBasket,
  change: (facts: PricingFacts) => PricingFacts,
  signal: AbortSignal,
): Promise<Priced | null> {
  const facts = change(readInputs(body.inputs).facts)
  const programme = await publishedProgramme(adminLedger, facts.programmeVersion)
  if (programme === null) return null
  return await lowPriority.run(signal, async (engine) => {
    const { request } = await engine.unpack(body.packed)
    const read = await engine.readBasket(request, calculationId)
    if (read.kind === 'refused') throw new Error(`a stored request is refused: ${read.refusal.message}`)
    try {
      return await engine.priceBasket(read.ticket, programme, facts)
    } finally {
      engine.forget(read.ticket)
    }
  })
}
