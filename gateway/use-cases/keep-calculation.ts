import { type CounterName, counterKey, type Want } from '../../engine/core/outcome.js'
import type { Cache, HotAnswer, HotLookup, Marks } from '../../store/cache.js'
import { isOutOfReach, StoreFault } from '../../store/fault.js'
import type { AnswerLookup, CalculationRecord } from '../../store/ledger/calculations.js'
import type { Ledger } from '../../store/ledger.js'
import { ensureInLedger } from '../background/ensure-in-ledger.js'
import type { Journal } from '../background/journal.js'
import type { Vouching } from '../cache/vouching.js'

/** How often Redis is asked again after it could not vouch for its memory. */
const vouchedTriesMax = 3

/** What became of a priced basket on its way into the stores. */
export type Kept =
  /** `by` tells whether it can be withdrawn: the ledger's reservations can, the cache's answer holds nothing. */
  | { readonly kind: 'kept'; readonly by: 'cache' | 'ledger' }
  /** Another call with this key was first: nothing was kept. */
  | { readonly kind: 'known'; readonly lookup: AnswerLookup }
  /** Limits have less left than wanted: nothing was kept; price again with this. */
  | { readonly kind: 'short'; readonly left: Readonly<Record<string, number>> }
  /** The ledger has been out of reach for seconds: nothing was kept; price again without limited benefits. */
  | { readonly kind: 'limits_unknown' }
  /** The ledger could not be asked just now: nothing was kept, and nobody may be told `limit_exhausted` for it. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'too_late' }

export interface KeepParts {
  readonly cache: Cache | null
  readonly ledger: Ledger
  readonly journal: Journal
  readonly vouching: Vouching
  readonly expiryS: number
  /** Runs work that nobody waits for; a store out of reach is ignored there, a bug is logged. */
  readonly inBackground: (work: Promise<unknown>) => void
}

export interface KeepHow {
  readonly withinMs: number
  /**
   * Limits were short: they may have been taken under this very key by another gateway, which only the ledger can tell, so it is
   * asked before the cache also where nothing limited is left.
   */
  readonly ledgerFirst: boolean
  /** What vouched for Redis before the ledger was asked for this key. */
  readonly marks: Marks
}

/**
 * Keeps a calculation before it is answered (architecture, step 5). Without limited benefits: one atomic step of the cache, the
 * ledger gets it from the journal. With them, or where it supersedes another: the cache filters, the ledger's transaction decides.
 * Rejects with StoreFault where neither store could keep it, or where it is not known whether it was kept.
 */
export async function keepCalculation(parts: KeepParts, record: CalculationRecord, how: KeepHow): Promise<Kept> {
  const keeping: Keeping = { record, marks: how.marks, untilMs: performance.now() + how.withinMs }
  if (record.holds.length > 0) return await keepLimited(parts, keeping)
  const { cache } = parts
  if (cache === null) return await confirm(parts, keeping, bringSupersededHome(parts, keeping))
  const inCache = () => keepInCache(parts, cache, keeping)
  const inLedger = () => confirmClaimed(parts, keeping)
  const ledgerFirst = how.ledgerFirst || record.supersedesCalculationId !== null
  return ledgerFirst ? await firstThen(inLedger, inCache) : await firstThen(inCache, inLedger)
}

interface Keeping {
  readonly record: CalculationRecord
  readonly marks: Marks
  readonly untilMs: number
}

function leftMs({ untilMs }: Keeping): number {
  return untilMs - performance.now()
}

/** The second way is gone where the first store is out of reach, never where its outcome is in doubt or it is only busy. */
async function firstThen(first: () => Promise<Kept>, second: () => Promise<Kept>): Promise<Kept> {
  try {
    return await first()
  } catch (error) {
    if (!isOutOfReach(error)) throw error
    return await second()
  }
}

