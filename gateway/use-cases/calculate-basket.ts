import { LRUCache } from 'lru-cache'
import type { MemberFacts } from '../../engine/core/basket.js'
import { everyCounter } from '../../engine/core/input.js'
import { counterKey } from '../../engine/core/outcome.js'
import type { BasketFacts, BasketRead, Priced, PricingAhead, PricingEngine, PricingFacts } from '../../engine/index.js'
import type { Cache, HotLookup, Marks } from '../../store/cache.js'
import { isOutOfReach, StoreFault } from '../../store/fault.js'
import type { AnswerLookup, CalculationRecord, StoredAnswer } from '../../store/ledger/calculations.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import { createExhaustedCounters, type ExhaustedCounters } from '../cache/exhausted-counters.js'
import type { Facts } from '../cache/facts.js'
import { currencyRefusal, venueRefusal, venueUnknown } from './basket-refusals.js'
import { type KeepParts, keepCalculation, rememberCalculation, withdrawCalculation } from './keep-calculation.js'
import { createOneAtATime } from './one-at-a-time.js'
import { peekBasket } from './peek-basket.js'
import type { Call, Reply } from './replies.js'
import { conflict, isAdmitted, orUnavailable, refused, sameBody, turnedAway, unavailable } from './replying.js'

/** How often a basket is priced again because limits had less left than thought; the last time without limited benefits. */
const attemptsMax = 8
/** Keys answered here that are remembered: their repeats, minutes later at most, are not priced. */
const answeredMax = 10_000

export interface BasketParts extends KeepParts {
  readonly engine: PricingEngine
  readonly facts: Facts
  readonly environment: 'staging' | 'production'
  readonly deadlineMs: number
  /** What prices beside the programme and the facts: kept with every calculation, so that it can be computed again. */
  readonly discountCode: string
  readonly stepsMax: number
}

type ReadBasket = Extract<BasketRead, { readonly kind: 'read' }>

/** Calculates a basket (contract 4.2): stored answer, checks 11 to 14, price, keep, answer. */
export function createCalculateBasket(parts: BasketParts): (call: Call) => Promise<Reply> {
  const turns = createOneAtATime()
  const exhausted = createExhaustedCounters(parts.ledger)
  const answered = new LRUCache<string, true>({ max: answeredMax })
  return async (call) => {
    const reply = await turns.run(call.idempotencyKey, remainingMs(parts, call), () =>
      orUnavailable(calculate(parts, { exhausted, answered }, call)),
    )
    if (typeof reply === 'object' && reply.kind === 'answered') answered.set(call.idempotencyKey, true)
    return reply === 'waited_too_long' ? unavailable('deadline') : reply
  }
}

/** What earlier calls have taught this gateway: hints, never answers. */
interface Learnt {
  readonly exhausted: ExhaustedCounters
  /** Keys that have been answered: a storm of repeats is not priced ahead for nothing. */
  readonly answered: { has(key: string): boolean }
}

async function calculate(parts: BasketParts, { exhausted, answered }: Learnt, call: Call): Promise<Reply> {
  // Before the ledger is asked: what Redis loses after that is noticed when it is asked with these.
  const { marks } = parts.vouching
  const isRepeat = answered.has(call.idempotencyKey)
  const looking = findAnswer(parts, { key: call.idempotencyKey, marks, isRepeat })
  // Awaited below, unless the body is refused first.
  looking.catch(() => {})
  const ahead = isRepeat ? null : await pricingAhead(parts, exhausted, call)
  const read = await parts.engine.readBasket(call.body, call.idempotencyKey, { untilMs: untilMs(parts, call), ahead })
  if (read.kind === 'refused') return refused(read.refusal)
  call.onRead?.(read.facts)
  try {
    const { lookup, reach } = await looking
    if (!(await isAdmitted(call))) return turnedAway
    if (lookup.kind !== 'unknown') return await replayed(parts, call, read.facts, lookup)
    const venue = await parts.facts.findVenue(read.facts.venueId)
    const refusal = read.tooManyLines ?? venueRefusal(parts.environment, read.facts, venue)
    if (refusal !== null || venue === null) {
      const unknown = venueUnknown(parts.environment, read.facts)
      return await refusedUnlessHot(parts, call, { facts: read.facts, marks, refusal: refusal ?? unknown })
    }
    const later = currencyRefusal(read.facts, venue) ?? read.arithmetic
    if (later !== null) return await refusedUnlessHot(parts, call, { facts: read.facts, marks, refusal: later })
    return await priceAndKeep(parts, call, { read, venue, reach, ahead, exhausted, marks })
  } finally {
    parts.engine.forget(read.ticket)
  }
}

