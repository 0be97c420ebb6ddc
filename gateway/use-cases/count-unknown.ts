import type { PricingEngine, SaleEvent } from '../../engine/index.js'
import type { Recounted } from '../../store/ledger/sales.js'
import type { LookupCache } from '../cache/lookup-cache.js'

interface CountingParts {
  readonly engine: Pick<PricingEngine, 'countSale'>
  readonly facts: Pick<LookupCache, 'findMember' | 'findVenue' | 'venueFacts'>
}

/**
 * Counts the earning of a sale that failed for an unknown calculation (page 4, sections 4 and 9), by the programme in force.
 * `unknown`: member or venue is unknown.
 */
export async function countUnknown({ engine, facts }: CountingParts, event: SaleEvent): Promise<Recounted> {
  const { loyaltyId, venueId, occurredAt, channel, paidTotal } = event
  const [{ member, programmeVersion }, venue] = await Promise.all([
    facts.findMember(loyaltyId),
    facts.findVenue(venueId),
  ])
  if (member === null || venue === null || paidTotal === null) return 'unknown'
  const pricing = { programmeVersion, member, venue: facts.venueFacts(venue), available: {} }
  const counted = await engine.countSale({ occurredAt, channel, paidTotal }, pricing)
  return { memberId: member.memberId, ...counted }
}
