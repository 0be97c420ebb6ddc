import type { PricingFacts } from '../../engine/index.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { InspectedSale, Recounted } from '../../store/ledger/sales.js'
import type { Ledger } from '../../store/ledger.js'
import { memberFacts } from '../cache/facts.js'
import { priceStored, type StoredPricingParts } from './price-stored.js'

interface Parts extends StoredPricingParts {
  readonly ledger: Pick<Ledger, 'programmes' | 'calculations'>
}

/**
 * Counts what a sale earns that is claimed for a member (page 4, sections 6 and 9): the stored basket, as it was charged, by the version
 * of its calculation. Who bought is the member that was found then, otherwise this one as it is now.
 *
 * @returns `unknown`: the basket is not kept, or never came; null: its version is gone
 */
export async function countClaim(
  parts: Parts,
  { calculationId, paidTotal }: Pick<InspectedSale, 'calculationId' | 'paidTotal'>,
  member: StoredMember,
  signal: AbortSignal,
): Promise<Recounted | null> {
  const found = await parts.ledger.calculations.find(calculationId)
  if (found === null || found.body === null) return 'unknown'
  const claimed = (facts: PricingFacts): PricingFacts => ({
    ...facts,
    member: facts.member ?? memberFacts(member),
    ...(paidTotal === null ? {} : { paidTotal }),
  })
  const priced = await priceStored(parts, { calculationId, body: found.body }, claimed, signal)
  return priced === null ? null : { earning: priced.earning }
}
