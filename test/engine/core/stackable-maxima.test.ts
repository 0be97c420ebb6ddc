import t from 'tap'
import { aBasket, aBenefit, type LineSketch, percent, price } from './builders.js'

const top = { combination: 'stackable' } as const

/** With lines behind that change nothing: in small baskets all outcomes are walked through. */
function alone(lines: readonly LineSketch[]) {
  return aBasket([...lines, ...Array.from({ length: 9 }, () => ({ price: 1, noDiscount: true }))])
}

function maximumOn(products: readonly string[], percentage: number, maximumAmount: number) {
  const select = { productIds: [...products] }
  return aBenefit('m', { kind: 'line_percentage', select, percentage: percent(percentage), maximumAmount }, top)
}

t.test('a maximum on top stands where no later percentage shrinks what it brings', async (t) => {
  const later = { kind: 'line_percentage', select: { productIds: ['a'] }, percentage: percent(30) } as const
  const benefits = [maximumOn(['a', 'b'], 50, 50), aBenefit('p', later, top)]
  const lines = [
    { product: 'a', price: 100 },
    { product: 'b', price: 100 },
  ]
  t.match(price(alone(lines), benefits), { value: 80, optimal: true })
})

t.test('a maximum on top of lines that a group ties is proven, the group taking what it leaves', async (t) => {
  const select = { productIds: ['a', 'b', 'c'] }
  const group = {
    kind: 'buy_get',
    buy: { select, quantity: 1 },
    get: { select, quantity: 1, percentage: percent(100) },
  } as const
  const lines = [
    { product: 'a', price: 1000 },
    { product: 'b', price: 990 },
    { product: 'c', price: 400 },
  ]
  // b for nothing; of a and c half is 700, of which 600 may go.
  t.match(price(alone(lines), [aBenefit('g', group), maximumOn(['a', 'b', 'c'], 50, 600)]), {
    value: 1590,
    optimal: true,
  })
  // b for nothing leaves 400 to take half of: 200 less than a, where c is the unit got.
  t.match(price(alone(lines), [aBenefit('g', group), maximumOn(['b', 'c'], 50, 600)]), { value: 1190, optimal: true })
})

t.test('two maxima on one line are proven, each for what it has there', async (t) => {
  const second = {
    kind: 'line_percentage',
    select: { productIds: ['a'] },
    percentage: percent(20),
    maximumAmount: 100,
  } as const
  const benefits = [maximumOn(['a', 'b'], 50, 300), aBenefit('n', second, top)]
  const lines = [
    { product: 'a', price: 1000 },
    { product: 'b', price: 1000 },
  ]
  t.match(price(alone(lines), benefits), { value: 400, optimal: true })
})
