import { EngineFault, type PricingEngine, type SaleEvent } from '../../engine/index.js'
import type { Recounted } from '../../store/ledger/sales.js'
import type { PosLedger } from '../../store/ledger.js'
import type { LowPriority } from '../background/low-priority.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import type { Log } from '../telemetry/log.js'
import { priceStored } from './price-stored.js'

interface CountingParts {
  readonly posLedger: Pick<PosLedger, 'programmes' | 'returns'>
  readonly lowPriority: Pick<LowPriority, 'run'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * Counts the earning of a sale that was paid less than the net of its basket (page 4, section 9): the stored basket is priced
 * again, with the paid total spread over its lines. `unknown` where the basket is no longer kept, or, with a warning, where it
 * cannot be priced any more: the sale is recorded all the same. Rejects with EngineFault where the engine has no time for it:
 * the POS sends the sale again.
 *
 * @param signal  aborts when the sale has no time left
 */
export async function countPaid(
  { posLedger, lowPriority, log }: CountingParts,
  { calculationId, paidTotal }: SaleEvent,
  signal: AbortSignal,
): Promise<Recounted> {
  const body = await posLedger.returns.findBody(calculationId)
  if (body === null || paidTotal === null) return 'unknown'
  try {
    const priced = await priceStored(
      { ledger: posLedger, lowPriority },
      { calculationId, body },
      (facts) => ({ ...facts, paidTotal }),
      signal,
    )
    return priced === null ? 'unknown' : { earning: priced.earning }
  } catch (error) {
    if (signal.aborted) throw new EngineFault('too_late', { cause: error })
    if (error instanceof EngineFault) throw error
    log.warn({ err: error, calculationId }, 'a sale earns in proportion: its basket cannot be priced again')
    return 'unknown'
  }
}

interface UnknownParts {
  readonly engine: Pick<PricingEngine, 'countSale'>
  readonly facts: Pick<LookupCache, 'findMember' | 'findVenue' | 'venueFacts'>
}

/**
 * Counts the earning of a sale that failed for an unknown calculation (page 4, sections 4 and 9), by the programme in force.
 * `unknown`: member or venue is unknown.
 */
export async function countUnknown({ engine, facts }: UnknownParts, event: SaleEvent): Promise<Recounted> {
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
