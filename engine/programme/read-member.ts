import type { Place } from './place.js'
import { Once, openFields, readDate, readDayOfYear, readFlag, readId, readList, readOptional } from './read-values.js'
import { readOwn } from './read-venue.js'

export interface ProgrammeMember {
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly blocked: boolean
  readonly birthday?: string
  readonly joinedOn?: string
}

export interface MemberIdentities {
  readonly memberIds: Once
  readonly loyaltyIds: Once
}

export function createMemberIdentities(): MemberIdentities {
  return { memberIds: new Once('memberId'), loyaltyIds: new Once('loyaltyId') }
}

const memberFields = ['memberId', 'loyaltyIds', 'tier', 'segments', 'blocked', 'birthday', 'joinedOn'] as const

/**
 * Reads one member.
 *
 * @param readCards  `readOptionalList` where the loyalty ids may be left out
 */
export function readMember(
  place: Place,
  identities: MemberIdentities,
  readCards: typeof readList = readList,
): ProgrammeMember {
  const at = openFields(place, memberFields)
  const [birthday, joinedOn] = [at('birthday'), at('joinedOn')]
  return {
    memberId: readOwn(at('memberId'), identities.memberIds),
    loyaltyIds: readCards(at('loyaltyIds'), (entry) => readOwn(entry, identities.loyaltyIds)),
    tier: readOptional(at('tier'), readId),
    segments: readOptional(at('segments'), (list) => readList(list, readId)) ?? [],
    blocked: readOptional(at('blocked'), readFlag) ?? false,
    ...(birthday.absent ? {} : { birthday: readDayOfYear(birthday) }),
    ...(joinedOn.absent ? {} : { joinedOn: readDate(joinedOn) }),
  }
}
