import t from 'tap'
import type { EarningRule } from '../../../../engine/core/base/earning.js'
import type { Benefit, Selector } from '../../../../engine/core/base/programme.js'
import { earningOfSale } from '../../../../engine/core/earn/earning-of.js'
import { compileProgramme } from '../../../../engine/core/index.js'
import { wallClock } from '../../../../engine/core/match/calendar.js'
import { aBasket, aBenefit, aMember, applied, aVenue, code, type LineSketch, percent, sentBack } from '../builders.js'
import { aRule, countOf, countsOf, perKrone, perVisit, priceWith } from './rules.js'

const drinks = { productGroupIds: ['drinks'] }
const half = aBenefit('half', { kind: 'line_percentage', select: drinks, percentage: percent(50) })
const gift = aBenefit('gift', { kind: 'free_product', productId: 'gift', quantity: 2 })
const everyThird = aBenefit('third-free', {
  kind: 'buy_get',
  buy: { select: drinks, quantity: 2 },
  get: { select: drinks, quantity: 1, percentage: percent(100) },
})

t.test('the base is what matching lines are charged, of the basket as sent and as returned', async (t) => {
  const basket = aBasket([
    { group: 'drinks', price: 5000 },
    { group: 'bakery', price: 3000 },
  ])
  const all = aRule({ ruleId: 'all', per: perKrone })
  const some = aRule({ ruleId: 'some', per: perKrone, select: drinks })
  const { earning } = priceWith(basket, { benefits: [half], rules: [all, some] })
  t.same(countsOf(earning), { all: [8000, 5500], some: [5000, 2500] })
  t.match(earning, { at: basket.requestedAt, day: '2026-11-21', timeZone: 'Europe/Oslo' })
})

t.test('lines with noDiscount earn nothing unless the rule includes them', async (t) => {
  const basket = aBasket([{ price: 5000 }, { price: 20000, noDiscount: true }])
  t.same(countOf(basket, { rules: [aRule({ per: perKrone })] }), [5000, 5000])
  t.same(countOf(basket, { rules: [aRule({ per: perKrone, includeNoDiscount: true })] }), [25000, 25000])
  const card = aBasket([{ price: 20000, noDiscount: true }])
  t.same(countOf(card, { rules: [aRule({ per: perVisit })] }), [0, 0])
  t.same(countOf(card, { rules: [aRule({ per: perVisit, includeNoDiscount: true })] }), [1, 1])
})

t.test('lines that we added earn nothing, in either basket', async (t) => {
  const asked = { venue: aVenue([{ unitPrice: 500 }]) }
  const basket = aBasket([{ price: 5000, quantity: 3 }])
  t.same(countOf(basket, { benefits: [gift], rules: [aRule()] }, asked), [3, 3])
  const again = sentBack(basket, applied(priceWith(basket, { benefits: [gift], rules: [] }, asked)))
  t.equal(again.lines.length, 2)
  t.same(countOf(again, { benefits: [gift], rules: [aRule()] }, asked), [3, 3])
})

t.test('a unit given for nothing earns nothing, however the POS groups units', async (t) => {
  const together = aBasket([{ group: 'drinks', price: 5000, quantity: 3 }])
  const apart = aBasket([1, 2, 3].map(() => ({ group: 'drinks', price: 5000 })))
  for (const basket of [together, apart]) {
    t.same(countOf(basket, { benefits: [everyThird], rules: [aRule()] }), [3, 2])
    const named = { ...basket, lines: basket.lines.map((line) => ({ ...line, productId: 'gift' })) }
    const programme = { benefits: [gift], rules: [aRule()] }
    t.same(countOf(named, programme), [3, 1])
    const again = sentBack(named, applied(priceWith(named, programme)))
    t.same(countOf(again, programme), [1, 1])
  }
})

t.test('a unit that is only cheaper earns in full', async (t) => {
  const basket = aBasket([{ group: 'drinks', price: 5000, quantity: 3 }])
  t.same(countOf(basket, { benefits: [half], rules: [aRule()] }), [3, 3])
  const capped = aBenefit('capped', { kind: 'line_percentage', percentage: percent(100), maximumAmount: 1000 })
  t.same(countOf(basket, { benefits: [capped], rules: [aRule()] }), [3, 3])
})

t.test('units that are not free earn', async (t) => {
  const limits = [{ limitId: 'one', scope: 'member', period: 'ever', counts: 'units', maximum: 1 }] as const
  const one = aBenefit('one-free', { kind: 'line_percentage', percentage: percent(100) }, { limits })
  t.same(countOf(aBasket([{ price: 5000, quantity: 3 }]), { benefits: [one], rules: [aRule()] }), [3, 2])
  const override = aBenefit('one-for-0', { kind: 'price_override', unitPrice: 0 }, { limits })
  t.same(countOf(aBasket([{ price: 5000, quantity: 3 }]), { benefits: [override], rules: [aRule()] }), [3, 2])
})

