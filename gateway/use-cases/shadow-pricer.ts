import type { VenueProduct } from '../../engine/core/base/basket.js'
import type { Priced } from '../../engine/index.js'
import { benefitsFromJson } from '../../engine/programme/benefits-from-json.js'
import type { CalculationBody, CalculationSummary } from '../../store/ledger/calculations.js'
import type { LowPriority, LowPriorityProgramme } from '../background/low-priority.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import { readInputs } from './calculation-record.js'

export interface ShadowPricerParts {
  readonly facts: Pick<LookupCache, 'findVenue'>
  readonly lowPriority: LowPriority
}

/** Prices a past calculation with another programme. Rejects with the signal's reason, and as `LowPriority` does. */
export type ShadowPricer = (
  summary: Pick<CalculationSummary, 'calculationId' | 'venueId'>,
  body: CalculationBody,
  signal: AbortSignal,
) => Promise<Priced>

/** Prices with the stored facts. A product that only the draft adds has no stored price: it gets the venue's present list price. */
export async function createShadowPricer(
  { facts, lowPriority }: ShadowPricerParts,
  draft: LowPriorityProgramme,
): Promise<ShadowPricer> {
  const added = new Set(
    benefitsFromJson(await draft.benefits()).flatMap(({ reward }) =>
      reward.kind === 'free_product' ? [reward.productId] : [],
    ),
  )
  const addedAt = new Map<string, readonly VenueProduct[]>()

  async function productsNow(venueId: string): Promise<readonly VenueProduct[]> {
    if (added.size === 0) return []
    const known = addedAt.get(venueId)
    if (known !== undefined) return known
    const venue = await facts.findVenue(venueId)
    const products = (venue?.products ?? []).filter(({ productId }) => added.has(productId))
    addedAt.set(venueId, products)
    return products
  }

  return async ({ calculationId, venueId }, { packed, inputs }, signal) => {
    const then = readInputs(inputs).facts
    const now = (await productsNow(venueId)).filter(({ productId }) => !hasProduct(then.venue.products, productId))
    const pricing = { ...then, venue: { ...then.venue, products: [...then.venue.products, ...now] } }
    return await lowPriority.run(signal, async (engine) => {
      const { request } = await engine.unpack(packed)
      const read = await engine.readBasket(request, calculationId)
      if (read.kind === 'refused') throw new Error(`a stored request is refused: ${read.refusal.message}`)
      try {
        return await engine.priceBasket(read.ticket, draft, pricing)
      } finally {
        engine.forget(read.ticket)
      }
    })
  }
}

function hasProduct(products: readonly VenueProduct[], productId: string): boolean {
  return products.some((each) => each.productId === productId)
}
