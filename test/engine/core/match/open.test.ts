import t from 'tap'
import type { Benefit, Selector } from '../../../../engine/core/base/programme.js'
import { isScheduled, periodName, wallClock } from '../../../../engine/core/match/calendar.js'
import { lineIndexOf } from '../../../../engine/core/match/line-index.js'
import { lineTreeOf, takenBy } from '../../../../engine/core/match/line-tree.js'
import { createSelectors } from '../../../../engine/core/match/selector.js'
import { aBasket, aBenefit, aLine, aMember, netsOf, percent, price } from '../builders.js'

const oslo = 'Europe/Oslo'
const at = (moment: string) => wallClock(Date.parse(moment), oslo)
const ten = aBenefit('ten', { kind: 'line_percentage', percentage: percent(10) })
const isApplied = (benefit: Benefit, moment = '2026-11-21T12:00:00Z') =>
  price(aBasket([{}], { requestedAt: Date.parse(moment) }), [benefit]).outcome.status === 'applied'

const oneUnitShort = { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] }

t.test('windows run past midnight and over both clock changes on the wall clock of the venue', async (t) => {
  const night = [{ days: ['sat'], from: 22 * 60, until: 2 * 60 }] as const
  t.notOk(isScheduled(night, at('2026-11-21T20:59:59Z')))
  t.ok(isScheduled(night, at('2026-11-21T21:00:00Z')))
  t.ok(isScheduled(night, at('2026-11-22T00:59:59Z')))
  t.notOk(isScheduled(night, at('2026-11-22T01:00:00Z')), 'until is exclusive')
  t.notOk(isScheduled(night, at('2026-11-22T21:30:00Z')), 'Sunday evening')
  const all = [{ days: ['sat'], from: 600, until: 600 }] as const
  t.ok(isScheduled(all, at('2026-11-22T08:59:00Z')), 'equal ones last 24 hours')
  t.notOk(isScheduled(all, at('2026-11-22T09:00:00Z')))
  const early = [{ days: ['sun'], from: 150, until: 180 }] as const
  t.ok(isScheduled(early, at('2026-10-25T00:30:00Z')), 'the hour before the clocks go back')
  t.ok(isScheduled(early, at('2026-10-25T01:30:00Z')), 'and the same hour after')
  t.notOk(isScheduled(early, at('2026-03-29T01:00:00Z')), 'the clock jumps over it in spring')
})

t.test('periods are named by the local date, weeks from Monday', async (t) => {
  const clock = at('2026-11-21T23:30:00Z')
  t.same(
    (['ever', 'day', 'week', 'month'] as const).map((period) => periodName(period, clock)),
    ['', '2026-11-22', '2026-W47', '2026-11'],
  )
  t.equal(periodName('week', at('2027-01-01T12:00:00Z')), '2026-W53')
  t.equal(periodName('week', at('2024-12-30T12:00:00Z')), '2025-W01')
})

t.test('a line keys on its master, else its ean, else its product, or on its group', async (t) => {
  const lines = [
    aLine({ product: 'p', master: 'm', ean: 'e' }),
    aLine({ product: 'p', ean: 'e' }),
    aLine({ product: 'p', group: 'g' }),
    aLine({ product: 'q', parent: 2 }),
    aLine({ product: 'r', parent: 3 }),
  ]
  const taken = (selector: Selector | undefined) => {
    const { keys, compiled } = createSelectors()
    const select = compiled(selector)
    const each = takenBy(select, lineIndexOf(keys, lines), lineTreeOf(lines))
    return [...each.keys()].filter((position) => each[position] === 1)
  }
  t.same(taken({ productMasterIds: ['m'] }), [0])
  t.same(taken({ eans: ['e'] }), [1])
  t.same(taken({ productIds: ['p'] }), [2])
  t.same(taken({ productGroupIds: ['g'], children: true }), [2, 3, 4])
  t.same(taken({ children: true, not: { productIds: ['q'], children: true } }), [0, 1, 2])
  t.same(taken({}), [0, 1, 2, 3, 4])
  t.same(taken(undefined), [0, 1, 2, 3, 4])
})

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