t.test('full price is judged in the basket charged, unit by unit, our discounts among those of the POS', async (t) => {
  const counts = (select: Selector, benefits: readonly Benefit[], lines: readonly LineSketch[]) => {
    const rules = [aRule({ ruleId: 'units', select }), aRule({ ruleId: 'money', per: perKrone, select })]
    return countsOf(priceWith(aBasket(lines), { benefits, rules }).earning)
  }
  const three: LineSketch = { group: 'drinks', price: 1000, quantity: 3 }
  const one = { limitId: 'one', scope: 'member', period: 'ever', counts: 'units', maximum: 1 } as const
  const cheap = aBenefit('cheap', { kind: 'price_override', unitPrice: 600 }, { limits: [one] })
  const inAll = aBenefit('all', { kind: 'line_amount', amount: 30, per: 'line' }, { combination: 'stackable' })
  const order = aBenefit('order', { kind: 'order_percentage', percentage: percent(10) })
  const full = { fullPrice: true }
  t.same(counts(full, [], [three, { price: 500, own: [50] }]), { units: [3, 3], money: [3000, 3000] })
  t.same(counts(full, [everyThird], [three]), { units: [3, 2], money: [3000, 2000] })
  t.same(counts(full, [cheap], [three]), { units: [3, 2], money: [3000, 2000] })
  t.same(counts(full, [half], [three, { price: 500 }]), { units: [4, 1], money: [3500, 500] })
  t.same(counts(full, [inAll], [three]), { units: [3, 0], money: [3000, 0] })
  t.same(counts(full, [order], [three]), { units: [3, 3], money: [3000, 2700] }, 'order discounts do not count')
  t.same(counts({ not: full }, [cheap], [three]), { units: [0, 1], money: [0, 600] })
  t.same(counts({ collections: [{ ...drinks, ...full }], eans: ['e'] }, [cheap], [three]), {
    ...{ units: [3, 2], money: [3000, 2000] },
  })
})

t.test('a minimum spend at full price counts what is left at full price', async (t) => {
  const rule = aRule({ per: perVisit, minimumSpend: { amount: 2000, select: { fullPrice: true } } })
  const basket = (quantity: number) => aBasket([{ group: 'drinks', price: 1000, quantity }])
  t.same(countOf(basket(3), { benefits: [everyThird], rules: [rule] }), [1, 1])
  t.same(countOf(basket(3), { benefits: [half], rules: [rule] }), [1, 0])
  t.same(countOf(basket(1), { benefits: [everyThird], rules: [rule] }), [0, 0])
})

t.test('both parts of a split line count', async (t) => {
  const limits = [{ limitId: 'one', scope: 'member', period: 'ever', counts: 'units', maximum: 1 }] as const
  const override = aBenefit('cheaper', { kind: 'price_override', unitPrice: 4000 }, { limits })
  const basket = aBasket([{ price: 5000, quantity: 3 }])
  const rules = [aRule({ ruleId: 'units' }), aRule({ ruleId: 'money', per: perKrone })]
  const { earning } = priceWith(basket, { benefits: [override], rules })
  t.same(countsOf(earning), { units: [3, 3], money: [15000, 14000] })
})

t.test('a weighed line has a base and no units, a line at 0 has neither', async (t) => {
  const basket = aBasket([
    { price: 10000, quantity: 0.5 },
    { price: 0, quantity: 2 },
  ])
  t.same(countOf(basket, { rules: [aRule()] }), [0, 0])
  t.same(countOf(basket, { rules: [aRule({ per: perKrone })] }), [5000, 5000])
  t.same(countOf(aBasket([{ price: 0 }]), { rules: [aRule({ per: perVisit })] }), [0, 0])
})

t.test('the minimum spend is judged on each basket, noDiscount lines only where it includes them', async (t) => {
  const basket = aBasket([{ group: 'drinks', price: 5000 }])
  const rule = aRule({ per: perVisit, minimumSpend: { amount: 5000 } })
  t.same(countOf(basket, { benefits: [half], rules: [rule] }), [1, 0])
  const select = { productGroupIds: ['deposit'], includeNoDiscount: true }
  const deposit = aBasket([{ price: 100 }, { group: 'deposit', price: 300, noDiscount: true }])
  t.same(countOf(deposit, { rules: [aRule({ minimumSpend: { amount: 300, select } })] }), [1, 1])
  t.same(countOf(deposit, { rules: [aRule({ minimumSpend: { amount: 301, select } })] }), [0, 0])
  t.same(countOf(deposit, { rules: [aRule({ minimumSpend: { amount: 100 } })] }), [1, 1])
  t.same(countOf(deposit, { rules: [aRule({ minimumSpend: { amount: 101 } })] }), [0, 0])
})

