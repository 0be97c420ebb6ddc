import type { MemberFacts } from '../base/basket.js'
import type { Benefit } from '../base/programme.js'

/** Members of an audience; null: no such list. */
export interface AudienceSets {
  readonly tiers: ReadonlySet<string> | null
  readonly segments: ReadonlySet<string> | null
  readonly memberIds: ReadonlySet<string> | null
}

export function audienceSets(audience: Benefit['audience']): AudienceSets {
  const setOf = (list: readonly string[] | undefined) => (list === undefined ? null : new Set(list))
  return { tiers: setOf(audience?.tiers), segments: setOf(audience?.segments), memberIds: setOf(audience?.memberIds) }
}

/** Whether a member matches an entry of each list. */
export function isAudience({ tiers, segments, memberIds }: AudienceSets, member: MemberFacts): boolean {
  if (memberIds !== null && !memberIds.has(member.memberId)) return false
  if (tiers !== null && (member.tier === null || !tiers.has(member.tier))) return false
  return segments === null || member.segments.some((segment) => segments.has(segment))
}
