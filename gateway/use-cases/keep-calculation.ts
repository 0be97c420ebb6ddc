import type { Cache, Marks } from '../../store/cache.js'
import { isOutOfReach, StoreFault } from '../../store/fault.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { ensureInLedger } from '../background/ensure-in-ledger.js'
import { confirmHold, forgetHeldCounters, giveHoldBack, takeHold, withoutLedger } from './cache-hold.js'
import { type Keeping, type KeepOutcome, type KeepParts, knownInCache, leftMs } from './keep-outcome.js'
import { claimKey, decideUnderClaim, giveUpClaim, type OpenClaim, releaseClaim, vouchedTriesMax } from './key-claim.js'

export interface KeepOptions {
  readonly withinMs: number
  /**
   * Limits were short, perhaps because another gateway has taken them under this very key. Only the ledger can decide, so it comes
   * before the cache even if nothing limited is left.
   */
  readonly ledgerFirst: boolean
  readonly marks: Marks
}

/**
 * Keeps a calculation before it is answered (architecture, step 5). Without limited or costed benefits: one atomic step of the cache, the
 * ledger gets it from the journal. With them, or where it supersedes another: the cache filters, the ledger's transaction decides.
 * Rejects with StoreFault where neither store could keep it, or where the outcome is unknown.
 */
export async function keepCalculation(
  parts: KeepParts,
  record: CalculationRecord,
  how: KeepOptions,
): Promise<KeepOutcome> {
  const keeping: Keeping = { record, marks: how.marks, untilMs: performance.now() + how.withinMs }
  return takesSomething(record)
    ? await keepLimited(parts, keeping)
    : await keepUnlimited(parts, keeping, how.ledgerFirst)
}

/** True: it takes a shared resource, units of limits or value of the member. */
export function takesSomething({ holds, spending }: CalculationRecord): boolean {
  return holds.length > 0 || spending !== null
}

async function keepUnlimited(parts: KeepParts, keeping: Keeping, ledgerFirst: boolean): Promise<KeepOutcome> {
  const { cache } = parts
  const { supersedesCalculationId } = keeping.record
  if (cache === null) return await confirm(parts, keeping, bringSuperseded(parts, keeping))
  const inCache = () => keepInCache(parts, cache, keeping)
  const inLedger = () => keepInLedger(parts, keeping)
  return ledgerFirst || supersedesCalculationId !== null
    ? await firstThen(inLedger, inCache)
    : await firstThen(inCache, async () => withOwnAsKept(await inLedger(), keeping.record))
}

/**
 * The cache may have stored the answer although its reply was late or lost: found again by the same call it is no repeat. All bytes are
 * compared, the request's among them.
 */
function withOwnAsKept(kept: KeepOutcome, { packed }: CalculationRecord): KeepOutcome {
  const isOwn =
    kept.kind === 'known' && kept.lookup.kind === 'stored' && Buffer.compare(kept.lookup.answer.packed, packed) === 0
  return isOwn ? { kind: 'kept', by: 'cache' } : kept
}

/** The second store is asked where the first is out of reach, never where its outcome is in doubt or it is only busy. */
async function firstThen(first: () => Promise<KeepOutcome>, second: () => Promise<KeepOutcome>): Promise<KeepOutcome> {
  try {
    return await first()
  } catch (error) {
    if (!isOutOfReach(error)) throw error
    return await second()
  }
}

async function keepInCache(parts: KeepParts, cache: Cache, keeping: Keeping): Promise<KeepOutcome> {
  const { vouching, posLedger, journal } = parts
  const { record } = keeping
  // Other gateways do not wait for this one now: it may not answer from Redis alone.
  if (!vouching.usesCache) throw new StoreFault('cache', 'unreachable')
  let { marks } = keeping
  for (let attempt = 1; attempt <= vouchedTriesMax; attempt += 1) {
    const reply = await journal.track(keepAndCopy(parts, cache, { record, marks }))
    switch (reply.kind) {
      case 'kept':
        return { kind: 'kept', by: 'cache' }
      case 'known':
        return knownInCache(reply)
      case 'claimed':
        return await keepInLedger(parts, keeping)
      case 'unvouched': {
        await vouching.recover(leftMs(keeping))
        marks = vouching.marks
        const lookup = await posLedger.calculations.findAnswer(record.calculationId)
        if (lookup.kind !== 'unknown') return { kind: 'known', lookup }
      }
    }
  }
  return { kind: 'busy' }
}

