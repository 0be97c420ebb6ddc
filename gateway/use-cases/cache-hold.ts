import { counterKey, type Want } from '../../engine/core/base/outcome.js'
import type { Cache } from '../../store/cache.js'
import { StoreFault } from '../../store/fault.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { unitsLeft } from '../cache/exhausted-counters.js'
import type { KeepOutcome, KeepParts } from './keep-outcome.js'

/**
 * The hold in Redis turns baskets away before they reach the ledger, where their limits are exhausted. It covers only counters that several
 * members may want at once: a member's own are left to the ledger.
 */

/** Why a basket is not kept with the limited benefits that it wants. */
export type TurnedAway =
  | Extract<KeepOutcome, { readonly kind: 'short' }>
  | Extract<KeepOutcome, { readonly kind: 'limits_unknown' }>
  | Extract<KeepOutcome, { readonly kind: 'busy' }>

/** Takes the hold; null if the ledger must decide. If Redis has too few units, the ledger is asked before the basket is turned away. */
export async function takeHold(parts: KeepParts, record: CalculationRecord): Promise<TurnedAway | null> {
  const { cache, posLedger } = parts
  if (cache === null || sharedWants(record).length === 0) return null
  const short = await reserveInCache(parts, cache, record).catch(nothingShort)
  // Only the ledger has the units that a superseded calculation will give back.
  if (short.length === 0 || record.supersedesCalculationId !== null) return null
  try {
    const left = await unitsLeft(posLedger, short)
    if (short.some((want) => (left[counterKey(want)] ?? 0) < want.units)) return { kind: 'short', left }
    await cache.forgetCounters(short).catch(nothingShort)
    return null
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    return withoutLedger(error)
  }
}

/** Only a ledger that has been out of reach for seconds lets the basket go on without limited benefits (wire decisions 6). */
export function withoutLedger({ lasting }: StoreFault): TurnedAway {
  return lasting ? { kind: 'limits_unknown' } : { kind: 'busy' }
}

/** Resolves to the wants that are short by Redis's counters. */
async function reserveInCache(
  { posLedger, inBackground }: KeepParts,
  cache: Cache,
  record: CalculationRecord,
): Promise<readonly Want[]> {
  const wants = sharedWants(record)
  const reply = await cache.reserve(record.calculationId, record.supersedesCalculationId, wants)
  switch (reply.kind) {
    case 'reserved':
      return []
    case 'unknown':
      // Loaded for the calls that follow; of this one the ledger decides in any case.
      inBackground(posLedger.counters.lookUp(reply.names).then((counters) => cache.loadCounters(counters)))
      return []
    case 'short':
      return wants.filter((want) => reply.left[counterKey(want)] !== undefined)
  }
}

/** A cache out of reach refuses no calculation. */
function nothingShort(error: unknown): readonly Want[] {
  if (!(error instanceof StoreFault)) throw error
  return []
}

/** Makes the hold last as long as the calculation that the ledger has confirmed. */
export function confirmHold({ cache, inBackground, expiryS }: KeepParts, record: CalculationRecord): void {
  const wants = sharedWants(record)
  if (cache !== null && wants.length > 0) {
    inBackground(cache.confirmHold(record.calculationId, wants, expiryS * 1000))
  }
}

/** Gives the hold back: the ledger has nothing of this calculation. */
export function giveHoldBack({ cache, inBackground }: KeepParts, record: CalculationRecord): void {
  const wants = sharedWants(record)
  if (cache !== null && wants.length > 0) inBackground(cache.giveBack(record.calculationId, wants))
}

/** Redis counted wrong: its counters are loaded from the ledger when they are next wanted. */
export function forgetHeldCounters({ cache, inBackground }: KeepParts, record: CalculationRecord): void {
  const wants = sharedWants(record)
  if (cache !== null && wants.length > 0) inBackground(cache.forgetCounters(wants))
}

function sharedWants({ holds, memberId }: CalculationRecord): readonly Want[] {
  return holds.filter(({ subject }) => subject !== memberId)
}