/**
 * What a basket is to be priced with in the hand-over that reads it: one way to the thread and back instead of two. Member and venue
 * are waited for where they must be fetched, for they come with the look-up of the answer, sooner than a thread. Nothing else stands on
 * it, for the reader drops it where the basket is another than it looked.
 */
async function pricingAhead(
  { facts, discountCode, stepsMax }: BasketParts,
  exhausted: ExhaustedCounters,
  { body }: Call,
): Promise<PricingAhead | null> {
  const peeked = peekBasket(body)
  const known = peeked && (await facts.peek(peeked))
  if (peeked === null || known === null) return null
  const { member, programmeVersion, venue } = known
  if (exhausted.has(subjectsOf(member, venue))) return null
  const venueFacts = facts.venueFacts(venue)
  return { ...peeked, facts: { programmeVersion, member, venue: venueFacts, available: {}, discountCode, stepsMax } }
}

/**
 * The stored answer: on its way from here, of a repeat hot in the cache, else in the ledger. The cache is asked about a new key by
 * keeping its answer, which tells of an earlier one; before that only where the ledger could not be asked, or where something is to be
 * refused. One store out of reach leaves the other's word; one that is busy does not.
 */
async function findAnswer(
  parts: BasketParts,
  { key, marks, isRepeat }: { readonly key: string; readonly marks: Marks; readonly isRepeat: boolean },
): Promise<{ lookup: AnswerLookup; reach: LedgerReach }> {
  const own = isRepeat ? await findHotAnswer(parts, key, marks) : ownAnswer(parts, key)
  if (own.kind === 'stored') return { lookup: own, reach: 'asked' }
  try {
    return { lookup: await parts.ledger.calculations.findAnswer(key), reach: 'asked' }
  } catch (error) {
    const hot = isRepeat ? own : await findHotAnswer(parts, key, marks)
    if (hot.kind === 'stored') return { lookup: hot, reach: 'asked' }
    // Others may have vouched meanwhile: without their marks every call would fail until the ledger is back.
    if (hot.kind === 'unvouched') parts.inBackground(parts.vouching.recover(parts.deadlineMs))
    if (!isOutOfReach(error) || hot.kind !== 'unknown') throw error
    return { lookup: hot, reach: error.lasting ? 'out' : 'missed' }
  }
}

interface Refusal {
  readonly facts: BasketFacts
  readonly marks: Marks
  readonly refusal: Parameters<typeof refused>[0]
}

/** What is refused is kept nowhere, so that the cache has not told yet whether it has an answer under this key. */
async function refusedUnlessHot(parts: BasketParts, call: Call, { facts, marks, refusal }: Refusal): Promise<Reply> {
  const hot = await findHotAnswer(parts, call.idempotencyKey, marks)
  const lookup = hot.kind === 'cache_out' || hot.kind === 'unvouched' ? await findLost(parts, call, hot.kind) : hot
  return lookup.kind === 'unknown' ? refused(refusal) : await replayed(parts, call, facts, lookup)
}

/** Where Redis cannot tell, the ledger can, once everything that was answered from Redis is there. */
async function findLost(parts: BasketParts, call: Call, why: 'cache_out' | 'unvouched'): Promise<AnswerLookup> {
  const { ledger, vouching } = parts
  if (parts.cache === null) return { kind: 'unknown' }
  const recovered = why === 'unvouched' ? await vouching.recover(remainingMs(parts, call)).catch(cacheOut) : 'cache_out'
  if (recovered === 'cache_out') await vouching.pass(remainingMs(parts, call))
  return await ledger.calculations.findAnswer(call.idempotencyKey)
}

