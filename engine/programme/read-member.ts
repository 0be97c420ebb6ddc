import type { Place } from './place.js'
import { Once, openFields, readFlag, readId, readList, readOptional } from './read-values.js'
import { readOwn } from './read-venue.js'

/** A member of the programme (benefits 1), as the ledger stores it. */
export interface ProgrammeMember {
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly blocked: boolean
}

/** Values that must be unique to one member. */
export interface MemberIdentities {
  readonly memberIds: Once
  readonly loyaltyIds: Once
}

export function createMemberIdentities(): MemberIdentities {
  return { memberIds: new Once('memberId'), loyaltyIds: new Once('loyaltyId') }
}

const memberFields = ['memberId', 'loyaltyIds', 'tier', 'segments', 'blocked'] as const

/** Reads one member. */
export function readMember(place: Place, identities: MemberIdentities): ProgrammeMember {
  const at = openFields(place, memberFields)
  return {
    memberId: readOwn(at('memberId'), identities.memberIds),
    loyaltyIds: readList(at('loyaltyIds'), (entry) => readOwn(entry, identities.loyaltyIds)),
    tier: readOptional(at('tier'), readId),
    segments: readOptional(at('segments'), (list) => readList(list, readId)) ?? [],
    blocked: readOptional(at('blocked'), readFlag) ?? false,
  }
}
