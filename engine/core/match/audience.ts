import type { MemberFacts } from '../base/basket.js'
import type { Benefit } from '../base/programme.js'

/** The members that an audience takes; null: the list was not given. */
export interface AudienceSets {
  readonly tiers: ReadonlySet<string> | null
  readonly segments: ReadonlySet<string> | null
  readonly memberIds: ReadonlySet<string> | null
}

export function audienceSets(audience: Benefit['audience']): AudienceSets {
  const setOf = (list: readonly string[] | undefined) => (list === undefined ? null : new Set(list))
  return { tiers: setOf(audience?.tiers), segments: setOf(audience?.segments), memberIds: setOf(audience?.memberIds) }
}

/** Whether a member matches one entry of each list given. */
export function isAudience({ tiers, segments, memberIds }: AudienceSets, member: MemberFacts): boolean {
  if (memberIds !== null && !memberIds.has(member.memberId)) return false
  if (tiers !== null && (member.tier === null || !tiers.has(member.tier))) return false
  return segments === null || member.segments.some((segment) => segments.has(segment))
}
