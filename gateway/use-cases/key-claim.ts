import type { Cache, HotLookup } from '../../store/cache.js'
import { StoreFault } from '../../store/fault.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { type Keeping, type KeepOutcome, type KeepParts, knownInCache, leftMs } from './keep-outcome.js'

/**
 * A claim marks a key in Redis during the ledger call that may store it. Redis keeps no other answer under the key until it is certain that
 * the ledger has written nothing. Without it a call in doubt and its repeat, which finds the ledger out of reach, would get two answers.
 */

/** How often Redis is asked again after it could not vouch for its memory. */
export const vouchedTriesMax = 3

export type Claim =
  | { readonly kind: 'claimed' }
  /** There is no claim to release; the ledger has all answers of Redis, and decides alone. */
  | { readonly kind: 'cache_out' }
  | Extract<KeepOutcome, { readonly kind: 'known' }>
  | Extract<KeepOutcome, { readonly kind: 'busy' }>

export type OpenClaim = Exclude<Claim, KeepOutcome>

/** Claims the key; the ledger may decide once it has whatever was answered from Redis under this key. */
export async function claimKey(parts: KeepParts, keeping: Keeping): Promise<Claim> {
  const { cache } = parts
  if (cache === null) return { kind: 'cache_out' }
  try {
    return await claimInCache(parts, cache, keeping)
  } catch (error) {
    if (!(error instanceof StoreFault) || error.store !== 'cache') throw error
    return await goWithoutClaim(parts, cache, { keeping, isFull: error.kind === 'full' })
  }
}

async function claimInCache(parts: KeepParts, cache: Cache, keeping: Keeping): Promise<Claim> {
  for (let attempt = 1; attempt <= vouchedTriesMax; attempt += 1) {
    const reply = await parts.journal.track(claimAndCopy(parts, cache, keeping))
    switch (reply.kind) {
      case 'claimed':
        return reply
      case 'known':
        return knownInCache(reply)
      case 'unvouched':
        await parts.vouching.recover(leftMs(keeping))
    }
  }
  return { kind: 'busy' }
}

async function claimAndCopy({ journal }: KeepParts, cache: Cache, { record, untilMs }: Keeping) {
  const { calculationId } = record
  const reply = await cache.claim(calculationId)
  if (reply.kind === 'claimed') journal.decides(calculationId, untilMs)
  if (reply.kind === 'known') journal.holdCopy(reply.record)
  return reply
}

/** A Redis that takes no writes can still be read, and has all answers that were given from it. */
async function goWithoutClaim(
  parts: KeepParts,
  cache: Cache,
  { keeping, isFull }: { readonly keeping: Keeping; readonly isFull: boolean },
): Promise<Claim> {
  const read = isFull ? await readInFull(parts, cache, keeping.record) : cacheOut
  switch (read.kind) {
    case 'known':
      return knownInCache(read)
    case 'unknown':
      return cacheOut
    case 'unvouched':
    case 'cache_out':
      await parts.vouching.pass(leftMs(keeping))
      return cacheOut
  }
}

const cacheOut = { kind: 'cache_out' } as const

async function readInFull(
  { journal }: KeepParts,
  cache: Cache,
  { calculationId }: CalculationRecord,
): Promise<HotLookup | typeof cacheOut> {
  const reading = cache.findAnswer(calculationId).then((found) => {
    if (found.kind === 'known') journal.holdCopy(found.record)
    return found
  })
  return await journal.track(reading).catch((error: unknown) => {
    if (!(error instanceof StoreFault)) throw error
    return cacheOut
  })
}

interface Decision {
  readonly record: CalculationRecord
  readonly claim: OpenClaim
  readonly decide: () => Promise<KeepOutcome>
}

/** Lets the ledger decide, and gives the claim up where the ledger has written nothing for it, and only there. */
export async function decideUnderClaim(parts: KeepParts, { record, claim, decide }: Decision): Promise<KeepOutcome> {
  try {
    const kept = await decide()
    switch (kept.kind) {
      case 'kept':
      case 'known':
        parts.journal.decided(record.calculationId)
        break
      case 'short':
      case 'limits_unknown':
      case 'busy':
      case 'too_late':
        giveUpClaim(parts, record, claim)
        break
    }
    return kept
  } catch (error) {
    if (error instanceof StoreFault && error.kind !== 'in_doubt') giveUpClaim(parts, record, claim)
    throw error
  }
}

/** The ledger has written nothing for this key. Never gives up a claim that another call has made. */
export function giveUpClaim(parts: KeepParts, record: CalculationRecord, claim: OpenClaim): void {
  parts.journal.decided(record.calculationId)
  if (claim.kind === 'claimed') releaseClaim(parts, record)
}

/** Not awaited: Redis runs the commands of one connection in order. */
export function releaseClaim({ cache, inBackground }: KeepParts, { calculationId }: CalculationRecord): void {
  if (cache !== null) inBackground(cache.release(calculationId))
}
