import t from 'tap'
import type { Reward, Selector } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, addedOn, applied, type LineSketch, netsOf, percent, price } from '../builders.js'

const coffee: Selector = { productGroupIds: ['coffee'], children: true }
const latte: LineSketch = { group: 'coffee', price: 5000 }
const oat = (parent: number, sketch: LineSketch = {}): LineSketch => ({ group: 'milk', price: 700, parent, ...sketch })
const second: Reward = {
  kind: 'buy_get',
  buy: { select: coffee, quantity: 1 },
  get: { select: coffee, quantity: 1, percentage: percent(100) },
}
const everything = (value: number) => ({ kind: 'line_percentage', percentage: percent(value) }) as const

t.test('a line below is no unit, and shares what its line gets', async (t) => {
  const one = price(aBasket([latte, oat(0)]), [aBenefit('b', second)])
  t.same(one.outcome, { status: 'unchanged', reason: 'conditions_not_met' })
  const two = price(aBasket([latte, oat(0), latte, oat(2)]), [aBenefit('b', second)])
  t.equal(two.value, 5700)
  t.ok(two.optimal)
  t.same(netsOf(two).sort(), [0, 0, 5000, 700])
  t.match(two.benefits, [{ value: 5700, lines: [{ units: 1 }, { units: 1 }, { units: 0 }] }])
  const [, , last] = two.benefits[0]!.lines
  t.equal(last!.follows, last!.line - 1)
  const all = price(aBasket([{ ...latte, weighed: true }, oat(0)]), [
    aBenefit('b', { ...everything(10), select: coffee }),
  ])
  t.same(all.benefits[0]!.lines, [
    { line: 0, units: 0, amount: 500 },
    { line: 1, units: 0, amount: 70, follows: 0 },
  ])
})

t.test('of some units of a line its followers share the part, rounded down', async (t) => {
  const basket = aBasket([{ ...latte, quantity: 3 }, oat(0, { quantity: 3, price: 233 }), oat(1, { price: 100 })])
  const third: Reward = { ...second, buy: { select: coffee, quantity: 2 } }
  t.same(netsOf(price(basket, [aBenefit('b', third)])), [10_000, 466, 67])
  const half: Reward = { kind: 'line_percentage', percentage: percent(50), select: coffee }
  const result = price(basket, [aBenefit('h', half)])
  t.same(netsOf(result), [7500, 349, 50])
  t.same(
    applied(result).lines.map((line) => addedOn(line)),
    [[['percentage', 7500]], [['percentage', 350]], [['percentage', 50]]],
  )
})

t.test('a follower serves other benefits where that is worth more, line by line', async (t) => {
  const benefits = [aBenefit('ten', everything(10)), aBenefit('second', second)]
  const result = price(aBasket([latte, oat(0), latte, oat(2)]), benefits)
  t.equal(result.value, 5700 + 70)
  t.ok(result.optimal)
  const dear = price(aBasket([latte, oat(0, { price: 9000 })]), [
    aBenefit('ten', everything(10)),
    aBenefit('half', { ...second, get: { ...second.get, percentage: percent(5) } }),
    aBenefit('five', { kind: 'line_percentage', percentage: percent(5), select: coffee }),
  ])
  t.same(netsOf(dear), [4500, 8100])
})

t.test('stackable benefits and order discounts take followers on top, as lines', async (t) => {
  const stack = aBenefit('stack', { ...everything(10), select: coffee }, { combination: 'stackable' })
  t.same(netsOf(price(aBasket([latte, oat(0)]), [stack])), [4500, 630])
  const both = price(aBasket([latte, oat(0), latte, oat(2)]), [stack, aBenefit('second', second)])
  t.equal(both.value, 5700 + 570)
  t.ok(both.optimal)
  const order = aBenefit('order', { kind: 'order_percentage', percentage: percent(10), select: coffee })
  t.equal(price(aBasket([latte, oat(0), {}]), [order]).value, 570)
  const amount = aBenefit('order', { kind: 'order_amount', amount: 9999, select: coffee })
  t.equal(price(aBasket([latte, oat(0), {}]), [amount]).value, 5000)
})

