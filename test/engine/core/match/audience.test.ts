import t from 'tap'
import type { MemberFacts } from '../../../../engine/core/base/basket.js'
import type { Audience } from '../../../../engine/core/base/programme.js'
import { audienceSets, isAudience } from '../../../../engine/core/match/audience.js'
import { wallClock } from '../../../../engine/core/match/calendar.js'
import { fc } from '../../../support/seeded.js'
import { aBasket, aBenefit, aMember, percent, price } from '../builders.js'

const day = (text: string) => ({
  year: Number(text.slice(0, 4)),
  month: Number(text.slice(5, 7)),
  day: Number(text.slice(8, 10)),
  minute: 0,
  weekday: 0,
})

const venue = { timeZone: 'Europe/Oslo' }

function matches(audience: Audience, member: Partial<MemberFacts>, date = '2026-11-21'): boolean {
  const occasion = { basket: {}, venue, member: { ...aMember, ...member }, clock: () => day(date) }
  return isAudience(audienceSets(audience), occasion)
}

/** As for a basket at a moment, at a venue in Oslo whose day starts at six. */
function matchesAtNight(audience: Audience, member: Partial<MemberFacts>, moment: string): boolean {
  const clock = () => wallClock(Date.parse(moment), venue.timeZone)
  const occasion = { basket: {}, venue: { ...venue, dayStartsAt: 360 }, member: { ...aMember, ...member }, clock }
  return isAudience(audienceSets(audience), occasion)
}

t.test('visits count within both bounds, and not if they are unknown', async (t) => {
  const within = (visits: NonNullable<Audience['visits']>, counts: readonly number[]) =>
    counts.map((count) => matches({ visits }, { visits: count }))
  t.same(within({ from: 2, to: 3 }, [1, 2, 3, 4]), [false, true, true, false])
  t.same(within({ from: 2 }, [1, 2, 1_000]), [false, true, true])
  t.same(within({ to: 0 }, [0, 1]), [true, false])
  t.notOk(matches({ visits: { from: 0 } }, {}))
})

t.test('a birthday is near from some days before to some days after it, across New Year', async (t) => {
  const cases: readonly (readonly [birthday: string, before: number, after: number, dates: readonly string[]])[] = [
    ['06-15', 0, 0, ['2026-06-15']],
    ['06-15', 1, 2, ['2026-06-14', '2026-06-15', '2026-06-16', '2026-06-17']],
    ['01-01', 2, 0, ['2026-12-30', '2026-12-31', '2027-01-01']],
    ['12-31', 0, 2, ['2026-12-31', '2027-01-01', '2027-01-02']],
    ['02-29', 0, 0, ['2023-02-28', '2024-02-29', '2100-02-28', '2000-02-29']],
    ['02-29', 1, 1, ['2023-02-27', '2023-02-28', '2023-03-01', '2024-02-28', '2024-02-29', '2024-03-01']],
    ['03-01', 1, 0, ['2023-02-28', '2023-03-01', '2024-02-29', '2024-03-01']],
  ]
  const outside: typeof cases = [
    ['06-15', 0, 0, ['2026-06-14', '2026-06-16']],
    ['06-15', 1, 2, ['2026-06-13', '2026-06-18']],
    ['01-01', 2, 0, ['2026-12-29', '2027-01-02']],
    ['12-31', 0, 2, ['2026-12-30', '2027-01-03']],
    ['02-29', 0, 0, ['2024-02-28', '2023-03-01', '2024-03-01', '2023-02-27']],
    ['02-29', 1, 1, ['2023-02-26', '2023-03-02', '2024-02-27', '2024-03-02']],
    ['03-01', 1, 0, ['2024-02-28']],
  ]
  for (const [list, is] of [[cases, true] as const, [outside, false] as const]) {
    for (const [birthday, daysBefore, daysAfter, dates] of list) {
      for (const date of dates)
        t.equal(matches({ birthday: { daysBefore, daysAfter } }, { birthday }, date), is, `${birthday} on ${date}`)
    }
  }
  t.notOk(matches({ birthday: { daysBefore: 366, daysAfter: 366 } }, {}), 'a member without a birthday')
  t.ok(matches({ birthday: { daysBefore: 366, daysAfter: 0 } }, { birthday: '11-20' }), 'always within a year')
})

const anyDay = fc.integer({ min: 0, max: 40_000 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10))

