import t from 'tap'
import type { Audience, ScheduleWindow, Weekday } from '../../engine/core/base/programme.js'
import { audienceSets } from '../../engine/core/match/audience.js'
import { wallClock } from '../../engine/core/match/calendar.js'
import { isOpenBy } from '../../engine/core/match/open.js'
import { fc } from '../support/seeded.js'
import { load } from './load.js'

/** A benefit as a programme has it, and where, when and for whom a basket was priced. */
interface Drawn {
  readonly benefit: {
    readonly enabled?: boolean
    readonly validFrom: string | null
    readonly validUntil: string | null
    readonly venueIds: readonly string[] | null
    readonly channels: readonly string[] | null
    readonly schedule:
      | readonly { readonly days: readonly Weekday[]; readonly from: string; readonly until: string }[]
      | null
    readonly audience: Audience | null
  }
  readonly occasion: {
    readonly at: Date
    readonly zone: string
    readonly venueId: string
    readonly channel: string
    readonly buyer: {
      readonly memberId: string
      readonly tier: string | undefined
      readonly segments: readonly string[]
      readonly visits: bigint | undefined
      readonly birthday: string | undefined
      readonly joinedOn: string | undefined
    }
  }
}

type ClosedBy = (benefit: Drawn['benefit'], occasion: Drawn['occasion']) => readonly string[]
const { closedBy } = await load<{ closedBy: ClosedBy }>('areas/calculations/closed-by.ts')

/** Whether the engine has the benefit open. */
function isOpen({ benefit, occasion: { at, zone, venueId, channel, buyer } }: Drawn): boolean {
  const { validFrom, validUntil, venueIds, channels, schedule, audience } = benefit
  const moment = (text: string | null) => (text === null ? null : Date.parse(text))
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  const windows = schedule?.map(({ days, from, until }): ScheduleWindow => {
    return { days, from: minutes(from), until: minutes(until) }
  })
  const terms = { validFrom: moment(validFrom), validUntil: moment(validUntil), channels, schedule: windows ?? null }
  const sets = { ...audienceSets(audience), venueIds: venueIds === null ? null : new Set(venueIds) }
  const { tier = null, visits, ...known } = buyer
  const member = { ...known, tier, visits: visits === undefined ? undefined : Number(visits) }
  return isOpenBy(terms, sets, {
    basket: { requestedAt: at.getTime(), channel: channel as 'pos' },
    member: Object.fromEntries(Object.entries(member).filter(([, value]) => value !== undefined)) as never,
    venue: { venueId, timeZone: zone } as never,
    clock: () => wallClock(at.getTime(), zone),
  })
}

const day = fc.constantFrom<Weekday>('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun')
const time = fc.constantFrom('00:00', '06:30', '10:00', '15:00', '23:59')
const moment = fc.date({ min: new Date('2023-12-01'), max: new Date('2028-03-31'), noInvalidDate: true })
const date = fc.constantFrom('01-01', '02-28', '02-29', '03-01', '06-15', '12-31')
const some = <Value>(each: fc.Arbitrary<Value>) => fc.option(each, { nil: null, freq: 2 })
const few = (...words: readonly string[]) => fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 })
const near = fc.integer({ min: 0, max: 40 })

const drawn: fc.Arbitrary<Drawn> = fc.record({
  benefit: fc.record({
    validFrom: some(moment.map((each) => each.toISOString())),
    validUntil: some(moment.map((each) => each.toISOString())),
    venueIds: some(few('oslo', 'bergen')),
    channels: some(few('pos', 'mpos')),
    schedule: some(
      fc.array(fc.record({ days: fc.uniqueArray(day, { minLength: 1 }), from: time, until: time }), { maxLength: 2 }),
    ),
    audience: some(
      fc.record(
        {
          tiers: few('gold', 'silver'),
          segments: few('student', 'staff'),
          memberIds: few('m-1', 'm-2'),
          visits: fc.record({ from: fc.nat(3), to: fc.integer({ min: 3, max: 6 }) }, { requiredKeys: ['from'] }),
          birthday: fc.record({ daysBefore: near, daysAfter: near }),
          joinedWithinDays: fc.integer({ min: 0, max: 900 }),
        },
        { requiredKeys: [] },
      ),
    ),
  }),
  occasion: fc.record({
    at: moment,
    zone: fc.constantFrom('Europe/Oslo', 'Europe/Helsinki', 'America/New_York', 'Pacific/Apia'),
    venueId: fc.constantFrom('oslo', 'bergen', 'helsinki'),
    channel: fc.constantFrom('pos', 'mpos'),
    buyer: fc.record({
      memberId: fc.constantFrom('m-1', 'm-2', 'm-3'),
      tier: fc.constantFrom('gold', 'silver', undefined),
      segments: fc.uniqueArray(fc.constantFrom('student', 'staff')),
      visits: fc.constantFrom(undefined, 0n, 3n, 7n),
      birthday: fc.option(date, { nil: undefined }),
      joinedOn: fc.option(
        moment.map((each) => each.toISOString().slice(0, 10)),
        { nil: undefined },
      ),
    }),
  }),
})

t.test('a benefit has a term that kept it closed exactly where the engine did not have it open', async (t) => {
  let [open, closed] = [0, 0]
  fc.assert(
    fc.property(drawn, (question) => {
      const terms = closedBy(question.benefit, question.occasion)
      if (terms.length === 0) open += 1
      else closed += 1
      return isOpen(question) === (terms.length === 0)
    }),
    { numRuns: 5_000 },
  )
  t.ok(open > 500 && closed > 500, `${open} open, ${closed} closed`)
})

t.test('every term that failed is named, and no other', async (t) => {
  const occasion = {
    at: new Date('2026-11-24T12:30:00+01:00'),
    zone: 'Europe/Oslo',
    venueId: 'oslo',
    channel: 'pos',
    buyer: {
      memberId: 'm-1',
      tier: 'silver',
      segments: [],
      visits: 2n,
      birthday: undefined,
      joinedOn: '2025-01-01',
    },
  }
  const any = { validFrom: null, validUntil: null, venueIds: null, channels: null, schedule: null, audience: null }
  const terms = (more: Partial<Drawn['benefit']>) => closedBy({ ...any, ...more }, occasion)
  t.same(terms({}), [])
  t.same(terms({ enabled: false }), ['enabled'])
  t.same(terms({ validFrom: '2026-12-01T00:00:00+01:00', venueIds: ['oslo'] }), ['validFrom'])
  t.same(terms({ schedule: [{ days: ['tue'], from: '15:00', until: '17:00' }] }), ['schedule'])
  t.same(terms({ channels: ['mpos'], audience: { tiers: ['gold'], visits: { from: 2 } } }), ['channels', 'tiers'])
  const audience = { segments: ['staff'], memberIds: ['m-1'], joinedWithinDays: 30 }
  t.same(terms({ audience: { ...audience, birthday: { daysBefore: 7, daysAfter: 7 }, visits: { to: 1 } } }), [
    'segments',
    'visits',
    'birthday',
    'joinedWithinDays',
  ])
})
