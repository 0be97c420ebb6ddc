import type { Basket, MemberFacts, VenueTime } from '../base/basket.js'
import type { Audience, Between } from '../base/programme.js'
import { dayAt, dayNumber, dayNumberOf, dayOfMoment, type WallClock } from './calendar.js'
import { anniversaryNear, birthdayNear } from './yearly-date.js'

type Others = Omit<Audience, 'tiers' | 'segments' | 'memberIds'>

export interface AudienceSets {
  readonly tiers: ReadonlySet<string> | null
  readonly segments: ReadonlySet<string> | null
  readonly memberIds: ReadonlySet<string> | null
  readonly others: Others | null
}

interface AudienceOccasion {
  readonly basket: Pick<Basket, 'supersedes'>
  readonly member: MemberFacts
  readonly venue: VenueTime
  readonly clock: () => WallClock
}

export function audienceSets(audience: Audience | null): AudienceSets {
  const { tiers, segments, memberIds, ...others } = audience ?? {}
  const setOf = (list: readonly string[] | undefined) => (list === undefined ? null : new Set(list))
  return {
    tiers: setOf(tiers),
    segments: setOf(segments),
    memberIds: setOf(memberIds),
    others: Object.keys(others).length === 0 ? null : others,
  }
}

/** Requires an entry of each list, and all the rest (4-member-value, section 2). */
export function isAudience({ tiers, segments, memberIds, others }: AudienceSets, occasion: AudienceOccasion): boolean {
  const { member } = occasion
  if (memberIds !== null && !memberIds.has(member.memberId)) return false
  if (tiers !== null && (member.tier === null || !tiers.has(member.tier))) return false
  if (segments !== null && !member.segments.some((segment) => segments.has(segment))) return false
  return others === null || (hasCounts(others, occasion) && hasDates(others, occasion))
}

function hasCounts({ visits, balances }: Others, occasion: AudienceOccasion): boolean {
  if (visits !== undefined && !isBetween(visits, occasion.member.visits)) return false
  return balances === undefined || balances.every((each) => isBetween(each, availableOf(each.currencyId, occasion)))
}

function isBetween({ from = 0, to = Number.POSITIVE_INFINITY }: Between, count: number | undefined): boolean {
  return count !== undefined && count >= from && count <= to
}

function availableOf(currencyId: string, { member, basket }: AudienceOccasion): number | undefined {
  const { balances, holds = [] } = member
  if (balances === undefined) return undefined
  const isHeld = (hold: (typeof holds)[number]) =>
    hold.currencyId === currencyId && hold.calculationId !== basket.supersedes
  return (balances[currencyId] ?? 0) - holds.reduce((sum, hold) => sum + (isHeld(hold) ? hold.amount : 0), 0)
}

function hasDates(others: Others, { member, venue, clock }: AudienceOccasion): boolean {
  const { birthday, anniversary, joinedWithinDays, lastVisit } = others
  if (birthday === undefined && anniversary === undefined && joinedWithinDays === undefined && lastVisit === undefined)
    return true
  const today = dayAt(clock(), venue.dayStartsAt)
  if (birthday !== undefined && birthdayNear(birthday, member, today) === null) return false
  if (anniversary !== undefined && anniversaryNear(anniversary, member, today) === null) return false
  if (joinedWithinDays !== undefined && !isNewcomer(joinedWithinDays, member.joinedOn, today)) return false
  return lastVisit === undefined || isLastSeen(lastVisit, member.lastVisitAt, { today, venue })
}

function isNewcomer(daysMax: number, joinedOn: string | undefined, today: WallClock): boolean {
  if (joinedOn === undefined) return false
  const [year, month, day] = joinedOn.split('-').map(Number) as [number, number, number]
  const days = dayNumberOf(today) - dayNumber(year, month, day)
  return days >= 0 && days <= daysMax
}

function isLastSeen(
  { atLeastDays, atMostDays }: NonNullable<Audience['lastVisit']>,
  lastVisitAt: number | null | undefined,
  { today, venue }: { readonly today: WallClock; readonly venue: VenueTime },
): boolean {
  if (lastVisitAt === undefined) return false
  if (lastVisitAt === null) return atMostDays === undefined
  const days = dayNumberOf(today) - dayNumberOf(dayOfMoment(lastVisitAt, venue))
  return days >= (atLeastDays ?? Number.NEGATIVE_INFINITY) && days <= (atMostDays ?? Number.POSITIVE_INFINITY)
}
