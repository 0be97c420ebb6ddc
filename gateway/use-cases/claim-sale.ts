import type { PricingFacts } from '../../engine/index.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { ClaimCount, InspectedSale } from '../../store/ledger/sales.js'
import type { AdminLedger } from '../../store/ledger.js'
import { type LadderParts, storedLadder } from './charged-ladder.js'
import { priceStored } from './price-stored.js'
import { standingMember } from './standing-member.js'

interface Parts extends Pick<LadderParts, 'lowPriority'> {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'calculations' | 'members'>
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
  stored: StoredMember,
  signal: AbortSignal,
): Promise<ClaimCount | 'unknown' | null> {
  const found = await parts.adminLedger.calculations.find(calculationId)
  if (found === null || found.body === null) return 'unknown'
  const basket = { calculationId, body: found.body }
  const member = await standingMember(parts.adminLedger, stored)
  const claimed = (facts: PricingFacts): PricingFacts => ({
    ...facts,
    member: facts.member ?? member,
    ...(paidTotal === null ? {} : { paidTotal }),
  })
  const priced = await priceStored(parts, basket, claimed, signal)
  if (priced === null) return null
  const ladder = await storedLadder(parts, basket, { change: claimed, asReturned: false, spending: null }, signal)
  return 'kind' in ladder ? null : { earning: priced.earning, ladder }
}
