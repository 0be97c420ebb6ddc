import type { MemberFacts } from '../../engine/core/base/basket.js'
import { counterKey, type Want } from '../../engine/core/base/outcome.js'
import type { BasketFacts, Priced, PricingAhead, PricingFacts } from '../../engine/index.js'
import { StoreFault } from '../../store/fault.js'
import type { Ledger } from '../../store/ledger.js'
import { createExhaustedCounters } from '../cache/exhausted-counters.js'
import type { Facts } from '../cache/facts.js'
import type { ReadBasket } from './check-basket.js'
import { peekBasket } from './peek-basket.js'
import type { Available } from './price-within-limits.js'

/** Work begun before anybody knows that it is needed. A wrong guess costs time; no answer depends on one. */
export interface Speculation {
  /**
   * The facts for pricing a basket, sent in the message that lets a thread read it. This saves one of two messages. null: it cannot be guessed, or
   * the basket may want a counter that was exhausted lately.
   */
  guess(body: Uint8Array): Promise<PricingAhead | null>
  /** Units left of counters that were exhausted lately and that this basket may want, by counterKey: one pricing instead of two. */
  leftOfExhausted(basket: BasketFacts, facts: Pick<PricingFacts, 'programmeVersion' | 'member'>): Promise<Available>
  /** Remembers the counters that had less left than wanted. */
  noteShort(programmeVersion: number, wants: readonly Want[], left: Available): void
}

interface Parts {
  readonly ledger: { readonly counters: Pick<Ledger['counters'], 'lookUp'> }
  readonly facts: Pick<Facts, 'peek' | 'venueFacts'>
  readonly discountCode: string
  readonly stepsMax: number
}

export function createSpeculation({ ledger, facts, discountCode, stepsMax }: Parts): Speculation {
  const exhausted = createExhaustedCounters(ledger)
  return {
    async guess(body) {
      const names = peekBasket(body)
      const found = names && (await facts.peek(names))
      if (names === null || found === null) return null
      const { member, programmeVersion, venue } = found
      if (exhausted.has(subjectsOf(member, venue.venueId))) return null
      const pricing = {
        programmeVersion,
        member,
        venue: facts.venueFacts(venue),
        available: {},
        discountCode,
        stepsMax,
      }
      return { ...names, facts: pricing }
    },

    async leftOfExhausted({ supersedesCalculationId, venueId }, { programmeVersion, member }) {
      const subjects = subjectsOf(member, venueId)
      // Only the ledger can tell which units the superseded calculation gives back, when it confirms the new one.
      if (supersedesCalculationId !== null || !exhausted.has(subjects)) return {}
      try {
        return await exhausted.askLedger(programmeVersion, subjects)
      } catch (error) {
        // The ledger is asked again before anything is kept.
        if (!(error instanceof StoreFault)) throw error
        return {}
      }
    },

    noteShort(programmeVersion, wants, left) {
      const short = wants.filter((want) => (left[counterKey(want)] ?? want.units) < want.units)
      exhausted.note(programmeVersion, short)
    },
  }
}

/** What was priced while it was read; null: nothing was, or a fact has changed since. */
export function pricedAhead(read: ReadBasket, guess: PricingAhead | null, facts: PricingFacts): Priced | null {
  if (guess === null || Object.keys(facts.available).length > 0) return null
  const { programmeVersion, member, venue } = guess.facts
  const isSame = programmeVersion === facts.programmeVersion && member === facts.member && venue === facts.venue
  return isSame ? read.ahead : null
}

/** Whose counters a basket can want: of the member, the venue, or everyone. */
function subjectsOf(member: MemberFacts | null, venueId: string): readonly string[] {
  return member === null ? [] : [member.memberId, venueId, '']
}
