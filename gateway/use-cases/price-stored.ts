import type { Priced, PricingFacts } from '../../engine/index.js'
import type { ProgrammeLookUps } from '../../store/ledger/programmes.js'
import type { StoredBody } from '../../store/ledger/returns.js'
import type { LowPriority } from '../background/low-priority.js'
import { readInputs } from './calculation-record.js'
import { publishedProgramme } from './simulate-basket.js'

export interface StoredPricingParts {
  readonly ledger: { readonly programmes: Pick<ProgrammeLookUps, 'lookUp'> }
  readonly lowPriority: Pick<LowPriority, 'run'>
}

export interface StoredBasket {
  readonly calculationId: string
  readonly body: StoredBody
}

/**
 * Prices a stored basket again by the version that priced it, with its stored facts but for those that `change` gives. null: the
 * version is gone.
 */
export async function priceStored(
  { ledger, lowPriority }: StoredPricingParts,
  { calculationId, body }: StoredBasket,
  change: (facts: PricingFacts) => PricingFacts,
  signal: AbortSignal,
): Promise<Priced | null> {
  const facts = change(readInputs(body.inputs).facts)
  const programme = await publishedProgramme(ledger, facts.programmeVersion)
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
