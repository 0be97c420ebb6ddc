import { LRUCache } from 'lru-cache'
import type { Priced, PricingAhead, PricingEngine, PricingFacts } from '../../engine/index.js'
import type { Marks } from '../../store/cache.js'
import type { AnswerLookup, CalculationRecord, StoredAnswer } from '../../store/ledger/calculations.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import { calculationRecord } from './calculation-record.js'
import { type BasketRefusal, checkBasket, type ReadBasket } from './check-basket.js'
import { findAnswer, findAnswerBeforeRefusal, type LedgerReach } from './find-answer.js'
import { keepCalculation, rememberCalculation, takesSomething, withdrawCalculation } from './keep-calculation.js'
import type { KeepParts } from './keep-outcome.js'
import { createOneAtATime } from './one-at-a-time.js'
import { type Attempt, priceWithinLimits, type Settled, withoutLimitedBenefits } from './price-within-limits.js'
import type { Call, Reply } from './replies.js'
import { conflict, isAdmitted, orUnavailable, refused, sameBody, turnedAway, unavailable } from './replying.js'
import { createSpeculation, guessedMember, pricedAhead, type Speculation } from './speculation.js'

export interface BasketParts extends KeepParts {
  readonly engine: PricingEngine
  readonly facts: LookupCache
  readonly environment: 'staging' | 'production'
  readonly deadlineMs: number
  /** Inputs of pricing other than programme and facts: stored with every calculation, so that it can be computed again. */
  readonly discountCode: string
  readonly stepsMax: number
}

/** Keys answered here that are remembered: their repeats come within minutes. */
const answeredMax = 10_000

/** Calculates a basket (contract 4.2): stored answer, checks 11 to 14, price, keep, answer. */
export function createCalculateBasket(parts: BasketParts): (call: Call) => Promise<Reply> {
  const turns = createOneAtATime()
  const speculation = createSpeculation(parts)
  const answered = new LRUCache<string, true>({ max: answeredMax })
  return async (call) => {
    const reply = await turns.run(call.idempotencyKey, remainingMs(parts, call), () =>
      orUnavailable(calculate({ ...parts, speculation }, call, answered.has(call.idempotencyKey))),
    )
    if (typeof reply === 'object' && reply.kind === 'answered') answered.set(call.idempotencyKey, true)
    return reply === 'waited_too_long' ? unavailable('deadline') : reply
  }
}

interface Parts extends BasketParts {
  readonly speculation: Speculation
}

async function calculate(parts: Parts, call: Call, isRepeat: boolean): Promise<Reply> {
  const { engine, facts, speculation, environment } = parts
  // Taken before the ledger call: these marks then show what Redis loses later.
  const { marks } = parts.vouching
  const finding = findAnswer(parts, call.idempotencyKey, { marks, isRepeat })
  // Awaited below, unless the body is refused first.
  finding.catch(() => {})
  // A repeat has its answer: pricing it meanwhile would be wasted.
  const guess = isRepeat ? null : await speculation.guess(call.body)
  const read = await engine.readBasket(call.body, call.idempotencyKey, { untilMs: untilMs(parts, call), ahead: guess })
  if (read.kind === 'refused') return refused(read.refusal)
  call.onRead?.(read.facts)
  try {
    const { lookup, reach } = await finding
    if (!(await isAdmitted(call))) return turnedAway
    if (lookup.kind !== 'unknown') return await replay(parts, call, { lookup, read })
    const check = checkBasket(read, await facts.findVenue(read.facts.venueId), environment)
    switch (check.kind) {
      case 'refused':
        return await refuseUnlessAnswered(parts, call, { read, marks, refusal: check.refusal })
      case 'passed':
        return await priceAndKeep(parts, call, { read, venue: check.venue, guess, reach, marks })
    }
  } finally {
    engine.forget(read.ticket)
  }
}

interface Refused {
  readonly read: ReadBasket
  readonly marks: Marks
  readonly refusal: BasketRefusal
}

/** A stored answer wins over checks 11 to 14 (wire decisions 3). */
async function refuseUnlessAnswered(parts: Parts, call: Call, { read, marks, refusal }: Refused): Promise<Reply> {
  const how = { marks, untilMs: untilMs(parts, call) }
  const lookup = await findAnswerBeforeRefusal(parts, call.idempotencyKey, how)
  return lookup.kind === 'unknown' ? refused(refusal) : await replay(parts, call, { lookup, read })
}

interface CheckedBasket {
  readonly read: ReadBasket
  readonly venue: StoredVenue
  /** The input with which the thread priced it while reading. */
  readonly guess: PricingAhead | null
  readonly reach: LedgerReach
  readonly marks: Marks
}

