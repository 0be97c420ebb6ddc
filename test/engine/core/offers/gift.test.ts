import t from 'tap'
import type { Benefit, Limit } from '../../../../engine/core/base/programme.js'
import {
  aBasket,
  aBenefit,
  addedOn,
  applied,
  aVenue,
  type LineSketch,
  netsOf,
  percent,
  price,
  sentBack,
} from '../builders.js'
import { aCost, having } from '../search/stamps.js'

const venue = aVenue([{ productId: 'oat', unitPrice: 800 }])
const bare = { venue: aVenue() }

function oatFree(overrides: Partial<Benefit> = {}, gift: { quantity?: number; per?: number } = {}): Benefit {
  const { quantity = 1, per } = gift
  const units = per === undefined ? {} : { per: { select: { productGroupIds: ['coffee'] }, quantity: per } }
  return aBenefit('oat', { kind: 'free_product', productId: 'oat', quantity, ...units }, overrides)
}

const oat = (sketch: LineSketch = {}): LineSketch => ({ product: 'oat', price: 1000, ...sketch })
const latte = (sketch: LineSketch = {}): LineSketch => ({ product: 'latte', group: 'coffee', price: 4500, ...sketch })
const limit: Limit = { limitId: 'l', scope: 'member', period: 'ever', counts: 'units', maximum: 1 }

t.test('units of the basket are free first, only missing ones are added', async (t) => {
  for (const [units, quantity, net, added] of [
    [1, 1, 0, 0],
    [3, 1, 2000, 0],
    [1, 3, 0, 2],
    [3, 2, 1000, 0],
  ] as const) {
    const said = price(aBasket([oat({ quantity: units })]), [oatFree({}, { quantity })], { venue })
    t.match(said, { optimal: true, netAfter: net, value: Math.min(units, quantity) * 1000 + added * 800 })
    const { lines } = applied(said)
    t.same(addedOn(lines[0]!), [['amount', Math.min(units, quantity) * 1000]])
    t.equal(lines.length, added === 0 ? 1 : 2)
    if (added > 0) t.match(lines[1], { kind: 'added', quantity: added * 1000, totals: { net: 0 } })
  }
})

t.test('without a price list only units of the basket are free', async (t) => {
  t.match(price(aBasket([oat({ quantity: 2 })]), [oatFree({}, { quantity: 3 })], bare), { value: 2000, netAfter: 0 })
  const none = price(aBasket([latte()]), [oatFree()], bare)
  t.match(none.benefits[0]!.dropped, { stage: 'conditions_not_met', missing: [{ kind: 'product', productId: 'oat' }] })
  const asked = oatFree({ conditions: { requires: [{ select: { productIds: ['oat'] }, quantity: 1 }] } })
  t.match(price(aBasket([oat()]), [asked], bare).benefits[0]!.dropped, { stage: 'conditions_not_met' })
})

t.test('for units of the basket that may not be discounted none are added', async (t) => {
  const flagged = aBasket([oat({ noDiscount: true })])
  for (const asked of [{ venue }, bare])
    t.match(price(flagged, [oatFree()], asked).outcome, { reason: 'not_discountable' })
  t.match(price(flagged, [oatFree({}, { quantity: 2 })], { venue }), { value: 800, netAfter: 1000 })
  const never = { venue: aVenue([{ productId: 'oat', noDiscount: true }]) }
  t.match(price(aBasket([latte()]), [oatFree()], never).outcome, { reason: 'not_discountable' })
  t.match(price(aBasket([oat()]), [oatFree()], never), { value: 1000, netAfter: 0 })
  const reduced = aBasket([oat({ own: [300] })])
  const keeping = oatFree({ existingDiscounts: 'keep' })
  for (const asked of [{ venue }, bare])
    t.match(price(reduced, [keeping], asked).outcome, { reason: 'existing_discount_kept' })
  t.match(price(reduced, [oatFree({ existingDiscounts: 'add' })], { venue }), { value: 700, netAfter: 0 })
  t.match(price(aBasket([oat({ quantity: 0.5 })]), [oatFree()], { venue }), { value: 800, netAfter: 500 })
})

t.test('`per` gives free units for each number of paid units', async (t) => {
  const perTwo = oatFree({}, { per: 2 })
  for (const [lattes, oats, net, value] of [
    [1, 1, 5500, 0],
    [2, 1, 9000, 1000],
    [4, 1, 18_000, 1000 + 800],
    [5, 3, 23_500, 2000],
  ] as const) {
    const said = price(aBasket([latte({ quantity: lattes }), oat({ quantity: oats })]), [perTwo], { venue })
    t.match(said, { optimal: true, value, netAfter: net })
  }
  const few = price(aBasket([latte(), oat()]), [perTwo], { venue })
  t.same(few.benefits[0]!.dropped, { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] })
  const flagged = price(aBasket([latte({ quantity: 2, noDiscount: true }), oat()]), [perTwo], { venue })
  t.match(flagged.benefits[0]!.dropped, { stage: 'not_discountable', lines: [0, 1] })
})

