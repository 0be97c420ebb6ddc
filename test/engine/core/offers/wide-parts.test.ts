import t from 'tap'
import type { Benefit, Selector } from '../../../../engine/core/base/programme.js'
import { Dice } from '../../../support/dice.js'
import { aBasket, aBenefit, type LineSketch, price } from '../builders.js'

const products = Array.from({ length: 24 }, (_, at) => `product-${at}`)
const dice = new Dice(5)
const sketches = products.map(
  (product): LineSketch => ({ product, price: 100 + dice.below(900), quantity: 1 + dice.below(3) }),
)

/** Every product except some, as a list or by exclusion. */
type Naming = (left: readonly string[]) => Selector
const leftOut: Naming = (left) => ({ not: { productIds: [...left] } })
const listed: Naming = (left) => ({ productIds: products.filter((product) => !left.includes(product)) })

function bundles(seed: number, naming: Naming): Benefit[] {
  const dice = new Dice(seed)
  return Array.from({ length: 6 }, (_, at) => {
    const components = Array.from({ length: 1 + dice.below(4) }, () => {
      const left = Array.from({ length: 1 + dice.below(5) }, () => products[dice.below(products.length)]!)
      const quantity = 1 + dice.below(3)
      return { select: dice.below(4) === 0 ? { productIds: left } : naming(left), quantity }
    })
    return aBenefit(`bundle-${at}`, {
      kind: 'bundle_price',
      components,
      price: 100 + dice.below(2000),
      maximumTimes: 2,
    })
  })
}

t.test('a component of all lines but some is worth, and reported as, what the list of them would be', async (t) => {
  const baskets = {
    'whole units': sketches,
    'a line that nobody may discount': sketches.map((each, at) => ({ ...each, noDiscount: at === 3 })),
    'a weighed line': sketches.map((each, at) => (at === 5 ? { ...each, quantity: 1.5 } : each)),
    'own discounts': sketches.map((each, at) => (at % 2 === 0 ? { ...each, own: [20] } : each)),
    'few units': sketches.slice(0, 3),
  }
  for (const [name, lines] of Object.entries(baskets)) {
    for (let seed = 1; seed <= 12; seed++) {
      const [one, other] = [leftOut, listed].map((naming) =>
        price(aBasket(lines), bundles(seed, naming), { stepsMax: 2000 }),
      )
      t.same(one, other, `${name}, seed ${seed}`)
    }
  }
})

t.test('a bundle of all lines but one looks at no line that all of its components leave out', async (t) => {
  const select = { not: { productIds: ['product-0'] } }
  const components = [
    { select, quantity: 1 },
    { select, quantity: 1 },
  ]
  const lines = [1000, 10, 10, 10, 10, 10].map((each, at) => ({ product: products[at]!, price: each }))
  t.equal(price(aBasket(lines), [aBenefit('pair', { kind: 'bundle_price', components, price: 15 })]).value, 10)
})