/** Prices and keeps; where limits have less left than assumed, prices again with the rest. */
async function priceAndKeep(parts: Parts, call: Call, basket: CheckedBasket): Promise<Reply> {
  const { engine, facts, speculation, discountCode, stepsMax } = parts
  const { read, venue, reach } = basket
  const guessed = guessedMember(basket, facts.programmeVersion)
  const { member, programmeVersion, arms } = guessed ?? (await facts.findMember(read.facts.loyaltyId))
  const venueFacts = facts.venueFacts(venue)
  const pricingOf = (available: PricingFacts['available']): PricingFacts => {
    return { programmeVersion, member, arms, venue: venueFacts, available, discountCode, stepsMax }
  }
  return await priceWithinLimits({
    start:
      reach === 'out'
        ? { available: withoutLimitedBenefits, wasShort: false }
        : await speculation.startOf(basket, { programmeVersion, member, venue: venueFacts }),
    async price(available) {
      const pricing = pricingOf(available)
      return pricedAhead(basket, pricing) ?? (await engine.priceBasket(read.ticket, pricing, untilMs(parts, call)))
    },
    settle: (attempt) => keep(parts, call, { basket, attempt, pricing: pricingOf(attempt.available) }),
  })
}

interface PricedBasket {
  readonly basket: CheckedBasket
  readonly attempt: Attempt
  readonly pricing: PricingFacts
}

async function keep(parts: Parts, call: Call, { basket, attempt, pricing }: PricedBasket): Promise<Settled<Reply>> {
  const { read, reach, marks } = basket
  const { priced, wasShort } = attempt
  const answeredAt = parts.posLedger.clock()
  const record = calculationRecord({ facts: read.facts, pricing, priced, answeredAt })
  if (reach === 'missed' && takesSomething(record)) return done(unavailable('ledger missed'))
  const how = { withinMs: remainingMs(parts, call), ledgerFirst: wasShort, marks }
  const kept = await keepCalculation(parts, record, how)
  switch (kept.kind) {
    case 'kept':
      return done(answer(parts, call, { priced, record, by: kept.by }))
    case 'known':
      return done(await replay(parts, call, { lookup: kept.lookup, read }))
    case 'short':
      parts.speculation.noteShort(pricing.programmeVersion, record.holds, kept.left)
      return kept
    case 'limits_unknown':
      return kept
    case 'busy':
      return done(unavailable('ledger busy'))
    case 'too_late':
      return done(unavailable('deadline'))
  }
}

function done(value: Reply): Settled<Reply> {
  return { kind: 'done', value }
}

interface KeptAnswer {
  readonly priced: Priced
  readonly record: CalculationRecord
  readonly by: 'cache' | 'ledger'
}

/** After the deadline the POS has stopped waiting: the reservations go back (wire decisions 6). */
function answer(parts: Parts, call: Call, { priced, record, by }: KeptAnswer): Reply {
  if (remainingMs(parts, call) > 0) {
    if (by === 'ledger') rememberCalculation(parts, record)
    return { kind: 'answered', body: priced.answer, replayed: false, outcome: priced.status }
  }
  if (by === 'ledger') parts.inBackground(withdrawCalculation(parts, record))
  return unavailable('deadline')
}

interface AnsweredBefore {
  readonly lookup: AnswerLookup
  readonly read: ReadBasket
}

async function replay(parts: Parts, call: Call, { lookup, read }: AnsweredBefore): Promise<Reply> {
  switch (lookup.kind) {
    case 'stored':
      return await replayOrConflict(parts, call, { read, stored: lookup.answer })
    case 'outlived':
      return conflict(call, 'basket')
    case 'unknown':
      // Another call had this key when ours came to be kept, and has since been withdrawn: the POS may try again.
      return unavailable('answer withdrawn')
  }
}

interface ToCompare {
  readonly read: ReadBasket
  readonly stored: StoredAnswer
}

async function replayOrConflict({ engine }: Parts, call: Call, { read, stored }: ToCompare): Promise<Reply> {
  const { request, answer } = await engine.unpack(stored.packed)
  const first = { digest: stored.digest, body: request }
  const isSame = await sameBody(engine, first, { digest: read.facts.digest, body: call.body })
  return isSame ? { kind: 'answered', body: answer, replayed: true, outcome: 'replay' } : conflict(call, 'basket')
}

function untilMs({ deadlineMs }: BasketParts, { arrivedAtMs }: Call): number {
  return arrivedAtMs + deadlineMs
}

function remainingMs(parts: BasketParts, call: Call): number {
  return untilMs(parts, call) - performance.now()
}
