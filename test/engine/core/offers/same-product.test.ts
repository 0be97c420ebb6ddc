import t from 'tap'
import type { Benefit, Reward } from '../../../../engine/core/base/programme.js'
import { Dice } from '../../../support/dice.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from '../builders.js'

const products = ['a', 'b', 'c']
const casesMax = 250

interface Drawn {
  readonly lines: readonly LineSketch[]
  readonly reward: Reward & { readonly maximumTimes?: number }
  readonly overrides: Partial<Benefit>
  readonly others: readonly Benefit[]
}

function draw(dice: Dice): Drawn {
  const lines = Array.from({ length: dice.between(2, 5) }, (): LineSketch => {
    const [unitPrice, quantity] = [dice.pick([3, 5, 10, 11]), dice.between(1, 4)]
    const own = dice.chance(0.2) ? [dice.between(1, unitPrice)] : []
    return { product: dice.pick(products), price: unitPrice, quantity, own }
  })
  const select = dice.chance(0.5) ? {} : { productIds: dice.some(products) }
  const times = dice.chance(0.6) ? { maximumTimes: dice.between(1, 3) } : {}
  const [one, two] = [dice.between(1, 2), dice.between(1, 2)]
  const reward: Reward = dice.chance(0.6)
    ? {
        kind: 'buy_get',
        buy: { quantity: one },
        get: { select, quantity: two, percentage: percent(dice.pick([30, 100])) },
        ...times,
      }
    : {
        ...dice.pick([
          { kind: 'bundle_price', price: dice.between(1, 15) },
          { kind: 'bundle_discount', off: { percentage: percent(dice.pick([30, 100])) } },
        ] as const),
        components: [{ quantity: one }, { select, quantity: two }],
        ...times,
      }
  const existingDiscounts = dice.pick(['replace', 'add'] as const)
  const off: Reward = {
    kind: 'line_percentage',
    percentage: percent(dice.pick([10, 40])),
    maximumUnits: dice.between(1, 9),
  }
  return { lines, reward, overrides: { existingDiscounts }, others: dice.chance(0.5) ? [aBenefit('z', off)] : [] }
}

/** The reward for one product alone, as many times. */
function of(product: string, reward: Reward, maximumTimes: number): Reward {
  const ofProduct = (units: {
    readonly select?: { readonly productIds?: readonly string[] }
    readonly quantity: number
  }) => {
    const isIn = units.select?.productIds?.includes(product) ?? true
    return { ...units, select: isIn ? { productIds: [product] } : { productIds: ['none'] } }
  }
  if (reward.kind === 'buy_get') {
    return { ...reward, buy: ofProduct(reward.buy), get: { ...reward.get, ...ofProduct(reward.get) }, maximumTimes }
  }
  if (!('components' in reward)) throw new Error(reward.kind)
  return { ...reward, components: reward.components.map(ofProduct), maximumTimes }
}

/** Every way to divide at most `times` times among products. */
function divisions(times: number, count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]]
  return Array.from({ length: times + 1 }, (_, own) => own).flatMap((own) =>
    divisions(times - own, count - 1).map((rest) => [own, ...rest]),
  )
}

t.test('of times that are each of one product the best are found, as many as there may be in all', async (t) => {
  const [manyTimes, stepsMax] = [20, 12_000]
  for (let seed = 1; seed <= casesMax; seed += 1) {
    const { lines, reward, overrides, others } = draw(new Dice(seed))
    // Lines that change nothing prevent enumeration.
    const still = Array.from({ length: seed % 2 === 0 ? 9 : 0 }, () => ({
      price: 1,
      noDiscount: true,
      product: 'still',
    }))
    const basket = aBasket([...lines, ...still])
    const most = reward.maximumTimes
    const ways = most === undefined ? [products.map(() => manyTimes)] : divisions(most, products.length)
    const values = ways.map((times) => {
      const each = products.flatMap((product, at) =>
        times[at] === 0 ? [] : [aBenefit(`b-${product}`, of(product, reward, times[at]!), overrides)],
      )
      return price(basket, [...each, ...others], { stepsMax }).value
    })
    const said = price(basket, [aBenefit('b', { ...reward, sameProduct: true } as Reward, overrides), ...others], {
      stepsMax,
    })
    t.match(said, { value: Math.max(...values), optimal: true }, `seed ${seed}`)
  }
})

t.test('a time that only several products complete is none', async (t) => {
  const pair: Reward = {
    kind: 'buy_get',
    buy: { quantity: 1 },
    get: { quantity: 1, percentage: percent(100) },
    sameProduct: true,
  }
  const [tea, cake] = [{ product: 'tea' }, { product: 'cake' }]
  const missing = [{ kind: 'units', units: 1 }]
  const benefits = [aBenefit('b', pair)]
  t.match(price(aBasket([tea, cake]), benefits).benefits, [{ dropped: { stage: 'conditions_not_met', missing } }])
  t.match(price(aBasket([tea, cake, tea]), benefits), { value: 1000 })
  const masters = [
    { ...tea, master: 'm' },
    { ...cake, master: 'm' },
  ]
  t.match(price(aBasket(masters), benefits), { value: 1000 }, 'products of one productMasterId are one')
  const eans = [
    { ...tea, ean: 'm' },
    { ...cake, master: 'm' },
  ]
  t.match(price(aBasket(eans), benefits), { value: 0 }, 'an ean and a productMasterId are two')
})