t.test('the largest multiplier that matches counts', async (t) => {
  const always = { audience: null, schedule: null }
  const saturdays = [{ days: ['sat'], from: 0, until: 0 }] as const
  const multipliers = [
    { ...always, factor: 15_000 },
    { audience: { tiers: ['gold'] }, schedule: saturdays, factor: 30_000 },
    { audience: { tiers: ['silver'] }, schedule: null, factor: 90_000 },
  ]
  const factorAt = (requestedAt: string) =>
    priceWith(aBasket([{}], { requestedAt: Date.parse(requestedAt) }), { rules: [aRule({ multipliers })] }).earning
      ?.counted[0]?.factor
  t.equal(factorAt('2026-11-21T12:00:00Z'), 30_000)
  t.equal(factorAt('2026-11-20T12:00:00Z'), 15_000)
  const plain = priceWith(aBasket([{}]), { rules: [aRule()] })
  t.equal(plain.earning?.counted[0]?.factor, 10_000)
})

t.test('a rule that is not open, or has nothing to count, is not listed', async (t) => {
  const basket = aBasket([{ group: 'drinks' }])
  const rules = [
    aRule({ ruleId: 'elsewhere', venueIds: ['venue-2'] }),
    aRule({ ruleId: 'mpos', channels: ['mpos'] }),
    aRule({ ruleId: 'over', validUntil: basket.requestedAt }),
    aRule({ ruleId: 'soon', validFrom: basket.requestedAt + 1 }),
    aRule({ ruleId: 'sundays', schedule: [{ days: ['sun'], from: 0, until: 0 }] }),
    aRule({ ruleId: 'others', audience: { memberIds: ['member-2'] } }),
    aRule({ ruleId: 'food', select: { productGroupIds: ['food'] } }),
  ]
  t.equal(priceWith(basket, { rules }).earning, null)
  t.equal(priceWith(basket, { rules: rules.slice(0, 1) }).earning, null)
  t.same(Object.keys(countsOf(priceWith(basket, { rules: [...rules, aRule({ venueIds: ['venue-1'] })] }).earning)), [
    'stamps',
  ])
})

t.test('a basket that comes again with our discounts on it counts as it did when it was returned', async (t) => {
  const basket = aBasket([{ group: 'drinks', price: 5000, quantity: 4 }])
  const programme = { benefits: [everyThird], rules: [aRule(), aRule({ ruleId: 'money', per: perKrone })] }
  const first = priceWith(basket, programme)
  t.same(countsOf(first.earning), { stamps: [4, 3], money: [20000, 15000] })
  const again = priceWith(sentBack(basket, applied(first)), programme)
  t.equal(again.outcome.status, 'unchanged')
  t.same(countsOf(again.earning), { stamps: [3, 3], money: [15000, 15000] })
  // With another benefit in it the answer changes; as sent, the unit of before is still free.
  const better = aBenefit('order', { kind: 'order_percentage', percentage: percent(10) })
  const changed = priceWith(sentBack(basket, applied(first)), { ...programme, benefits: [everyThird, better] })
  t.equal(changed.outcome.status, 'applied')
  t.same(countsOf(changed.earning), { stamps: [3, 3], money: [15000, 13500] })
})

t.test('with a discount of the POS, the units given before follow from the amount', async (t) => {
  const limits = [{ limitId: 'one', scope: 'member', period: 'ever', counts: 'units', maximum: 1 }] as const
  const tiers = [{ quantity: 3, percentage: percent(100) }]
  const volume = aBenefit('volume', { kind: 'volume_percentage', tiers }, { limits, existingDiscounts: 'add' })
  const sketch = { price: 1000, quantity: 3, own: [200] }
  t.same(countOf(aBasket([sketch]), { benefits: [volume], rules: [aRule()] }), [3, 2])
  const ours = { amount: 933, text: volume.text, lineDiscountCode: code }
  const again = aBasket([{ ...sketch, own: [200, ours] }])
  t.same(countOf(again, { benefits: [{ ...volume, validUntil: 0 }], rules: [aRule()] }), [2, 3])
})

t.test('a discount of ours that a maximum limited takes no unit away when it comes again', async (t) => {
  const capped = aBenefit('capped', { kind: 'line_percentage', percentage: percent(100), maximumAmount: 1000 })
  const expired = { ...capped, validUntil: 0 }
  // At 300 the maximum does not limit it.
  for (const [price, left] of [
    [5000, 3],
    [700, 3],
    [300, 0],
  ] as const) {
    const basket = aBasket([{ price, quantity: 3 }])
    const first = priceWith(basket, { benefits: [capped], rules: [aRule()] })
    t.same(countsOf(first.earning), { stamps: [3, left] })
    const again = sentBack(basket, applied(first))
    t.same(countOf(again, { benefits: [expired], rules: [aRule()] }), [left, 3])
  }
})

