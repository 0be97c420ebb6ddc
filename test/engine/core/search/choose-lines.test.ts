import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from '../builders.js'

const exclusive: Partial<Benefit> = { combination: 'exclusive' }
const selecting = (...productIds: string[]) => ({ select: { productIds } })
const oneUnit = [{ limitId: 'one', scope: 'everyone', period: 'ever', counts: 'units', maximum: 1 }] as const

const off = (benefitId: string, value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(benefitId, { kind: 'line_percentage', percentage: percent(value) }, overrides)

/** One unit of each product for a price. */
const together = (
  benefitId: string,
  products: readonly string[],
  bundlePrice: number,
  overrides: Partial<Benefit> = {},
) =>
  aBenefit(
    benefitId,
    {
      kind: 'bundle_price',
      components: products.map((product) => ({ ...selecting(product), quantity: 1 })),
      price: bundlePrice,
    },
    overrides,
  )

const two: readonly LineSketch[] = [
  { product: 'a', price: 1000 },
  { product: 'b', price: 900 },
]

/** The middle bundle gains most, but excludes the two others, which gain more together. */
const four: readonly LineSketch[] = ['a', 'b', 'c', 'd'].map((product) => ({ product, price: 500 }))
const overlapping = [together('ab', ['a', 'b'], 700), together('bc', ['b', 'c'], 650), together('cd', ['c', 'd'], 700)]

/** Adds lines that change nothing: in a basket of up to 8 lines enumeration would correct the search. */
const padded = (lines: readonly LineSketch[]): LineSketch[] => [
  ...lines,
  ...Array.from({ length: 9 }, () => ({ price: 1, noDiscount: true })),
]

t.test('a limited unit goes where the order discount leaves the most to gain', async (t) => {
  const half = off('half', 50, { limits: oneUnit })
  const order = aBenefit('order', { kind: 'order_percentage', percentage: percent(50), ...selecting('a') })
  const result = price(
    aBasket(
      padded([
        { product: 'a', price: 100 },
        { product: 'b', price: 90 },
      ]),
    ),
    [half, order],
  )
  t.match(result, { value: 95, optimal: true })
  t.ok(result.steps > 0)
})

t.test('an unsearched choice is not called the best, and the bound allows for it', async (t) => {
  const best = price(aBasket(four), overlapping)
  t.match(best, { value: 600, optimal: true, gap: 0 })
  const order = aBenefit('order', { kind: 'order_percentage', percentage: percent(10), ...selecting('a', 'b', 'c') })
  for (const [benefits, most] of [
    [overlapping, 600],
    [[...overlapping, order], price(aBasket(four), [...overlapping, order]).value],
  ] as const) {
    const said = price(aBasket(four), benefits, { stepsMax: 0 })
    t.equal(said.optimal, false)
    t.ok(said.value <= most && most <= said.value + said.gap, `${said.value} and ${said.gap}`)
    t.ok(said.value + said.gap <= 2000, 'nothing is worth more than the basket')
    t.ok(said.steps > 0)
  }
})

t.test('parts that have nothing to do with each other take the steps of both', async (t) => {
  const others = four.map((line) => ({ ...line, product: `${line.product}2` }))
  const otherBundles = ['ab', 'bc', 'cd'].map((pair) =>
    together(
      `${pair}2`,
      [...pair].map((product) => `${product}2`),
      pair === 'bc' ? 650 : 700,
    ),
  )
  const one = price(aBasket(padded(four)), overlapping)
  const both = price(aBasket(padded([...four, ...others])), [...overlapping, ...otherBundles])
  t.match(both, { value: 2 * one.value, optimal: true })
  t.ok(one.steps > 0 && both.steps >= 2 * one.steps, `${one.steps} and ${both.steps}`)
})

t.test('exclusive benefits that cannot be worth as much cost no search', async (t) => {
  const normal = off('n', 20)
  const weak = Array.from({ length: 5 }, (_, at) => off(`w${at}`, 10, exclusive))
  const exhausted = off('u', 90, { ...exclusive, limits: oneUnit })
  const none = { stepsMax: 100, available: { 'one\n\n': 0 } }
  const steps = (benefits: readonly Benefit[], asked = {}) => price(aBasket(two), benefits, asked).steps
  t.ok(steps([normal, ...weak]) <= steps([normal]))
  t.ok(steps([normal, exhausted], none) <= steps([normal]))
  t.ok(steps([exhausted], none) <= steps([]))
})

t.test('an exclusive benefit is searched in addition to the others, in steps of its own', async (t) => {
  const [normal, strong] = [off('n', 20), off('x', 30, exclusive)]
  const [others, all] = [price(aBasket(two), [normal]), price(aBasket(two), [normal, strong])]
  const alone = price(aBasket(two), [{ ...strong, combination: 'normal' }])
  t.match(all, { value: 570, optimal: true })
  t.ok(all.steps >= others.steps + alone.steps, `${all.steps} of ${others.steps} and ${alone.steps}`)
})

t.test('where the budget ends before an exclusive benefit, its worth is in the bound', async (t) => {
  const benefits = [off('n', 20), off('x', 30, exclusive)]
  const { steps } = price(aBasket(two), benefits.slice(0, 1))
  const said = price(aBasket(two), benefits, { stepsMax: steps })
  t.match(said, { value: 380, optimal: false })
  t.ok(said.value + said.gap >= 570, `${said.gap}`)
  t.ok(said.steps <= steps, `${said.steps} of ${steps} steps`)
})

t.test('where the budget ends within an exclusive benefit, the bound is the greater one', async (t) => {
  const thirds = ['a', 'b', 'c'].map((id) => off(id, 33.3333))
  const line = aBasket([{ product: 'a', price: 333, quantity: 100 }])
  const others = price(line, thirds)
  const said = price(line, [...thirds, off('x', 33.3334, exclusive)])
  t.ok(said.value >= others.value && said.value + said.gap >= others.value + others.gap, `${said.value} + ${said.gap}`)
})

t.test(
  'an exclusive benefit of the same worth as all others is compared with them, while the budget lasts',
  async (t) => {
    const benefits = [off('n', 20), off('a', 20, exclusive)]
    const { steps } = price(aBasket(two), benefits.slice(0, 1))
    const ended = price(aBasket(two), benefits, { stepsMax: steps })
    const whole = price(aBasket(two), benefits)
    for (const each of [ended, whole]) t.match(each, { value: 380, optimal: true })
    t.same(
      [ended, whole].map(({ benefits }) =>
        benefits.filter(({ dropped }) => dropped === null).map(({ benefitId }) => benefitId),
      ),
      [['n'], ['a']],
    )
  },
)

/** Bundles of neighbouring products in a row, at prices that prevent choosing each alone. */
function aRow(name: string, length: number) {
  const products = Array.from({ length }, (_, at) => `${name}${at}`)
  const bundles = products
    .slice(1)
    .map((product, at) => together(`${product}-and-before`, [products[at]!, product], 700 - 13 * ((at * 5) % 7)))
  return { lines: products.map((product, at): LineSketch => ({ product, price: 500 + 7 * at, quantity: 2 })), bundles }
}

/** Steps that the work in progress may still take at the end of the budget. */
const passedByMax = 300

t.test('many parts that have nothing to do with each other share one budget', async (t) => {
  const rows = ['q', 'r', 's', 't', 'u', 'v'].map((name) => aRow(name, 10))
  const basket = aBasket(rows.flatMap(({ lines }) => lines))
  const bundles = rows.flatMap((row) => row.bundles)
  t.match(price(basket, bundles), { optimal: true })
  const { steps } = price(basket, bundles, { stepsMax: 100 })
  t.ok(steps <= 100 + passedByMax, `${steps} steps`)
})

t.test('a part that the order discount looks into shares the budget of the parts before it', async (t) => {
  const rows = ['q', 'r', 's', 't', 'u', 'v'].map((name) => aRow(name, 6))
  const basket = aBasket(rows.flatMap(({ lines }) => lines))
  const order = aBenefit('order', {
    kind: 'order_percentage',
    percentage: percent(10),
    ...selecting('v0', 'v1', 'v2'),
  })
  const benefits = [...rows.flatMap((row) => row.bundles), order]
  t.match(price(basket, benefits), { optimal: true })
  const { steps } = price(basket, benefits, { stepsMax: 100 })
  t.ok(steps <= 100 + passedByMax, `${steps} steps`)
})

t.test('an exclusive benefit has only what the others left of the budget', async (t) => {
  const lines = Array.from(
    { length: 25 },
    (_, at): LineSketch => ({ product: `p${at}`, price: 300 + 97 * ((at * 7) % 13), quantity: 1 + (at % 3) }),
  )
  const productsOf = (isWanted: (at: number) => boolean) =>
    selecting(...lines.map((_, at) => `p${at}`).filter((_, at) => isWanted(at)))
  const others = aBenefit('others', {
    kind: 'buy_get',
    buy: { quantity: 3 },
    get: { quantity: 2, percentage: percent(70) },
  })
  const long = aBenefit(
    'long',
    {
      kind: 'buy_get',
      buy: { ...productsOf((at) => at % 2 === 1), quantity: 2 },
      get: { ...productsOf((at) => at % 3 > 0), quantity: 2, percentage: percent(70) },
    },
    exclusive,
  )
  const stepsMax = 2000
  const before = price(aBasket(lines), [others], { stepsMax })
  t.match(before, { optimal: true })
  const { steps } = price(aBasket(lines), [others, long], { stepsMax })
  t.ok(steps > before.steps && steps <= stepsMax + passedByMax, `${steps} of ${stepsMax} steps`)
})
