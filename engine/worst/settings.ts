import type { MemberFacts, VenueFacts } from '../core/base/basket.js'
import type { Audience, Benefit } from '../core/base/programme.js'
import { dateOf, dateText, dayNumberOf, dayOfMoment, wallClock } from '../core/match/calendar.js'
import type { CompiledProgramme } from '../core/match/compile.js'
import { isOpen } from '../core/match/open.js'
import type { Setting } from './trial.js'

export interface OpenSetting extends Setting {
  readonly open: ReadonlySet<string>
}

export interface SettingsAsked {
  readonly programme: CompiledProgramme
  readonly venues: readonly VenueFacts[]
  readonly nowMs: number
}

const halfHourMs = 1_800_000
const minuteMs = 60_000
const dayMs = 86_400_000
/** Days searched for windows of schedules: a week, and its edges. */
const days = 8
const settingsMax = 40
const momentsMax = 60
const audiencesMax = 60

/**
 * Members, places and moments: one setting for each different set of open benefits, the largest first. Members are made of the audiences;
 * moments are the half hours of a week and of the days on which clocks change, and the first and last minute of each benefit.
 */
export function settingsOf({ programme, venues, nowMs }: SettingsAsked): readonly OpenSetting[] {
  const benefits = programme.benefits.map(({ benefit }) => benefit)
  const found = new Map<string, OpenSetting>()
  for (const venue of venues) {
    for (const requestedAt of momentsOf(programme, venue, nowMs)) {
      for (const member of membersOf(benefits, requestedAt, venue)) {
        for (const channel of channelsOf(benefits)) {
          const setting = { member, venue, requestedAt, channel }
          const open = openIn(programme, setting)
          const key = `${venue.venueId}/${[...open].join('\n')}/${hasValue(member)}`
          if (!found.has(key)) found.set(key, { ...setting, open })
        }
      }
    }
  }
  return chosen([...found.values()], benefits)
}

function chosen(found: readonly OpenSetting[], benefits: readonly Benefit[]): readonly OpenSetting[] {
  const sorted = [...found].sort((a, b) => b.open.size - a.open.size)
  const kept = new Set(sorted.slice(0, settingsMax))
  for (const { benefitId } of benefits) {
    const own = sorted.filter(({ open }) => open.has(benefitId))
    if (own[0] !== undefined) kept.add(own[0])
  }
  return sorted.filter((each) => kept.has(each))
}

export function openIn(programme: CompiledProgramme, { member, venue, requestedAt, channel }: Setting): Set<string> {
  const clock = () => wallClock(requestedAt, venue.timeZone)
  const occasion = { basket: { requestedAt, channel }, member, venue, clock }
  return new Set(programme.benefits.filter((each) => isOpen(each, occasion)).map(({ benefit }) => benefit.benefitId))
}

function momentsOf(programme: CompiledProgramme, venue: VenueFacts, nowMs: number): readonly number[] {
  const start = Math.ceil(nowMs / halfHourMs) * halfHourMs
  const week = Array.from({ length: (days * dayMs) / halfHourMs }, (_, at) => start + at * halfHourMs)
  const changes = clockChanges(start, venue.timeZone).flatMap((day) =>
    Array.from({ length: (2 * dayMs) / halfHourMs }, (_, at) => day + at * halfHourMs),
  )
  const edges = programme.benefits.flatMap(({ benefit: { validFrom, validUntil } }) => [
    ...(validFrom === null || validFrom < nowMs ? [] : [validFrom, validFrom + dayMs / 2, validFrom + dayMs]),
    ...(validUntil === null || validUntil <= nowMs ? [] : [validUntil - minuteMs]),
  ])
  const seen = new Map<string, number>()
  const timed = programme.benefits.map((each) => ({
    ...each,
    ...{ tiers: null, segments: null, memberIds: null, others: null, venueIds: null },
    benefit: { ...each.benefit, channels: null },
  }))
  for (const requestedAt of [...week, ...edges, ...changes]) {
    const clock = () => wallClock(requestedAt, venue.timeZone)
    const occasion = { basket: { requestedAt, channel: 'pos' as const }, member: plain, venue, clock }
    const key = timed.map((each) => (isOpen(each, occasion) ? 1 : 0)).join('')
    if (!seen.has(key)) seen.set(key, requestedAt)
  }
  return [...seen.values()].slice(0, momentsMax)
}

function clockChanges(start: number, timeZone: string): readonly number[] {
  const starts = Array.from({ length: daysOfYear }, (_, day) => start + day * dayMs)
  const isSet = (at: number) => wallClock(at, timeZone).minute !== wallClock(at + dayMs, timeZone).minute
  return starts.filter(isSet)
}

const daysOfYear = 366

const plain: MemberFacts = { memberId: 'member', tier: null, segments: [] }

function channelsOf(benefits: readonly Benefit[]): readonly string[] {
  return [...new Set(['pos', ...benefits.flatMap(({ channels }) => channels ?? [])])]
}

function hasValue({ balances = {} }: MemberFacts): boolean {
  return Object.values(balances).some((amount) => amount > 0)
}

function membersOf(benefits: readonly Benefit[], at: number, venue: VenueFacts): readonly MemberFacts[] {
  const audiences = benefits.flatMap(({ audience }) => (audience === null ? [] : [audience]))
  const distinct = [...new Map(audiences.map((each) => [JSON.stringify(each), each])).values()].slice(0, audiencesMax)
  const day = dayNumberOf(dayOfMoment(at, venue))
  const members = [plain, ...distinct.map((audience) => memberFor(audience, distinct, { at, day }))]
  const plenty = balancesFor(benefits)
  if (Object.keys(plenty).length === 0) return members
  const rich = members.map((member) => ({ ...member, balances: { ...plenty, ...member.balances } }))
  return [...members, ...rich]
}

function balancesFor(benefits: readonly Benefit[]): Record<string, number> {
  const balances: Record<string, number> = {}
  for (const { costs } of benefits) {
    if (costs === null) continue
    balances[costs.currencyId] = Math.max(balances[costs.currencyId] ?? 0, costs.amount * paymentsOf)
  }
  return balances
}

const paymentsOf = 100

interface Today {
  readonly at: number
  readonly day: number
}

function memberFor(audience: Audience, all: readonly Audience[], { at, day }: Today): MemberFacts {
  const of = <Key extends keyof Audience>(key: Key) =>
    audience[key] ?? all.find((each) => each[key] !== undefined)?.[key]
  const { year, ...rest } = dateOf(day)
  const { visits, lastVisit } = audience
  const ago = lastVisit?.atLeastDays ?? lastVisit?.atMostDays ?? 1
  const isNew = audience.joinedWithinDays !== undefined
  const isFirst = visits?.to !== undefined && visits.from === undefined
  return {
    memberId: audience.memberIds?.[0] ?? 'member',
    tier: of('tiers')?.[0] ?? null,
    segments: [...new Set(all.flatMap(({ segments }) => segments ?? []))],
    visits: isFirst ? visits.to! : (visits?.from ?? 20),
    lastVisitAt: isFirst && visits.to === 0 ? null : at - ago * dayMs,
    birthday: dateText({ year, ...rest }).slice(5),
    joinedOn: isNew ? dateText({ year, ...rest }) : dateText({ year: year - 1, ...rest }),
    balances: Object.fromEntries(
      (of('balances') ?? []).map(({ currencyId, from, to }) => [currencyId, from ?? to ?? 0]),
    ),
  }
}
