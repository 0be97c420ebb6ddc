import { type BasketFacts, engineVersion, type Priced, type PricingFacts } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'

interface PricedBasket {
  readonly facts: BasketFacts
  readonly pricing: PricingFacts
  readonly priced: Priced
  /** Ledger clock, milliseconds since the epoch. */
  readonly answeredAt: number
}

/** Everything that is stored of a calculation (wire decisions 5). */
export function calculationRecord({ facts, pricing, priced, answeredAt }: PricedBasket): CalculationRecord {
  const { calculationId, supersedesCalculationId, venueId, baxId, cashRegisterId, channel, loyaltyId } = facts
  const { currency, requestedAt, netBefore, digest } = facts
  const {
    status,
    reason,
    netAfter,
    loyaltyDiscountTotal,
    optimal,
    gap,
    packed,
    explanation,
    wants,
    carried,
    spending,
    earning,
    gave,
    entered,
  } = priced
  return {
    calculationId,
    supersedesCalculationId,
    status,
    reason,
    venueId,
    baxId,
    cashRegisterId,
    channel,
    loyaltyId,
    memberId: pricing.member?.memberId ?? null,
    currency,
    requestedAt,
    programmeVersion: pricing.programmeVersion,
    netBefore,
    netAfter,
    loyaltyDiscountTotal,
    optimal,
    gap,
    digest,
    packed,
    inputs: writeInputs(pricing),
    explanation,
    earning,
    gave,
    entered,
    carried,
    spending,
    holds: wants,
    answeredAt,
  }
}

export interface StoredInputs {
  readonly facts: PricingFacts
  readonly engineVersion: number
}

/** The facts of a calculation with the version of the engine, as JSON to be stored. */
function writeInputs(facts: PricingFacts): string {
  return JSON.stringify({ ...facts, engineVersion })
}

export function readInputs(inputs: string): StoredInputs {
  const { engineVersion: stored, ...facts } = JSON.parse(inputs) as PricingFacts & { engineVersion: number }
  return { facts, engineVersion: stored }
}
