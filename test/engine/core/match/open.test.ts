import t from 'tap'
import type { Benefit, Weekday } from '../../../../engine/core/base/programme.js'
import { wallClock } from '../../../../engine/core/match/calendar.js'
import { compileProgramme } from '../../../../engine/core/match/compile.js'
import { closedBy, isOpen, type Occasion } from '../../../../engine/core/match/open.js'
import { fc } from '../../../support/seeded.js'
import { aBasket, aBenefit, aMember, percent, price } from '../builders.js'

type Terms = Pick<Benefit, 'validFrom' | 'validUntil' | 'venueIds' | 'channels' | 'schedule' | 'audience'>

const ten = aBenefit('ten', { kind: 'line_percentage', percentage: percent(10) })
const compiled = (terms: Partial<Terms>) => compileProgramme([{ ...ten, ...terms }]).benefits[0]!

interface Drawn {
  readonly requestedAt: number
  readonly timeZone: string
  readonly dayStartsAt?: number
  readonly venueId: string
  readonly channel: 'pos' | 'mpos'
  readonly member: Occasion['member']
}

function occasionOf({ requestedAt, timeZone, dayStartsAt = 0, venueId, channel, member }: Drawn): Occasion {
  const venue = { venueId, timeZone, dayStartsAt, currency: 'NOK', products: [] }
  return { basket: { requestedAt, channel }, member, venue, clock: () => wallClock(requestedAt, timeZone) }
}

const day = fc.constantFrom<Weekday>('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun')
const time = fc.constantFrom(0, 390, 600, 900, 1_439)
const date = fc.date({ min: new Date('2023-12-01'), max: new Date('2028-03-31'), noInvalidDate: true })
const moment = date.map((each) => each.getTime())
const birthday = fc.constantFrom('01-01', '02-28', '02-29', '03-01', '06-15', '12-31')
const some = <Value>(each: fc.Arbitrary<Value>) => fc.option(each, { nil: null, freq: 2 })
const few = (...words: readonly string[]) => fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 })
const near = fc.integer({ min: 0, max: 40 })

const terms: fc.Arbitrary<Terms> = fc.record({
  validFrom: some(moment),
  validUntil: some(moment),
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
        anniversary: fc.record({ daysBefore: near, daysAfter: near }),
        joinedWithinDays: fc.integer({ min: 0, max: 900 }),
        lastVisit: fc.record({ atLeastDays: fc.nat(30), atMostDays: fc.nat(900) }, { requiredKeys: ['atLeastDays'] }),
        balances: fc.tuple(fc.record({ currencyId: fc.constant('stamps'), from: fc.nat(9) })),
      },
      { requiredKeys: [] },
    ),
  ),
})
const drawn: fc.Arbitrary<Drawn> = fc.record({
  requestedAt: moment,
  timeZone: fc.constantFrom('Europe/Oslo', 'Europe/Helsinki', 'America/New_York', 'Pacific/Apia'),
  dayStartsAt: fc.constantFrom(0, 360),
  venueId: fc.constantFrom('oslo', 'bergen', 'helsinki'),
  channel: fc.constantFrom<'pos' | 'mpos'>('pos', 'mpos'),
  member: fc.record(
    {
      memberId: fc.constantFrom('m-1', 'm-2', 'm-3'),
      tier: fc.constantFrom('gold', 'silver', null),
      segments: fc.uniqueArray(fc.constantFrom('student', 'staff')),
      visits: fc.constantFrom(0, 3, 7),
      lastVisitAt: some(moment),
      balances: fc.record({ stamps: fc.nat(9) }),
      birthday,
      joinedOn: date.map((each) => each.toISOString().slice(0, 10)),
    },
    { requiredKeys: ['memberId', 'tier', 'segments'] },
  ),
})

