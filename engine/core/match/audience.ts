import type { MemberFacts } from '../base/basket.js'
import type { Audience } from '../base/programme.js'
import { dayNumber, dayNumberOf, type WallClock } from './calendar.js'

/** Members of an audience; null: no such list. */
export interface AudienceSets {
  readonly tiers: ReadonlySet<string> | null
  readonly segments: ReadonlySet<string> | null
  readonly memberIds: ReadonlySet<string> | null
  /** What counts of the audience beside its lists: visits and dates; null: none of them. */
  readonly others: Pick<Audience, 'visits' | 'birthday' | 'joinedWithinDays'> | null
}

interface AudienceOccasion {
  readonly member: MemberFacts
  readonly clock: () => WallClock
}

export function audienceSets(audience: Audience | null): AudienceSets {
  const setOf = (list: readonly string[] | undefined) => (list === undefined ? null : new Set(list))
  const { visits, birthday, joinedWithinDays } = audience ?? {}
  const hasOthers = visits !== undefined || birthday !== undefined || joinedWithinDays !== undefined
  return {
    tiers: setOf(audience?.tiers),
    segments: setOf(audience?.segments),
    memberIds: setOf(audience?.memberIds),
    others: hasOthers ? audience : null,
  }
}

/** Whether a member matches an entry of each list, and all the rest (4-member-value, section 2). */
export function isAudience({ tiers, segments, memberIds, others }: AudienceSets, occasion: AudienceOccasion): boolean {
  const { member } = occasion
  if (memberIds !== null && !memberIds.has(member.memberId)) return false
  if (tiers !== null && (member.tier === null || !tiers.has(member.tier))) return false
  if (segments !== null && !member.segments.some((segment) => segments.has(segment))) return false
  return others === null || isOthers(others, occasion)
}

/** What nobody has counted, or a date that the member does not have, matches nothing. */
function isOthers(
  { visits, birthday, joinedWithinDays }: NonNullable<AudienceSets['others']>,
  { member, clock }: AudienceOccasion,
): boolean {
  if (visits !== undefined) {
    const { from = 0, to = Number.POSITIVE_INFINITY } = visits
    const count = member.visits ?? Number.NaN
    if (!(count >= from && count <= to)) return false
  }
  if (birthday !== undefined && !isNearBirthday(birthday, member.birthday, clock())) return false
  return joinedWithinDays === undefined || isNewcomer(joinedWithinDays, member.joinedOn, clock())
}

function isNearBirthday(
  { daysBefore, daysAfter }: NonNullable<Audience['birthday']>,
  birthday: string | undefined,
  clock: WallClock,
): boolean {
  if (birthday === undefined) return false
  const today = dayNumberOf(clock)
  return [-1, 0, 1].some((years) => {
    const away = birthdayIn(clock.year + years, birthday) - today
    return away <= daysBefore && -away <= daysAfter
  })
}

/** 29 February is 28 February in other years. */
function birthdayIn(year: number, birthday: string): number {
  const month = Number(birthday.slice(0, 2))
  const day = Number(birthday.slice(3))
  return day === 29 && month === 2 ? dayNumber(year, 3, 1) - 1 : dayNumber(year, month, day)
}

function isNewcomer(daysMax: number, joinedOn: string | undefined, clock: WallClock): boolean {
  if (joinedOn === undefined) return false
  const [year, month, day] = joinedOn.split('-').map(Number) as [number, number, number]
  const days = dayNumberOf(clock) - dayNumber(year, month, day)
  return days >= 0 && days <= daysMax
}