t.test('a birthday is near exactly where a walk over the days finds it', async (t) => {
  const near = fc.integer({ min: 0, max: 366 })
  const property = fc.property(anyDay, anyDay, near, near, (born, today, daysBefore, daysAfter) => {
    let isNear = false
    for (let away = -daysAfter; away <= daysBefore; away += 1) {
      const at = new Date(Date.parse(today) + away * 86_400_000)
      const isLeap = new Date(Date.UTC(at.getUTCFullYear(), 1, 29)).getUTCMonth() === 1
      const kept = born.slice(5) === '02-29' && !isLeap ? '02-28' : born.slice(5)
      isNear ||= at.toISOString().slice(5, 10) === kept
    }
    return matches({ birthday: { daysBefore, daysAfter } }, { birthday: born.slice(5) }, today) === isNear
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2_000 }))
})

t.test('day n after joining is included, a day to come is not', async (t) => {
  const on = (joinedOn: string, date: string, joinedWithinDays = 30) =>
    matches({ joinedWithinDays }, { joinedOn }, date)
  t.ok(on('2026-11-21', '2026-11-21', 0))
  t.notOk(on('2026-11-20', '2026-11-21', 0))
  t.ok(on('2026-01-31', '2026-03-02'))
  t.notOk(on('2026-01-31', '2026-03-03'))
  t.ok(on('2024-01-31', '2024-03-01'))
  t.notOk(on('2024-01-31', '2024-03-02'))
  t.ok(on('2026-12-15', '2027-01-14'))
  t.notOk(on('2026-12-15', '2027-01-15'))
  t.notOk(on('2026-11-22', '2026-11-21'))
  t.notOk(matches({ joinedWithinDays: 36_500 }, {}))
})

t.test('an anniversary is near from the first year on', async (t) => {
  const near = (joinedOn: string | undefined, date: string, around = { daysBefore: 2, daysAfter: 1 }) =>
    matches({ anniversary: around }, joinedOn === undefined ? {} : { joinedOn }, date)
  t.notOk(near('2026-06-15', '2026-06-15'), 'the day of joining is none')
  t.notOk(near('2026-06-15', '2026-06-16'))
  for (const date of ['2027-06-13', '2027-06-15', '2027-06-16', '2040-06-15']) t.ok(near('2026-06-15', date), date)
  for (const date of ['2027-06-12', '2027-06-17']) t.notOk(near('2026-06-15', date), date)
  t.ok(near('2024-02-29', '2025-02-28', { daysBefore: 0, daysAfter: 0 }))
  t.notOk(near('2024-02-29', '2025-03-01', { daysBefore: 0, daysAfter: 0 }))
  t.ok(near('2025-01-01', '2025-12-30'), 'across New Year')
  t.notOk(near('2026-01-01', '2025-12-30'), 'before the member joined')
  t.notOk(near(undefined, '2026-06-15', { daysBefore: 366, daysAfter: 366 }), 'a member without the date')
})

t.test(
  'the last visit counts whole days of the venue, and a member without one is only not seen for long',
  async (t) => {
    const seen = (lastVisit: NonNullable<Audience['lastVisit']>, at: string | null | undefined) =>
      matches({ lastVisit }, at === undefined ? {} : { lastVisitAt: at === null ? null : Date.parse(at) }, '2026-11-21')
    const dates = ['2026-11-21T08:00:00Z', '2026-11-19T23:30:00Z', '2026-11-19T22:30:00Z', '2026-09-22T12:00:00Z']
    const days = (lastVisit: NonNullable<Audience['lastVisit']>) => dates.map((at) => seen(lastVisit, at))
    t.same(days({ atLeastDays: 2 }), [false, false, true, true], 'Oslo is an hour ahead')
    t.same(days({ atMostDays: 1 }), [true, true, false, false])
    t.same(days({ atLeastDays: 60 }), [false, false, false, true])
    t.same(days({ atLeastDays: 1, atMostDays: 2 }), [false, true, true, false])
    t.ok(seen({ atLeastDays: 60 }, null), 'never seen')
    t.notOk(seen({ atLeastDays: 60, atMostDays: 90 }, null))
    t.notOk(seen({ atMostDays: 90 }, null))
    t.notOk(seen({ atLeastDays: 0 }, undefined), 'nobody looked')
  },
)