function ownAnswer({ journal }: BasketParts, key: string): AnswerLookup {
  const own = journal.find(key)
  return own === null ? { kind: 'unknown' } : { kind: 'stored', answer: own }
}

type HotAnswerLookup = AnswerLookup | { readonly kind: 'cache_out' } | { readonly kind: 'unvouched' }

async function findHotAnswer(parts: BasketParts, key: string, marks: Marks): Promise<HotAnswerLookup> {
  const { cache, journal } = parts
  const own = ownAnswer(parts, key)
  if (own.kind === 'stored') return own
  if (cache === null) return { kind: 'cache_out' }
  const found = await journal.track(findAndCopy(parts, cache, { key, marks })).catch(cacheOut)
  if (found === 'cache_out') return { kind: 'cache_out' }
  return found.kind === 'known' ? { kind: 'stored', answer: found.answer } : found
}

async function findAndCopy(
  { journal }: BasketParts,
  cache: Cache,
  { key, marks }: { readonly key: string; readonly marks: Marks },
): Promise<HotLookup> {
  const found = await cache.findAnswer(key, marks)
  if (found.kind === 'known') journal.holdCopy(found.record)
  return found
}

function cacheOut(error: unknown): 'cache_out' {
  if (!(error instanceof StoreFault) || error.store !== 'cache') throw error
  return 'cache_out'
}

async function replayed(parts: BasketParts, call: Call, facts: BasketFacts, lookup: AnswerLookup): Promise<Reply> {
  switch (lookup.kind) {
    case 'stored':
      return await replayOrConflict(parts, call, facts, lookup.answer)
    case 'outlived':
      return conflict(call)
    case 'unknown':
      // Another call had this key when ours came to be kept, and has since been withdrawn: the POS may try again.
      return unavailable('answer withdrawn')
  }
}

async function replayOrConflict(
  parts: BasketParts,
  call: Call,
  facts: BasketFacts,
  stored: StoredAnswer,
): Promise<Reply> {
  const { request, answer } = await parts.engine.unpack(stored.packed)
  const same = await sameBody(
    parts.engine,
    { digest: stored.digest, body: request },
    { digest: facts.digest, body: call.body },
  )
  return same ? { kind: 'answered', body: answer, replayed: true, outcome: 'replay' } : conflict(call)
}

interface Task {
  readonly read: ReadBasket
  readonly venue: StoredVenue
  readonly reach: LedgerReach
  /** What the thread was given to price it with while it read. */
  readonly ahead: PricingAhead | null
  readonly exhausted: ExhaustedCounters
  /** What vouched for Redis before the ledger was asked for this key. */
  readonly marks: Marks
}

/**
 * `missed`: the ledger could not be asked just now, so a basket that takes limited benefits is a 503. `out`: it has been out of reach
 * for seconds, so limited benefits count as exhausted (wire decisions 2 and 6).
 */
type LedgerReach = 'asked' | 'missed' | 'out'