t.test('a basket with everything reported as missing gets the benefit', async (t) => {
  const wanting: Benefit = {
    ...ten,
    conditions: { minimumSpend: { amount: 2500 }, requires: [{ select: { productIds: ['extra'] }, quantity: 2 }] },
  }
  const { dropped } = price(aBasket([{}, { product: 'extra' }]), [wanting]).benefits[0]!
  t.same(dropped, {
    stage: 'conditions_not_met',
    missing: [
      { kind: 'spend', amount: 500 },
      { kind: 'units', units: 1 },
    ],
  })
  t.same(netsOf(price(aBasket([{ price: 500 }, { product: 'extra', quantity: 2 }]), [wanting])), [450, 1800])
})

t.test('a beaten benefit names its victor and the distance, which then makes it win', async (t) => {
  const amount = (off: number) => aBenefit('amount', { kind: 'line_amount', amount: off, per: 'line' })
  const beaten = price(aBasket([{}]), [ten, amount(60)]).benefits[0]!
  t.same(beaten.dropped, { stage: 'beaten', by: ['ten'], gap: 40 })
  t.equal(price(aBasket([{}]), [ten, amount(60 + 40 + 1)]).benefits[0]!.dropped, null)
})

t.test('a benefit that the basket does not touch is listed with what it lacks', async (t) => {
  const other = aBenefit('x', { kind: 'member_price', select: { productIds: ['x'] }, unitPrice: 1 })
  const result = price(aBasket([{}]), [other])
  t.same(result.benefits, [
    {
      benefitId: 'x',
      dropped: oneUnitShort,
      value: 0,
      lines: [],
    },
  ])
  t.same(result.outcome, { status: 'unchanged', reason: 'conditions_not_met' })
})

t.test('the report of a benefit without a match is the same with its conditions checked', async (t) => {
  const selects: Selector[] = [
    { productIds: ['x'] },
    { productGroupIds: ['x'], not: { productIds: ['product-0'] } },
    { productIds: ['x'], eans: ['y'], productMasterIds: ['z'] },
  ]
  const rewards = selects.flatMap((select): Benefit['reward'][] => [
    { kind: 'line_percentage', select, percentage: percent(10) },
    { kind: 'line_amount', select, amount: 5, per: 'unit' },
    { kind: 'member_price', select, unitPrice: 1 },
    { kind: 'price_override', select, unitPrice: 1 },
    { kind: 'order_percentage', select, percentage: percent(10) },
    { kind: 'order_amount', select, amount: 5 },
  ])
  const isMet = { minimumSpend: { amount: 1, select: {} }, requires: [] }
  for (const reward of rewards) {
    const [plain, asked] = [null, isMet].map((conditions) =>
      price(aBasket([{}, {}]), [aBenefit('x', reward, { conditions, existingDiscounts: 'keep' })]),
    )
    t.same(plain!.benefits, [{ benefitId: 'x', dropped: oneUnitShort, value: 0, lines: [] }], reward.kind)
    t.same(plain!.benefits, asked!.benefits, reward.kind)
  }
})

t.test('on a line ties go to less limited quantity, then priority, then the smaller id', async (t) => {
  const names = (benefits: readonly Benefit[]) =>
    price(aBasket([{}, {}]), benefits)
      .benefits.filter(({ dropped }) => dropped === null)
      .map(({ benefitId }) => benefitId)
  const limits = [{ limitId: 'l', scope: 'member', period: 'ever', counts: 'baskets', maximum: 9 } as const]
  const a = { ...ten, benefitId: 'a' }
  const b = { ...ten, benefitId: 'b' }
  t.same(names([b, a]), ['a'])
  t.same(names([{ ...a, limits }, b]), ['b'])
  t.same(names([a, { ...b, priority: 1 }]), ['b'])
})
