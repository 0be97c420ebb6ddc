import t from 'tap'
import type { MemberFacts } from '../../../../engine/core/base/basket.js'
import { counterKey } from '../../../../engine/core/base/outcome.js'
import type { Audience, Benefit, Limit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, aMember, aVenue, percent, price } from '../builders.js'

const cake = (audience: Audience, limit: Partial<Limit> = {}): Benefit =>
  aBenefit(
    'cake',
    { kind: 'line_percentage', percentage: percent(100) },
    {
      audience,
      limits: [{ limitId: 'cake', scope: 'member', period: 'birthday', counts: 'baskets', maximum: 1, ...limit }],
    },
  )
const nineDays = { birthday: { daysBefore: 4, daysAfter: 4 } }

/** The period that a basket at noon in Oslo wants of the limit; null: the benefit does not apply. */
function periodOn(date: string, benefit: Benefit, member: Partial<MemberFacts>): string | null {
  const basket = aBasket([{}], { requestedAt: Date.parse(`${date}T11:00:00Z`) })
  return price(basket, [benefit], { member: { ...aMember, ...member } }).wants[0]?.period ?? null
}

t.test(
  'a birthday cake is free once in the nine days around a birthday, across New Year, and again the year after',
  async (t) => {
    const on = (date: string, birthday = '12-31') => periodOn(date, cake(nineDays), { birthday })
    const days = ['2026-12-27', '2026-12-31', '2027-01-01', '2027-01-04']
    t.same(
      days.map((date) => on(date)),
      days.map(() => 'birthday-2026-12-31'),
    )
    t.equal(on('2026-12-26'), null)
    t.equal(on('2027-01-05'), null)
    t.equal(on('2027-12-27'), 'birthday-2027-12-31')
    t.equal(on('2028-02-28', '02-29'), 'birthday-2028-02-29')
    t.equal(on('2027-03-01', '02-29'), 'birthday-2027-02-28')
    const eaten = { [counterKey({ limitId: 'cake', subject: 'member-1', period: 'birthday-2026-12-31' })]: 0 }
    const second = price(aBasket([{}], { requestedAt: Date.parse('2027-01-03T11:00:00Z') }), [cake(nineDays)], {
      ...{ member: { ...aMember, birthday: '12-31' }, available: eaten },
    })
    t.match(second.outcome, { reason: 'limit_exhausted' })
  },
)

t.test('a birthday that was changed gives no second window within 180 days', async (t) => {
  const on = (date: string, birthday: string, last = 'birthday-2026-06-15') =>
    periodOn(date, cake(nineDays), { birthday, birthdayPeriods: { cake: last } })
  t.equal(on('2026-07-20', '07-20'), 'birthday-2026-06-15')
  t.equal(on('2026-06-01', '06-01'), 'birthday-2026-06-15', 'also where it is moved back')
  t.equal(on('2026-12-12', '12-12'), 'birthday-2026-06-15', '180 days')
  t.equal(on('2026-12-13', '12-13'), 'birthday-2026-12-13', '181 days')
  t.equal(on('2027-06-15', '06-15'), 'birthday-2027-06-15', 'the next birthday')
  const other = { birthday: '07-20', birthdayPeriods: { coffee: 'birthday-2026-06-15' } }
  t.equal(periodOn('2026-07-20', cake(nineDays), other), 'birthday-2026-07-20', 'of another limit')
})

t.test('the window of an anniversary names the period as well', async (t) => {
  const anniversary = { anniversary: { daysBefore: 1, daysAfter: 1 } }
  const on = (date: string) => periodOn(date, cake(anniversary), { joinedOn: '2025-01-01' })
  t.same(['2025-01-01', '2025-12-31', '2026-01-02', '2026-01-03'].map(on), [
    ...[null, 'birthday-2026-01-01', 'birthday-2026-01-01', null],
  ])
})

t.test('of windows that overlap the nearest names the period', async (t) => {
  const on = (date: string) =>
    periodOn(date, cake({ birthday: { daysBefore: 300, daysAfter: 300 } }), { birthday: '06-15' })
  t.same(['2026-06-15', '2026-12-14', '2026-12-16'].map(on), [
    ...['birthday-2026-06-15', 'birthday-2026-06-15', 'birthday-2027-06-15'],
  ])
})

t.test('an exhausted limit by birthday says when the next window opens', async (t) => {
  const basket = aBasket([{}], { requestedAt: Date.parse('2026-12-31T11:00:00Z') })
  const { benefits } = price(basket, [cake(nineDays)], {
    ...{ member: { ...aMember, birthday: '12-31' }, available: { '*': 0 } },
  })
  t.match(benefits[0]?.dropped, { stage: 'limit_exhausted', backAt: Date.parse('2027-12-26T23:00:00Z') })
})

t.test("a night's free beer is not free again at ten past midnight", async (t) => {
  const beer = cake({}, { limitId: 'beer', period: 'day' })
  const periodAt = (moment: string, dayStartsAt?: number) => {
    const venue = { ...aVenue(), ...(dayStartsAt === undefined ? {} : { dayStartsAt }) }
    return price(aBasket([{}], { requestedAt: Date.parse(moment) }), [beer], { venue }).wants[0]?.period
  }
  const six = 360
  t.equal(periodAt('2026-11-20T23:00:00+01:00', six), '2026-11-20')
  t.equal(periodAt('2026-11-21T00:10:00+01:00', six), '2026-11-20')
  t.equal(periodAt('2026-11-21T05:59:59+01:00', six), '2026-11-20')
  t.equal(periodAt('2026-11-21T06:00:00+01:00', six), '2026-11-21', 'the next night')
  t.equal(periodAt('2026-11-21T00:10:00+01:00'), '2026-11-21', 'where the day starts at midnight')
})