async function keepInCache(parts: KeepParts, cache: Cache, keeping: Keeping): Promise<Kept> {
  const { vouching, ledger, journal } = parts
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
        return await confirmClaimed(parts, keeping)
      case 'unvouched': {
        await vouching.recover(leftMs(keeping))
        marks = vouching.marks
        const lookup = await ledger.calculations.findAnswer(record.calculationId)
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

/**
 * Asks the ledger under a claim: until it is certain that the ledger has written nothing, the cache keeps no other answer under
 * this key. Else a call in doubt and its repeat, which finds the ledger away, would get two answers.
 */
async function confirmClaimed(parts: KeepParts, keeping: Keeping): Promise<Kept> {
  const home = bringSupersededHome(parts, keeping)
  const claimed = await claim(parts, keeping)
  if (typeof claimed === 'object') return claimed
  return await underClaim(parts, { record: keeping.record, claimed }, () => confirm(parts, keeping, home))
}

/** `cache_out`: nothing is claimed that could be released, and the ledger decides alone. */
type Claimed = 'claimed' | 'cache_out' | Extract<Kept, { readonly kind: 'known' | 'busy' }>

/** The ledger may decide once it has whatever was answered from Redis under this key. */
async function claim(parts: KeepParts, keeping: Keeping): Promise<Claimed> {
  const { cache, vouching } = parts
  if (cache === null) return 'cache_out'
  try {
    for (let attempt = 1; attempt <= vouchedTriesMax; attempt += 1) {
      const reply = await parts.journal.track(claimAndCopy(parts, cache, keeping))
      if (reply.kind === 'known') return knownInCache(reply)
      if (reply.kind === 'claimed') return 'claimed'
      await vouching.recover(leftMs(keeping))
    }
    return { kind: 'busy' }
  } catch (error) {
    if (!(error instanceof StoreFault) || error.store !== 'cache') throw error
    const read = error.kind === 'full' ? await readInFull(parts, cache, keeping.record) : null
    if (read?.kind === 'known') return knownInCache(read)
    if (read?.kind !== 'unknown') await vouching.pass(leftMs(keeping))
    return 'cache_out'
  }
}

/** A Redis that takes no writes still says what it has, and that is all that was answered from it. */
async function readInFull(
  { journal }: KeepParts,
  cache: Cache,
  { calculationId }: CalculationRecord,
): Promise<HotLookup | null> {
  const reading = cache.findAnswer(calculationId).then((found) => {
    if (found.kind === 'known') journal.holdCopy(found.record)
    return found
  })
  return await journal.track(reading).catch((error: unknown) => {
    if (!(error instanceof StoreFault)) throw error
    return null
  })
}

async function claimAndCopy({ journal }: KeepParts, cache: Cache, { record, untilMs }: Keeping) {
  const { calculationId } = record
  const reply = await cache.claim(calculationId)
  if (reply.kind === 'claimed') journal.decides(calculationId, untilMs)
  if (reply.kind === 'known') journal.holdCopy(reply.record)
  return reply
}

function knownInCache({ answer }: HotAnswer): Extract<Kept, { readonly kind: 'known' }> {
  return { kind: 'known', lookup: { kind: 'stored', answer } }
}

interface UnderClaim {
  readonly record: CalculationRecord
  readonly claimed: 'claimed' | 'cache_out'
}

/** Takes the claim back where the ledger has written nothing for it, and only there; never one that another call has made. */
async function underClaim(parts: KeepParts, { record, claimed }: UnderClaim, work: () => Promise<Kept>): Promise<Kept> {
  const giveUp = () => (claimed === 'claimed' ? release(parts, record) : undefined)
  try {
    const kept = await work()
    parts.journal.decided(record.calculationId)
    if (kept.kind !== 'kept' && kept.kind !== 'known') giveUp()
    return kept
  } catch (error) {
    if (error instanceof StoreFault && error.kind !== 'in_doubt') {
      parts.journal.decided(record.calculationId)
      giveUp()
    }
    throw error
  }
}

/** Nobody waits for it: what is sent to the cache after it comes after it. */
function release({ cache, inBackground }: KeepParts, { calculationId }: CalculationRecord): void {
  if (cache !== null) inBackground(cache.release(calculationId))
}

/** What a calculation supersedes may still be on its way to the ledger. Begun before the claim, for both are ways to the cache. */
function bringSupersededHome(parts: KeepParts, keeping: Keeping): Promise<unknown> | null {
  const { supersedesCalculationId } = keeping.record
  if (supersedesCalculationId === null) return null
  const home = ensureInLedger(parts, supersedesCalculationId, leftMs(keeping))
  // Awaited before the ledger is asked, unless the call was known already.
  home.catch(() => {})
  return home
}

/** @param home  what it supersedes is in the ledger, unless it cannot be looked up: then it is as good as unknown */
async function confirm({ ledger }: KeepParts, keeping: Keeping, home: Promise<unknown> | null): Promise<Kept> {
  if (home !== null) await home
  const reply = await ledger.calculations.confirm(keeping.record, leftMs(keeping))
  return reply.kind === 'confirmed' ? { kind: 'kept', by: 'ledger' } : reply
}

async function keepLimited(parts: KeepParts, keeping: Keeping): Promise<Kept> {
  const { record } = keeping
  const home = bringSupersededHome(parts, keeping)
  const [filtered, claimed] = await Promise.all([reserve(parts, record), claim(parts, keeping)])
  // The hold under this key belongs to the call that was first, or ends by itself.
  if (typeof claimed === 'object') return claimed
  if (filtered !== null) {
    parts.journal.decided(record.calculationId)
    if (claimed === 'claimed') release(parts, record)
    return filtered
  }
  try {
    const kept = await underClaim(parts, { record, claimed }, () => confirm(parts, keeping, home))
    notifyCache(parts, record, kept)
    return kept
  } catch (error) {
    if (!(error instanceof StoreFault) || error.store === 'cache' || error.kind === 'in_doubt') throw error
    giveBack(parts, record)
    return notAsked(error)
  }
}

/**
 * What is held in the cache: counters that others want at the same time. A member's own are not worth the way there, for nobody
 * rushes for them: the ledger decides alone.
 */
function shared({ holds, memberId }: CalculationRecord): readonly Want[] {
  return holds.filter(({ subject }) => subject !== memberId)
}

/** The cache's filter: null where the ledger is to decide. A "no" of the cache counts only once the ledger has said it too. */
async function reserve(parts: KeepParts, record: CalculationRecord): Promise<Kept | null> {
  const { cache, ledger } = parts
  if (cache === null || shared(record).length === 0) return null
  const short = await reserveInCache(parts, cache, record).catch(cacheOut)
  // Only the ledger knows what a superseded calculation will give back.
  if (short.length === 0 || record.supersedesCalculationId !== null) return null
  try {
    const left = await leftInLedger(ledger, short)
    if (short.some((want) => (left[counterKey(want)] ?? 0) < want.units)) return { kind: 'short', left }
    await cache.forgetCounters(short).catch(cacheOut)
    return null
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    return notAsked(error)
  }
}

/** A ledger that has been out of reach for seconds lets the basket go on without limited benefits (wire decisions 6); else it is a 503. */
function notAsked(fault: StoreFault): Kept {
  return { kind: fault.lasting ? 'limits_unknown' : 'busy' }
}

/**
 * Resolves to the wants that the cache says are short. A counter it does not know is loaded from the ledger for those who come after:
 * this one asks the ledger itself, which decides in any case.
 */
async function reserveInCache(
  { ledger, inBackground }: KeepParts,
  cache: Cache,
  record: CalculationRecord,
): Promise<readonly Want[]> {
  const wants = shared(record)
  const reply = await cache.reserve(record.calculationId, record.supersedesCalculationId, wants)
  if (reply.kind === 'unknown') {
    inBackground(ledger.counters.lookUp(reply.names).then((counters) => cache.loadCounters(counters)))
  }
  if (reply.kind !== 'short') return []
  const { left } = reply
  return wants.filter((want) => left[counterKey(want)] !== undefined)
}

async function leftInLedger(ledger: Ledger, wants: readonly Want[]): Promise<Record<string, number>> {
  const counters = new Map((await ledger.counters.lookUp(wants)).map((counter) => [counterKey(counter), counter]))
  return Object.fromEntries(
    wants.map((want) => {
      const counter = counters.get(counterKey(want))
      return [counterKey(want), Math.max(0, want.maximum - (counter?.used ?? 0) - (counter?.open ?? 0))]
    }),
  )
}

/** Tells the cache where the ledger has decided against the hold; it may be wrong until then, and where it cannot be told. */
function notifyCache(parts: KeepParts, record: CalculationRecord, kept: Kept): void {
  const { cache, inBackground } = parts
  if (cache === null) return
  switch (kept.kind) {
    case 'short':
    case 'too_late':
      giveBack(parts, record)
      if (kept.kind === 'short' && shared(record).length > 0) inBackground(cache.forgetCounters(shared(record)))
      break
    // Kept: told once the answer leaves. Known: the hold under this key belongs to the call that was first, or ends by itself.
    case 'kept':
    case 'known':
    case 'limits_unknown':
    case 'busy':
  }
}

function giveBack({ cache, inBackground }: KeepParts, record: CalculationRecord): void {
  const wants = shared(record)
  if (cache !== null && wants.length > 0) inBackground(cache.giveBack(record.calculationId, wants))
}

/** A cache out of reach filters nothing. A ledger out of reach is noticed where it decides. */
function cacheOut(error: unknown): readonly Want[] {
  if (!(error instanceof StoreFault)) throw error
  return []
}

/** Keeps an answer that the ledger has confirmed, and that now leaves, hot in the cache, and its hold as long as it lives. */
export function rememberCalculation({ cache, inBackground, expiryS }: KeepParts, record: CalculationRecord): void {
  if (cache === null) return
  inBackground(cache.remember(record.calculationId, { digest: record.digest, packed: record.packed }))
  const wants = shared(record)
  if (wants.length > 0) inBackground(cache.confirmHold(record.calculationId, wants, expiryS * 1000))
}

/** Gives back what an answer that was never sent has reserved: in the ledger, then in the cache. */
export async function withdrawCalculation(parts: KeepParts, record: CalculationRecord): Promise<void> {
  const { cache, ledger } = parts
  if ((await ledger.calculations.withdraw(record.calculationId)) !== 'withdrawn') return
  release(parts, record)
  const names: readonly CounterName[] = shared(record)
  if (cache !== null && names.length > 0) await cache.giveBack(record.calculationId, names)
}