async function keepAndCopy(
  { journal }: KeepParts,
  cache: Cache,
  { record, marks }: { readonly record: CalculationRecord; readonly marks: Marks },
) {
  const reply = await cache.keep(record, marks)
  if (reply.kind === 'kept') journal.add(record)
  if (reply.kind === 'known') journal.holdCopy(reply.record)
  return reply
}

async function keepInLedger(parts: KeepParts, keeping: Keeping): Promise<KeepOutcome> {
  const superseded = bringSuperseded(parts, keeping)
  const claim = await claimKey(parts, keeping)
  switch (claim.kind) {
    case 'known':
    case 'busy':
      return claim
    case 'claimed':
    case 'cache_out': {
      const decide = () => confirm(parts, keeping, superseded)
      return await decideUnderClaim(parts, { record: keeping.record, claim, decide })
    }
  }
}

async function keepLimited(parts: KeepParts, keeping: Keeping): Promise<KeepOutcome> {
  const { record } = keeping
  const superseded = bringSuperseded(parts, keeping)
  const [turnedAway, claim] = await Promise.all([takeHold(parts, record), claimKey(parts, keeping)])
  switch (claim.kind) {
    case 'known':
    case 'busy':
      // The hold under this key belongs to the call that was first, or ends by itself.
      return claim
    case 'claimed':
    case 'cache_out':
      if (turnedAway === null) return await decideLimited(parts, keeping, { claim, superseded })
      giveUpClaim(parts, record, claim)
      return turnedAway
  }
}

interface ToDecide {
  readonly claim: OpenClaim
  readonly superseded: Promise<unknown> | null
}

async function decideLimited(
  parts: KeepParts,
  keeping: Keeping,
  { claim, superseded }: ToDecide,
): Promise<KeepOutcome> {
  const { record } = keeping
  try {
    const decide = () => confirm(parts, keeping, superseded)
    const kept = await decideUnderClaim(parts, { record, claim, decide })
    correctHold(parts, record, kept)
    return kept
  } catch (error) {
    if (!(error instanceof StoreFault) || error.store === 'cache' || error.kind === 'in_doubt') throw error
    giveHoldBack(parts, record)
    return withoutLedger(error)
  }
}

/** Corrects the hold in the cache where the ledger has decided against it. */
function correctHold(parts: KeepParts, record: CalculationRecord, kept: KeepOutcome): void {
  switch (kept.kind) {
    case 'short':
      giveHoldBack(parts, record)
      forgetHeldCounters(parts, record)
      break
    case 'too_late':
      giveHoldBack(parts, record)
      break
    case 'kept': // Confirmed once the answer leaves.
    case 'known': // The hold belongs to the call that was first, or ends by itself.
    case 'limits_unknown':
    case 'busy':
      break
  }
}

/** Brings the superseded calculation into the ledger, if it may not be there yet. Begun before the claim: both take a round trip. */
function bringSuperseded(parts: KeepParts, keeping: Keeping): Promise<unknown> | null {
  const { supersedesCalculationId } = keeping.record
  if (supersedesCalculationId === null) return null
  const bringing = ensureInLedger(parts, supersedesCalculationId, leftMs(keeping))
  // Awaited before the ledger call, unless the answer was found before.
  bringing.catch(() => {})
  return bringing
}

/** @param superseded  resolves when it is in the ledger, or cannot be looked up: then it is as good as unknown */
async function confirm(
  { posLedger }: KeepParts,
  keeping: Keeping,
  superseded: Promise<unknown> | null,
): Promise<KeepOutcome> {
  if (superseded !== null) await superseded
  const reply = await posLedger.calculations.confirm(keeping.record, leftMs(keeping))
  switch (reply.kind) {
    case 'confirmed':
      return { kind: 'kept', by: 'ledger' }
    case 'known':
    case 'short':
    case 'too_late':
      return reply
  }
}

/** For an answer that the ledger has confirmed and that is sent now: puts it into the cache, and extends its hold to its life. */
export function rememberCalculation(parts: KeepParts, record: CalculationRecord): void {
  const { cache, inBackground } = parts
  if (cache === null) return
  inBackground(cache.remember(record.calculationId, { digest: record.digest, packed: record.packed }))
  confirmHold(parts, record)
}

/** Gives back the reservations of an answer that was never sent: in the ledger, then in the cache. */
export async function withdrawCalculation(parts: KeepParts, record: CalculationRecord): Promise<void> {
  const withdrawn = await parts.posLedger.calculations.withdraw(record.calculationId)
  switch (withdrawn) {
    case 'withdrawn':
      releaseClaim(parts, record)
      giveHoldBack(parts, record)
      break
    case 'replayed': // Another call has the answer after all.
    case 'unknown':
      break
  }
}