t.test('a benefit has a term that kept it closed exactly where it is not open', async (t) => {
  let [open, closed] = [0, 0]
  fc.assert(
    fc.property(terms, drawn, (asked, when) => {
      const occasion = occasionOf(when)
      const isClosed = closedBy(compiled(asked), occasion).length > 0
      if (isClosed) closed += 1
      else open += 1
      return isOpen(compiled(asked), occasion) !== isClosed
    }),
    { numRuns: 5_000 },
  )
  t.ok(open > 500 && closed > 500, `${open} open, ${closed} closed`)
})

t.test('every term that failed is named, and no other', async (t) => {
  const noon = Date.parse('2026-11-24T12:30:00+01:00')
  const member = { memberId: 'm-1', tier: 'silver', segments: [], visits: 2, joinedOn: '2025-01-01' }
  const at: Drawn = { requestedAt: noon, timeZone: 'Europe/Oslo', venueId: 'oslo', channel: 'pos', member }
  const failed = (asked: Partial<Terms>) => closedBy(compiled(asked), occasionOf(at))
  t.same(failed({}), [])
  t.same(failed({ validFrom: noon, validUntil: noon + 1, venueIds: ['oslo'], channels: ['pos'] }), [])
  t.same(failed({ validFrom: noon + 1 }), ['valid_from'])
  t.same(failed({ validUntil: noon, venueIds: ['oslo'] }), ['valid_until'])
  t.same(failed({ venueIds: ['bergen'] }), ['venue_ids'])
  t.same(failed({ channels: ['mpos'], audience: { tiers: ['gold'], visits: { from: 2 } } }), ['channels', 'tiers'])
  t.same(failed({ schedule: [{ days: ['tue'], from: 900, until: 1_020 }] }), ['schedule'])
  t.same(failed({ audience: { memberIds: ['m-2'], segments: ['staff'] } }), ['member_ids', 'segments'])
  const audience = { memberIds: ['m-1'], joinedWithinDays: 30, visits: { to: 1 } }
  t.same(failed({ audience: { ...audience, birthday: { daysBefore: 7, daysAfter: 7 } } }), [
    'visits',
    'birthday',
    'joined_within_days',
  ])
  const further: Benefit['audience'] = { anniversary: { daysBefore: 7, daysAfter: 7 }, lastVisit: { atMostDays: 30 } }
  t.same(failed({ audience: { ...further, balances: [{ currencyId: 'stamps', from: 1 }] } }), [
    ...['anniversary', 'last_visit', 'balances'],
  ])
})

const isApplied = (benefit: Benefit, moment = '2026-11-21T12:00:00Z') =>
  price(aBasket([{}], { requestedAt: Date.parse(moment) }), [benefit]).outcome.status === 'applied'

t.test('a benefit is open in its venues, at its times and to its members', async (t) => {
  const noon = Date.parse('2026-11-21T12:00:00Z')
  t.ok(isApplied({ ...ten, validFrom: noon, validUntil: noon + 1 }))
  t.notOk(isApplied({ ...ten, validUntil: noon }))
  t.notOk(isApplied({ ...ten, validFrom: noon + 1 }))
  t.notOk(isApplied({ ...ten, venueIds: ['venue-2'] }))
  t.notOk(isApplied({ ...ten, channels: ['mpos'] }))
  t.ok(isApplied({ ...ten, audience: { tiers: ['gold'], segments: ['x', 'students'], memberIds: [aMember.memberId] } }))
  t.notOk(isApplied({ ...ten, audience: { tiers: ['silver'] } }))
  t.notOk(isApplied({ ...ten, audience: { segments: ['x'] } }))
  t.notOk(isApplied({ ...ten, audience: { memberIds: ['member-2'] } }))
  t.notOk(isApplied({ ...ten, schedule: [{ days: ['mon'], from: 0, until: 0 }] }))
  t.same(price(aBasket([{}]), [{ ...ten, channels: ['mpos'] }]).outcome, { status: 'unchanged', reason: 'no_benefits' })
})