t.test('free units of a line with cheaper ones are as many when the answer is sent again', async (t) => {
  const units = (limitId: string, maximum: number) => ({
    limits: [{ limitId, scope: 'member', period: 'ever', counts: 'units', maximum } as const],
  })
  const free = aBenefit('free', { kind: 'line_percentage', percentage: percent(100) }, units('two', 2))
  const cheaper = aBenefit('cheaper', { kind: 'line_percentage', percentage: percent(50) }, units('one', 1))
  const expired = [free, cheaper].map((benefit) => ({ ...benefit, validUntil: 0 }))
  for (const [price, quantity] of [
    [1000, 3],
    [999, 3],
    [333, 7],
    [1001, 4],
  ] as const) {
    const basket = aBasket([{ price, quantity }])
    const first = priceWith(basket, { benefits: [free, cheaper], rules: [aRule()] })
    t.same(countsOf(first.earning), { stamps: [quantity, quantity - 2] })
    const again = sentBack(basket, applied(first))
    t.same(countOf(again, { benefits: expired, rules: [aRule()] }), [quantity - 2, quantity])
  }
})

t.test('a discount of the POS that says the same as one of ours takes no unit away', async (t) => {
  const { text, campaign } = everyThird
  const own = { amount: 2500, text, campaign, lineDiscountCode: 'STAFF' }
  const foreign = aBasket([{ group: 'bakery', price: 2500, quantity: 2, own: [own] }])
  t.same(countOf(foreign, { benefits: [everyThird], rules: [aRule()] }), [2, 2])
  const ours = aBasket([{ group: 'bakery', price: 2500, quantity: 2, own: [{ ...own, lineDiscountCode: code }] }])
  t.same(countOf(ours, { benefits: [everyThird], rules: [aRule()] }), [1, 2])
})

t.test('a sale without its basket earns by visits and by what was paid; other rules are left to support', async (t) => {
  const requestedAt = Date.parse('2026-11-21T23:30:00Z')
  const countsFor = (rules: readonly EarningRule[], paidTotal: number) => {
    const occasion = {
      basket: { requestedAt, channel: 'pos' as const },
      member: aMember,
      venue: aVenue(),
      clock: () => wallClock(requestedAt, 'Europe/Oslo'),
    }
    const { earning, isPartial } = earningOfSale(compileProgramme([], rules).earning!, occasion, paidTotal)
    return [countsOf(earning), isPartial, earning?.day]
  }
  const money = aRule({ ruleId: 'money', per: perKrone })
  const visit = aRule({ ruleId: 'visit', per: perVisit })
  const spend = aRule({ ruleId: 'spend', per: perVisit, minimumSpend: { amount: 500 } })
  const elsewhere = aRule({ ruleId: 'elsewhere', venueIds: ['venue-2'] })
  t.same(countsFor([money, visit, spend, elsewhere], 499), [{ money: [499, 499], visit: [1, 1] }, false, '2026-11-22'])
  t.same(countsFor([spend], 500), [{ spend: [1, 1] }, false, '2026-11-22'])
  t.same(countsFor([money, visit], 0), [{}, false, undefined])
  const others = [aRule(), { ...money, select: drinks }, { ...visit, select: drinks }]
  for (const other of [...others, { ...visit, minimumSpend: { amount: 1, select: drinks } }]) {
    t.same(countsFor([other], 500), [{}, true, undefined])
  }
})

t.test('a smaller payment is spread over the lines; units and visits stay', async (t) => {
  const basket = aBasket([
    { group: 'drinks', price: 5000, quantity: 2 },
    { group: 'bakery', price: 2000 },
    { group: 'bakery', price: 1000 },
  ])
  const rules = [
    aRule({ ruleId: 'drinks', per: perKrone, select: drinks }),
    aRule({ ruleId: 'bakery', per: perKrone, select: { productGroupIds: ['bakery'] } }),
    aRule({ ruleId: 'units' }),
    aRule({ ruleId: 'visit', per: perVisit }),
    aRule({ ruleId: 'spend', per: perVisit, minimumSpend: { amount: 8000 } }),
  ]
  const counts = (paidTotal: number) => countsOf(priceWith(basket, { benefits: [half], rules }, { paidTotal }).earning)
  // 5000, 2000 and 1000 as returned: 7999 is 4999.4, 1999.8 and 999.9 before rounding.
  t.same(counts(7999), {
    drinks: [6153, 4999],
    bakery: [1846, 3000],
    units: [4, 4],
    visit: [1, 1],
  })
  t.same(counts(8000)['spend'], [1, 1])
  t.same(counts(20000)['drinks'], [10000, 5000])
  t.same(counts(0), { units: [4, 4], visit: [1, 1] })
})