/** Prices and keeps; where limits have less left than thought, prices again with what is left. */
async function priceAndKeep(parts: BasketParts, call: Call, task: Task): Promise<Reply> {
  const { read, venue, reach, exhausted, marks } = task
  const limited = reach !== 'out'
  const { facts, engine, discountCode, stepsMax } = parts
  const { member, programmeVersion } = await facts.findMember(read.facts.loyaltyId)
  let available = limited ? await leftOfExhausted(task, programmeVersion, member) : { [everyCounter]: 0 }
  let ledgerFirst = Object.values(available).includes(0) && limited
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    if (attempt === attemptsMax) available = { [everyCounter]: 0 }
    const venueFacts = facts.venueFacts(venue)
    const pricing: PricingFacts = { programmeVersion, member, venue: venueFacts, available, discountCode, stepsMax }
    const priced = pricedAhead(task, pricing) ?? (await engine.priceBasket(read.ticket, pricing, untilMs(parts, call)))
    const record = calculationRecord(parts, read.facts, { pricing, priced })
    if (reach === 'missed' && record.holds.length > 0) return unavailable('ledger missed')
    const kept = await keepCalculation(parts, record, { withinMs: remainingMs(parts, call), ledgerFirst, marks })
    switch (kept.kind) {
      case 'kept':
        return answer(parts, call, { priced, record, by: kept.by })
      case 'known':
        return await replayed(parts, call, read.facts, kept.lookup)
      case 'short':
        exhausted.note(
          programmeVersion,
          record.holds.filter((want) => (kept.left[counterKey(want)] ?? want.units) < want.units),
        )
        available = { ...available, ...kept.left }
        ledgerFirst = true
        break
      case 'limits_unknown':
        available = { [everyCounter]: 0 }
        ledgerFirst = false
        break
      case 'busy':
        return unavailable('ledger busy')
      case 'too_late':
        return unavailable('deadline')
    }
  }
  throw new Error('a basket without limited benefits was short of a limit')
}

/** What the ledger has left of counters that were exhausted: a basket that supersedes another is left to it, for only it knows what that frees. */
async function leftOfExhausted(
  { read, venue, exhausted }: Task,
  programmeVersion: number,
  member: MemberFacts | null,
): Promise<Record<string, number>> {
  const subjects = subjectsOf(member, venue)
  if (read.facts.supersedesCalculationId !== null || !exhausted.has(subjects)) return {}
  try {
    return await exhausted.askLedger(programmeVersion, subjects)
  } catch (error) {
    // It is asked again before anything is kept.
    if (!(error instanceof StoreFault)) throw error
    return {}
  }
}

/** Whose counters a basket can want. */
function subjectsOf(member: MemberFacts | null, { venueId }: StoredVenue): readonly string[] {
  return member === null ? [] : [member.memberId, venueId, '']
}

/** What was priced while it was read, unless a fact has changed meanwhile. */
function pricedAhead({ read, ahead }: Task, pricing: PricingFacts): Priced | null {
  if (ahead === null) return null
  const { programmeVersion, member, venue } = ahead.facts
  const isSame = programmeVersion === pricing.programmeVersion && member === pricing.member && venue === pricing.venue
  return isSame && Object.keys(pricing.available).length === 0 ? read.ahead : null
}

interface KeptAnswer {
  readonly priced: Priced
  readonly record: CalculationRecord
  readonly by: 'cache' | 'ledger'
}

/** After the deadline the POS has stopped waiting: what was reserved goes back (wire decisions 6). */
function answer(parts: BasketParts, call: Call, { priced, record, by }: KeptAnswer): Reply {
  if (remainingMs(parts, call) > 0) {
    if (by === 'ledger') rememberCalculation(parts, record)
    return { kind: 'answered', body: priced.answer, replayed: false, outcome: priced.status }
  }
  if (by === 'ledger') parts.inBackground(withdrawCalculation(parts, record))
  return unavailable('deadline')
}

function untilMs({ deadlineMs }: BasketParts, { arrivedAtMs }: Call): number {
  return arrivedAtMs + deadlineMs
}

function remainingMs({ deadlineMs }: BasketParts, { arrivedAtMs }: Call): number {
  return deadlineMs - (performance.now() - arrivedAtMs)
}

function calculationRecord(
  { ledger }: BasketParts,
  facts: BasketFacts,
  { pricing, priced }: { readonly pricing: PricingFacts; readonly priced: Priced },
): CalculationRecord {
  const { calculationId, supersedesCalculationId, venueId, baxId, cashRegisterId, channel, loyaltyId } = facts
  const { currency, requestedAt, netBefore, digest } = facts
  const { status, reason, netAfter, loyaltyDiscountTotal, optimal, packed, explanation, wants } = priced
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
    digest,
    packed,
    inputs: JSON.stringify(pricing),
    explanation,
    holds: wants,
    answeredAt: ledger.clock(),
  }
}
