import type { MemberFacts } from '../../engine/core/base/basket.js'
import { counterKey, type Want } from '../../engine/core/base/outcome.js'
import type { Priced, PricingAhead, PricingFacts } from '../../engine/index.js'
import { StoreFault } from '../../store/fault.js'
import type { PosLedger } from '../../store/ledger.js'
import { createExhaustedCounters } from '../cache/exhausted-counters.js'
import type { LookupCache, MemberLookup } from '../cache/lookup-cache.js'
import type { ReadBasket } from './check-basket.js'
import { peekBasket } from './peek-basket.js'
import type { Available, Start } from './price-within-limits.js'

/** Work begun before it is certain to be needed. A wrong guess costs time; no answer depends on one. */
export interface Speculation {
  /**
   * The facts for pricing a basket, sent in the message that lets a thread read it. This saves one of two messages. Counters that were exhausted
   * lately count as exhausted. null: it cannot be guessed.
   */
  guess(body: Uint8Array): Promise<PricingAhead | null>
  /**
   * The facts for the first pricing: those of the guess if its exhausted counters made no difference; else with the units left in the
   * ledger.
   */
  startOf(basket: GuessedBasket, facts: FactsNow): Promise<Start>
  noteShort(programmeVersion: number, wants: readonly Want[], left: Available): void
}

/** Facts that a guess must have right. */
type FactsNow = Pick<PricingFacts, 'programmeVersion' | 'member' | 'venue'>

export interface GuessedBasket {
  readonly read: ReadBasket
  readonly guess: PricingAhead | null
}

interface Parts {
  readonly posLedger: { readonly counters: Pick<PosLedger['counters'], 'lookUp'> }
  readonly facts: Pick<LookupCache, 'peek' | 'venueFacts'>
  readonly discountCode: string
  readonly stepsMax: number
}

export function createSpeculation({ posLedger, facts, discountCode, stepsMax }: Parts): Speculation {
  const exhausted = createExhaustedCounters(posLedger)
  return {
    async guess(body) {
      const names = peekBasket(body)
      const found = names && (await facts.peek(names))
      if (names === null || found === null) return null
      const { member, programmeVersion, arms, venue } = found
      const pricing = {
        programmeVersion,
        member,
        arms,
        venue: facts.venueFacts(venue),
        available: exhausted.asExhausted(programmeVersion, subjectsOf(member, venue.venueId)),
        discountCode,
        stepsMax,
      }
      return { ...names, facts: pricing }
    },

    async startOf(basket, facts) {
      const { guess } = basket
      if (guess !== null && aheadOf(basket, facts)?.bounded === false) {
        return { available: guess.facts.available, wasShort: false }
      }
      const { programmeVersion, member } = facts
      const { supersedesCalculationId, venueId } = basket.read.facts
      // The units that the superseded calculation gives back are only in the ledger, when it confirms the new one.
      if (supersedesCalculationId !== null) return fromMaximum
      try {
        const available = await exhausted.askLedger(programmeVersion, subjectsOf(member, venueId))
        return { available, wasShort: Object.keys(available).length > 0 }
      } catch (error) {
        // The ledger is asked again before anything is kept.
        if (!(error instanceof StoreFault)) throw error
        return fromMaximum
      }
    },

    noteShort(programmeVersion, wants, left) {
      const short = wants.filter((want) => (left[counterKey(want)] ?? want.units) < want.units)
      exhausted.note(programmeVersion, short)
    },
  }
}

const fromMaximum: Start = { available: {}, wasShort: false }

/**
 * The member as the guess has it, so that a call asks for it once: it was asked for after the call had come. null: there is no guess, it
 * was wrong, or another programme is in force.
 */
export function guessedMember({ read, guess }: GuessedBasket, versionInForce: number): MemberLookup | null {
  const isSame = guess?.loyaltyId === read.facts.loyaltyId && guess.facts.programmeVersion === versionInForce
  return isSame ? guess.facts : null
}

/** The price of the speculative pricing; null: none, or a fact has changed since. */
export function pricedAhead(basket: GuessedBasket, facts: PricingFacts): Priced | null {
  const { guess } = basket
  return guess !== null && isSameAvailable(guess.facts.available, facts.available) ? aheadOf(basket, facts) : null
}

function aheadOf({ read, guess }: GuessedBasket, facts: FactsNow): Priced | null {
  if (guess === null) return null
  const { programmeVersion, member, venue } = guess.facts
  const isSame = programmeVersion === facts.programmeVersion && member === facts.member && venue === facts.venue
  return isSame ? read.ahead : null
}

function isSameAvailable(one: Available, other: Available): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}

/** Subjects of the counters that a basket can want: the member, the venue, everyone. */
function subjectsOf(member: MemberFacts | null, venueId: string): readonly string[] {
  return member === null ? [] : [member.memberId, venueId, '']
}