t.test('units of the product itself that are asked for stay paid', async (t) => {
  const third = aBenefit('latte', {
    kind: 'free_product',
    productId: 'latte',
    quantity: 1,
    per: { select: { productGroupIds: ['coffee'] }, quantity: 3 },
  })
  for (const [lattes, free] of [
    [2, 0],
    [3, 0],
    [4, 1],
    [7, 1],
    [8, 2],
  ] as const) {
    const said = price(aBasket([latte({ quantity: lattes })]), [third], bare)
    t.match(said, { optimal: true, value: free * 4500, netAfter: (lattes - free) * 4500 }, String(lattes))
  }
  // The cheaper coffee is asked for as well as the latte, so the latte is free.
  const mixed = aBasket([latte(), { product: 'mocha', group: 'coffee', price: 5000, quantity: 3 }])
  t.match(price(mixed, [third], bare), { value: 4500, netAfter: 15_000 })
  const asked = { requires: [{ select: { productGroupIds: ['coffee'] }, quantity: 2 }] }
  const once = aBenefit('latte', { kind: 'free_product', productId: 'latte', quantity: 2 }, { conditions: asked })
  t.match(price(aBasket([latte({ quantity: 3 })]), [once], bare), { value: 4500, netAfter: 9000 })
})

t.test('of lines that are asked for differently those that may be free are', async (t) => {
  const asked = { requires: [{ select: { productGroupIds: ['coffee'] }, quantity: 2 }] }
  const once = aBenefit('latte', { kind: 'free_product', productId: 'latte', quantity: 3 }, { conditions: asked })
  const basket = aBasket([latte({ quantity: 3 }), latte({ group: 'decaf', price: 3000 })])
  t.match(price(basket, [once], bare), { optimal: true, value: 4500 + 3000, netAfter: 9000 })
  const other = aBenefit('half', {
    kind: 'line_percentage',
    select: { productGroupIds: ['decaf'] },
    percentage: percent(50),
  })
  t.match(price(basket, [once, other], bare), { optimal: true, value: 4500 + 3000 })
})

t.test('a unit serves one benefit, and none is added in the place of one that the basket has', async (t) => {
  const tenth = aBenefit('tenth', { kind: 'line_percentage', percentage: percent(10) })
  t.match(price(aBasket([oat()]), [oatFree(), tenth], { venue }), { optimal: true, value: 1000, netAfter: 0 })
  const menu = aBenefit('menu', {
    kind: 'bundle_price',
    components: [
      { select: { productIds: ['latte'] }, quantity: 1 },
      { select: { productIds: ['oat'] }, quantity: 1 },
    ],
    price: 4000,
  })
  t.match(price(aBasket([oat(), latte()]), [oatFree(), menu], { venue }), { optimal: true, value: 1500 })
})

t.test('limits and costs count the units given, there or added', async (t) => {
  const basket = aBasket([oat({ quantity: 2 })])
  const three = (maximum: number) => oatFree({ limits: [{ ...limit, maximum }] }, { quantity: 3 })
  for (const [maximum, value] of [
    [1, 1000],
    [2, 2000],
    [3, 2800],
    [9, 2800],
  ] as const) {
    const said = price(basket, [three(maximum)], { venue })
    t.match(said, { optimal: true, value, wants: [{ units: Math.min(3, maximum) }] })
  }
  const had = price(aBasket([oat({ noDiscount: true })]), [oatFree({ limits: [limit] }, { quantity: 2 })], { venue })
  t.match(had.benefits[0]!.dropped, { stage: 'limit_exhausted', left: 1, wanted: 2 })
  const costed = { ...oatFree(aCost(10), { quantity: 3 }) }
  for (const [stamps, value] of [
    [9, 0],
    [10, 1000],
    [25, 2000],
    [30, 2800],
  ] as const) {
    const said = price(basket, [costed], { venue, member: having(stamps) })
    t.match(said, { optimal: true, value })
    t.same(
      said.spending.map(({ times }) => times),
      value === 0 ? [] : [Math.floor(stamps / 10)],
    )
  }
  const once = { ...oatFree(aCost(10, { per: 'basket' }), { quantity: 2 }) }
  for (const [bought, value] of [
    [latte(), 1600],
    [oat(), 1800],
  ] as const) {
    const said = price(aBasket([bought]), [once], { venue, member: having(10) })
    t.match(said, { optimal: true, value, spending: [{ times: 1 }] })
  }
  // One unit is there and one is missing: the one that is worth more is paid.
  for (const [unitPrice, value] of [
    [100, 800],
    [900, 900],
  ] as const) {
    const basket = aBasket([oat({ price: unitPrice })])
    const said = price(basket, [oatFree(aCost(10), { quantity: 2 })], { venue, member: having(10) })
    t.match(said, { optimal: true, value, spending: [{ times: 1 }] })
  }
  const worth = { costs: { currencyId: 'stamps', amount: 10, per: 'unit', worth: 900 } } as const
  const said = price(basket, [oatFree(worth, { quantity: 3 })], { venue, member: having(30) })
  t.match(said, { optimal: true, value: 200, spending: [{ times: 2 }] })
})

t.test('the explanation names the lines, and the answer sent again is the same', async (t) => {
  const basket = aBasket([latte(), oat({ quantity: 2 })])
  const said = price(basket, [oatFree({}, { quantity: 2 })], { venue })
  t.match(said.benefits, [{ dropped: null, value: 2000, lines: [{ line: 1, units: 2, amount: 2000 }] }])
  t.same(netsOf(said), [4500, 0])
  for (const quantity of [2, 4]) {
    const gifts = [oatFree({}, { quantity })]
    const again = sentBack(basket, applied(price(basket, gifts, { venue })))
    t.match(price(again, gifts, { venue }), { outcome: { status: 'unchanged' }, value: 2000 + 800 * (quantity - 2) })
  }
})