t.test('other kinds leave followers, and noDiscount ones get nothing', async (t) => {
  const off = aBenefit('off', { kind: 'line_amount', amount: 500, per: 'unit', select: coffee })
  t.same(netsOf(price(aBasket([latte, oat(0)]), [off])), [4500, 700])
  const half = aBenefit('half', { ...everything(50), select: coffee })
  t.same(netsOf(price(aBasket([latte, oat(0, { noDiscount: true })]), [half])), [2500, 700])
  const flags = { noPercentageDiscount: true }
  t.same(netsOf(price(aBasket([latte, oat(0, flags)]), [half])), [2500, 700])
  t.same(netsOf(price(aBasket([latte, oat(0, flags), latte]), [aBenefit('b', second)])).sort(), [0, 0, 5000])
})

t.test('a maximum and a limit of money count what followers get', async (t) => {
  const capped = aBenefit('c', {
    kind: 'line_percentage',
    percentage: percent(50),
    select: coffee,
    maximumAmount: 1000,
  })
  t.same(netsOf(price(aBasket([latte, oat(0)]), [capped])), [4123, 577])
  const money = [{ limitId: 'm', scope: 'everyone', period: 'ever', counts: 'amount', maximum: 5699 }] as const
  const pair = aBasket([latte, oat(0), latte, oat(2)])
  t.equal(price(pair, [aBenefit('b', second, { limits: money })]).value, 5000, 'a follower may be left out')
  t.equal(price(pair, [aBenefit('b', second, { limits: [{ ...money[0], maximum: 5700 }] })]).value, 5700)
})

t.test('own discounts of followers and their lines go as on any line', async (t) => {
  const half = aBenefit('half', { ...everything(50), select: coffee })
  const own = { own: [100] }
  t.same(netsOf(price(aBasket([{ ...latte, ...own }, oat(0)]), [half])), [2500, 350])
  t.same(netsOf(price(aBasket([latte, oat(0, own)]), [half])), [2500, 350])
  const keep = aBenefit('keep', half.reward, { existingDiscounts: 'keep' })
  t.same(netsOf(price(aBasket([latte, oat(0, own)]), [keep])), [2500, 600])
  const add = aBenefit('add', half.reward, { existingDiscounts: 'add' })
  t.same(netsOf(price(aBasket([{ ...latte, ...own }, oat(0, own)]), [add])), [2450, 300])
})

t.test('a line below two lines that match may follow either', async (t) => {
  const select = (id: string): Selector => ({ productIds: [id], children: true })
  const lines = [
    { product: 'menu', price: 9000 },
    { product: 'latte', price: 5000, parent: 0 },
    { product: 'oat', price: 700, parent: 1 },
  ]
  const tenth = aBenefit('menu', { kind: 'line_percentage', percentage: percent(10), select: select('menu') })
  const half = aBenefit('latte', { kind: 'line_percentage', percentage: percent(50), select: select('latte') })
  const result = price(aBasket(lines), [tenth, half])
  t.same(netsOf(result), [8100, 2500, 350])
  t.ok(result.optimal)
})

t.test('a leader whose own discount is worth more keeps it, and its follower gets the percentage', async (t) => {
  for (const [percentage, price1, value] of [
    [25, 2, 1],
    [15, 10, 2],
  ] as const) {
    const reward: Reward = {
      kind: 'line_percentage',
      select: { productIds: ['latte'], children: true },
      percentage: percent(percentage),
    }
    const lines = [
      { product: 'latte', price: 1, own: [1] },
      { price: price1, parent: 0 },
    ]
    const calculation = price(aBasket(lines), [aBenefit('b', reward)])
    t.equal(calculation.value, value)
    t.equal(applied(calculation).lines[0]!.totals.lineDiscount, 1)
  }
})

t.test('what follows is proven best with own discounts and below a maximum of the order', async (t) => {
  const half = aBenefit('half', { ...everything(50), select: coffee })
  const adding = aBenefit('half', half.reward, { existingDiscounts: 'add' })
  const tenth = { kind: 'order_percentage', percentage: percent(10) } as const
  const onTop = aBenefit('o', { ...tenth, maximumAmount: 285 }, { combination: 'stackable' })
  for (const [benefits, own, nets] of [
    [[half], [100], [2500, 350]],
    [[half], [400], [2500, 300]],
    [[adding], [100], [2500, 300]],
    [[half, onTop], [], [2250, 315]],
  ] as const) {
    const result = price(aBasket([latte, oat(0, { own })]), benefits)
    t.same(netsOf(result), nets)
    t.ok(result.optimal)
  }
  const onMilk = aBenefit('o', { ...tenth, select: { productGroupIds: ['milk'] } })
  t.match(price(aBasket([latte, oat(0)]), [half, onMilk]), { value: 2885, gap: 250 })
})
