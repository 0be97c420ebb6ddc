import type { AudiencePart, BenefitPart, WindowPart } from '../../api/programme.js'

/** Where, when and for whom a basket was priced. */
export interface Occasion {
  /** By this moment benefits are open or not. */
  readonly at: Date
  /** IANA name of the venue's zone. */
  readonly zone: string
  readonly venueId: string
  /** Word of the contract, such as `pos`. */
  readonly channel: string
  readonly buyer: Buyer
}

/** The member as it was priced; what is not known matches nothing. */
export interface Buyer {
  readonly memberId: string
  readonly tier?: string | undefined
  readonly segments: readonly string[]
  readonly visits?: bigint | undefined
  /** `MM-DD`. */
  readonly birthday?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly joinedOn?: string | undefined
}

/** A term of a benefit that kept it closed. */
export type ClosedBy =
  | 'enabled'
  | 'validFrom'
  | 'validUntil'
  | 'venueIds'
  | 'channels'
  | 'schedule'
  | keyof Required<AudiencePart>

/** The terms by which a benefit was not open to a member, there and then, as the engine judges them; none: it was open. */
export function closedBy(benefit: BenefitPart, occasion: Occasion): readonly ClosedBy[] {
  const { enabled, validFrom, validUntil, venueIds, channels, schedule, audience } = benefit
  const at = occasion.at.getTime()
  const failed: Readonly<Record<Exclude<ClosedBy, keyof AudiencePart>, boolean>> = {
    enabled: enabled === false,
    validFrom: isGiven(validFrom) && at < Date.parse(validFrom),
    validUntil: isGiven(validUntil) && at >= Date.parse(validUntil),
    venueIds: isGiven(venueIds) && !venueIds.includes(occasion.venueId),
    channels: isGiven(channels) && !channels.includes(occasion.channel),
    schedule: isGiven(schedule) && !isScheduled(schedule, occasion),
  }
  const terms = Object.entries(failed) as [ClosedBy, boolean][]
  return [...terms, ...failedOfAudience(audience ?? {}, occasion)]
    .filter(([, isFailed]) => isFailed)
    .map(([term]) => term)
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}

function failedOfAudience(audience: AudiencePart, occasion: Occasion): readonly (readonly [ClosedBy, boolean])[] {
  const { tiers, segments, memberIds, visits, birthday, joinedWithinDays } = audience
  const { buyer } = occasion
  const count = Number(buyer.visits ?? Number.NaN)
  return [
    ['memberIds', isGiven(memberIds) && !memberIds.includes(buyer.memberId)],
    ['tiers', isGiven(tiers) && !(buyer.tier !== undefined && tiers.includes(buyer.tier))],
    ['segments', isGiven(segments) && !buyer.segments.some((segment) => segments.includes(segment))],
    ['visits', isGiven(visits) && !(count >= (visits.from ?? 0) && count <= (visits.to ?? Number.POSITIVE_INFINITY))],
    ['birthday', isGiven(birthday) && !isNearBirthday(birthday, occasion)],
    ['joinedWithinDays', isGiven(joinedWithinDays) && !isNewcomer(joinedWithinDays, occasion)],
  ]
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** `until` is exclusive, and on the next day if at or before `from`. */
function isScheduled(windows: readonly WindowPart[], { at, zone }: Occasion): boolean {
  const { day, time } = clockOf(at, zone)
  const today = (new Date(dayMs * day).getUTCDay() + 6) % 7
  const [now, before] = [weekdays[today]!, weekdays[(today + 6) % 7]!]
  return windows.some(({ days, from, until }) => {
    if (until > from) return days.includes(now) && time >= from && time < until
    return (days.includes(now) && time >= from) || (days.includes(before) && time < until)
  })
}

/** Whether a birthday of the year, the one before or the one after is near; 29 February is 28 February in other years. */
function isNearBirthday(
  { daysBefore, daysAfter }: NonNullable<AudiencePart['birthday']>,
  { at, zone, buyer }: Occasion,
): boolean {
  const { birthday } = buyer
  if (birthday === undefined) return false
  const { day, year } = clockOf(at, zone)
  return [-1, 0, 1].some((years) => {
    const ofYear = dayOf(`${year + years}-${birthday}`)
    const away = (Number.isNaN(ofYear) ? dayOf(`${year + years}-02-28`) : ofYear) - day
    return away <= daysBefore && -away <= daysAfter
  })
}

function isNewcomer(daysMax: number, { at, zone, buyer }: Occasion): boolean {
  const days = clockOf(at, zone).day - dayOf(buyer.joinedOn ?? '')
  return days >= 0 && days <= daysMax
}

const dayMs = 86_400_000

/** Days since 1970-01-01 of a date that there is; else not a number. */
function dayOf(date: string): number {
  const ms = Date.parse(`${date}T00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? Number.NaN : ms / dayMs
}

/** What the clocks of a zone show: days since 1970-01-01, the year, and the time as `HH:MM`. */
function clockOf(at: Date, timeZone: string) {
  // Swedish writes times as ISO 8601 does.
  const text = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone }).format(at)
  const [date = '', time = ''] = text.split(' ')
  return { day: dayOf(date), year: Number(date.slice(0, 4)), time }
}
