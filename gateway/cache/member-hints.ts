import { LRUCache } from 'lru-cache'
import type { MemberFacts } from '../../engine/core/base/basket.js'
import { StoreFault } from '../../store/fault.js'
import type { NamedHints } from '../../store/ledger/members.js'
import type { Ledger } from '../../store/ledger.js'
import { withMethods } from '../../store/with-methods.js'

/** How old a hint may be, in milliseconds (page 4, section 2). */
const hintMs = 2_000
/** How long nobody asks again after a fault, in milliseconds: the basket that met it looks twice and should wait once. */
const faultMs = 250
const membersMax = 20_000
const unanswered = Number.POSITIVE_INFINITY

/**
 * What the ledger has of members' value, visits and tiers, for pricing: a hint, of value the ledger decides when a basket is kept. Asked for at most once every
 * `hintMs` for each loyalty id.
 */
export interface MemberHints {
  /** Begins to ask, if nothing is at hand, so that what else is asked in this turn of the event loop leaves with it. A store out of reach is no fault here. */
  get(loyaltyId: string): Hinted | Promise<Hinted>
  /** After a change that this gateway has made of this member's value: what was asked before it counts no more. */
  forget(memberId: string): void
  forgetAll(): void
}

/** An answer of the ledger. */
export interface Hinted {
  /** The member with its hints, the same object for the same facts; without them where the ledger could not be asked. */
  over(member: MemberFacts): MemberFacts
}

interface Entry extends Hinted {
  /** `performance.now()` until which it counts. */
  untilMs: number
  /** Place among questions and changes: what was asked before a change is older than it. */
  readonly askedAt: number
  memberId: string | null
  readonly answer: Promise<Hinted>
}

export function createMemberHints(ledger: { readonly members: Pick<Ledger['members'], 'findHints'> }): MemberHints {
  const entries = new LRUCache<string, Entry>({ max: membersMax })
  const changed = new LRUCache<string, number>({ max: membersMax, ttl: 2 * hintMs })
  let turn = 0
  let lastChange = 0

  function isCurrent({ untilMs, askedAt, memberId }: Entry): boolean {
    // Nobody knows yet whose answer it will be.
    if (untilMs === unanswered) return askedAt > lastChange
    return performance.now() < untilMs && (memberId === null || (changed.get(memberId) ?? 0) < askedAt)
  }

  function ask(loyaltyId: string): Entry {
    turn += 1
    let hints: NamedHints | null = null
    const sentAtMs = performance.now()
    const entry: Entry = {
      untilMs: unanswered,
      askedAt: turn,
      memberId: null,
      over: createOver(() => hints),
      answer: ledger.members.findHints(loyaltyId).then(
        (found) => {
          hints = found
          Object.assign(entry, { memberId: found?.memberId ?? null, untilMs: sentAtMs + hintMs })
          return entry
        },
        (error: unknown) => {
          if (!(error instanceof StoreFault)) {
            entries.delete(loyaltyId)
            throw error
          }
          entry.untilMs = performance.now() + faultMs
          return entry
        },
      ),
    }
    entries.set(loyaltyId, entry)
    return entry
  }

  return {
    get(loyaltyId) {
      const known = entries.get(loyaltyId)
      const entry = known !== undefined && isCurrent(known) ? known : ask(loyaltyId)
      return entry.untilMs === unanswered ? entry.answer : entry
    },
    forget(memberId) {
      turn += 1
      lastChange = turn
      changed.set(memberId, turn)
    },
    forgetAll: () => entries.clear(),
  }
}

const changesHints = /^(value|rewards)\.|^returns\.record$|^members\.(setTier|merge)$|^sales\.claim$/
/** Calls that only read, or change nothing that a hint tells. */
const readsOnly = /^value\.(find|list|report)/

/** The same ledger for internal services: after a call that may have changed what members have, all hints are forgotten. */
export function forgettingHints(ledger: Ledger, facts: { forgetHints(memberId: null): void }): Ledger {
  return withMethods(ledger, (path, method) => {
    if (!changesHints.test(path) || readsOnly.test(path)) return method
    return async (...args) => {
      const reply = await method(...args)
      facts.forgetHints(null)
      return reply
    }
  })
}

/** Hints of somebody else, who had the loyalty id a moment before or after, are left out. */
function createOver(hintsNow: () => NamedHints | null): Hinted['over'] {
  let last: { readonly of: MemberFacts; readonly hinted: MemberFacts } | null = null
  return (member) => {
    const hints = hintsNow()
    if (hints === null || hints.memberId !== member.memberId) return member
    const { balances, visits, tier } = hints
    if (last?.of !== member) last = { of: member, hinted: { ...member, balances, visits, tier: tier ?? member.tier } }
    return last.hinted
  }
}