t.test('balances are what is available of each currency, less what other open calculations hold', async (t) => {
  const salads = { currencyId: 'salads', from: 5 }
  const has = (balances: NonNullable<Audience['balances']>, own: Readonly<Record<string, number>> | undefined) =>
    matches({ balances }, own === undefined ? {} : { balances: own })
  t.same(
    [4, 5, 6].map((amount) => has([salads], { salads: amount })),
    [false, true, true],
  )
  t.ok(has([{ currencyId: 'salads', to: 0 }], {}), 'an account that was never opened is empty')
  t.notOk(has([{ currencyId: 'salads', to: 9 }], undefined), 'nobody looked')
  t.notOk(has([salads, { currencyId: 'points', from: 1 }], { salads: 5 }), 'all must match')
  const held = (supersedes?: string) =>
    isAudience(audienceSets({ balances: [salads] }), {
      ...{ basket: { supersedes }, venue, clock: () => day('2026-11-21') },
      member: {
        ...{ ...aMember, balances: { salads: 5, points: 5 } },
        holds: [{ calculationId: 'c-1', currencyId: 'salads', amount: 1 }],
      },
    })
  t.notOk(held())
  t.ok(held('c-1'), 'a changed basket has what its old calculation holds')
  t.notOk(held('c-2'))
})

t.test('before its start a day is the day before, for every day that an audience counts', async (t) => {
  const [before, after] = ['2026-11-21T04:59:00Z', '2026-11-21T05:00:00Z']
  const on = (audience: Audience, member: Partial<MemberFacts>) =>
    [before, after].map((moment) => matchesAtNight(audience, member, moment))
  const around = { daysBefore: 0, daysAfter: 0 }
  t.same(on({ birthday: around }, { birthday: '11-20' }), [true, false])
  t.same(on({ birthday: around }, { birthday: '11-21' }), [false, true])
  t.same(on({ anniversary: around }, { joinedOn: '2020-11-20' }), [true, false])
  t.same(on({ joinedWithinDays: 7 }, { joinedOn: '2026-11-13' }), [true, false])
  const lastVisitAt = Date.parse('2026-11-20T04:30:00Z')
  t.same(on({ lastVisit: { atMostDays: 1 } }, { lastVisitAt }), [true, false], 'a visit at half past five')
  t.same(on({ lastVisit: { atMostDays: 1 } }, { lastVisitAt: lastVisitAt + 3_600_000 }), [true, true])
})

t.test('the date is that of the venue, daylight-saving time included', async (t) => {
  const clockAt = (moment: string, timeZone: string) => () => wallClock(Date.parse(moment), timeZone)
  const isDay = (birthday: string, moment: string, timeZone = 'Europe/Oslo') =>
    isAudience(audienceSets({ birthday: { daysBefore: 0, daysAfter: 0 } }), {
      ...{ basket: {}, venue: { timeZone } },
      member: { ...aMember, birthday },
      clock: clockAt(moment, timeZone),
    })
  t.ok(isDay('03-29', '2026-03-28T23:00:00Z'), 'the first moment of the day on which clocks go forward')
  t.notOk(isDay('03-29', '2026-03-28T22:59:59Z'))
  t.ok(isDay('03-29', '2026-03-29T21:59:59Z'), 'its last, an hour earlier')
  t.notOk(isDay('03-29', '2026-03-29T22:00:00Z'))
  t.ok(isDay('10-25', '2026-10-24T22:00:00Z'), 'the day on which clocks go back')
  t.ok(isDay('10-25', '2026-10-25T22:59:59Z'))
  t.notOk(isDay('10-25', '2026-10-25T23:00:00Z'))
  t.ok(isDay('12-31', '2027-01-01T09:00:00Z', 'Pacific/Pago_Pago'))
  t.ok(isDay('01-01', '2026-12-31T11:00:00Z', 'Pacific/Auckland'))
})

t.test('all of an audience must match', async (t) => {
  const audience: Audience = {
    tiers: ['gold'],
    visits: { from: 1 },
    birthday: { daysBefore: 3, daysAfter: 0 },
    joinedWithinDays: 5,
  }
  const member = { visits: 1, birthday: '11-22', joinedOn: '2026-11-20' }
  t.ok(matches(audience, member))
  const others = [{ tier: 'silver' }, { visits: 0 }, { birthday: '11-20' }, { joinedOn: '2026-11-01' }]
  for (const other of others) t.notOk(matches(audience, { ...member, ...other }), JSON.stringify(other))
})

t.test('benefits and their explanations keep to the audience', async (t) => {
  const ten = aBenefit('ten', { kind: 'line_percentage', percentage: percent(10) }, { audience: { visits: { to: 0 } } })
  const five = aBenefit('five', { kind: 'line_percentage', percentage: percent(5) })
  const priced = (visits: number) => price(aBasket([{}]), [ten, five], { member: { ...aMember, visits } })
  t.same(
    priced(0)
      .benefits.map(({ benefitId }) => benefitId)
      .sort(),
    ['five', 'ten'],
  )
  t.same(
    priced(1).benefits.map(({ benefitId }) => benefitId),
    ['five'],
  )
})
