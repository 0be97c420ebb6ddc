import t from 'tap'
import { plansAlone } from '../../../../engine/core/lines/plan.js'
import { partitionOffers } from '../../../../engine/core/model/components.js'
import { keepOrders } from '../../../../engine/core/order/orders.js'
import { leastRests, stayingOrders } from '../../../../engine/core/order/staying-orders.js'
import { basketInstanceOf } from '../../../../engine/core/search/basket-instance.js'
import { tightCases } from '../../../oracle/tight-cases.js'
import { Dice } from '../../../support/dice.js'
import { aBasket, aBenefit, applied, netsOf, percent, price } from '../builders.js'
import { offersOf } from '../offers-of.js'

t.test('an order discount is spread over what the lines still cost', async (t) => {
  const result = price(aBasket([{ price: 999 }, { price: 1 }, { noDiscount: true }]), [
    aBenefit('o', { kind: 'order_amount', amount: 500 }),
  ])
  t.same(netsOf(result), [499, 1, 1000])
  t.equal(applied(result).orderDiscounts.length, 1)
})

t.test('an order percentage applies after the line level', async (t) => {
  const result = price(aBasket([{}, {}]), [
    aBenefit('l', { kind: 'line_amount', select: { productIds: ['product-0'] }, amount: 500, per: 'unit' }),
    aBenefit('o', { kind: 'order_percentage', percentage: percent(10) }),
  ])
  t.same(netsOf(result), [450, 900])
  t.ok(result.optimal)
})

t.test('of normal order discounts the larger one is given, stackable ones come on top', async (t) => {
  const result = price(aBasket([{}]), [
    aBenefit('a', { kind: 'order_percentage', percentage: percent(10) }),
    aBenefit('b', { kind: 'order_amount', amount: 150 }),
    aBenefit('c', { kind: 'order_percentage', percentage: percent(10) }, { combination: 'stackable' }),
  ])
  t.same(netsOf(result), [765])
})

t.test('existing order discounts are replaced, retained or added to', async (t) => {
  const basket = aBasket([{ allocations: { pos: 100 } }])
  const reward = { kind: 'order_percentage', percentage: percent(20) } as const
  t.same(netsOf(price(basket, [aBenefit('o', reward)])), [800])
  t.same(netsOf(price(basket, [aBenefit('o', reward, { existingDiscounts: 'add' })])), [720])
  const kept = price(basket, [aBenefit('o', reward, { existingDiscounts: 'keep' })])
  t.same(kept.outcome, { status: 'unchanged', reason: 'existing_discount_kept' })
})

t.test('an existing order discount that no longer fits moves to the lines that carry it', async (t) => {
  const basket = aBasket([{ allocations: { pos: 600 } }, { allocations: { pos: 200 } }, {}])
  const half = aBenefit('h', {
    kind: 'line_percentage',
    select: { productIds: ['product-0'] },
    percentage: percent(80),
  })
  const result = price(basket, [half])
  t.same(netsOf(result), [0, 400, 1000])
  t.same(applied(result).orderDiscounts, [{ kind: 'kept', position: 0, amount: 800 }])
})

const cases = 1000
const plansEach = 30
/** Possible weights of lines behind order-level benefits. */
const levels = [
  [1, 0.9],
  [1, 0.5],
  [1, 0.95, 0.5, 0.475],
  [1, 0],
]
const tolerance = 1e-6

type WeightOf = (at: number) => number

// A basket whose order discounts of the POS may move, and the possible costs of its lines.
function drawMoving(seed: number) {
  const { input, benefits } = tightCases['staying']!(seed)
  const { basis, offers } = offersOf(input.basket, benefits)
  const { lines } = basis
  const partition = partitionOffers(basis, offers)
  const lineInstance = { lines, lineOffers: partition.lineOffers, alone: plansAlone(lines, partition.lineOffers) }
  const instance = basketInstanceOf(
    { basis, lineInstance, orderOffers: { normals: [], stacks: [], hasOrderDiscounts: true } },
    partition,
  )
  const dice = new Dice(seed)
  const least = leastRests(instance)
  const all = Array.from({ length: plansEach }, () =>
    lines.map(({ gross }, at) => dice.pick([least[at]!, gross, dice.between(least[at]!, gross)])),
  )
  const level = dice.pick(levels)
  const weights = lines.map(() => dice.pick(level))
  return { instance, all, weightOf: (at: number) => weights[at]! }
}

function weighed(rests: readonly number[], weightOf: WeightOf): number {
  return rests.reduce((sum, rest, at) => sum + weightOf(at) * rest, 0)
}

t.test('no lines come to less after order discounts of the POS than by either bound of what these take', async (t) => {
  let [moved, close, exact] = [0, 0, 0]
  for (let seed = 1; seed <= cases; seed += 1) {
    const { instance, all, weightOf } = drawMoving(seed)
    const staying = stayingOrders(instance)
    if (staying.isInPlace) continue
    const leastBy = (other: WeightOf) => Math.min(...all.map((rests) => weighed(rests, other)))
    const known = { rests: all[0]!, most: Math.max(...all.map((rests) => weighed(rests, weightOf))), leastBy }
    const coarse = staying.takenFrom({ weightOf, added: 0 })
    const closer = staying.takenByLine({ weightOf, added: 0 }, known)
    for (const rests of all) {
      const nets = [...rests]
      keepOrders(instance.basis, nets)
      const net = weighed(nets, weightOf)
      const sum = weighed(rests, weightOf)
      const penalties = rests.map((rest, at) => closer.penaltyOf?.(at)?.(rest) ?? 0)
      const bound = sum + closer.added + penalties.reduce((all, each) => all + each, 0)
      if (sum + coarse.added > net + tolerance) t.fail(`seed ${seed}: ${sum + coarse.added} for ${net}`)
      if (bound > net + tolerance) t.fail(`seed ${seed}: line by line ${bound} for ${net}`)
      if (penalties.some((each) => each < 0)) t.fail(`seed ${seed}: a penalty below 0`)
      moved += 1
      if (bound > net - 1) close += 1
      if (bound > net - tolerance) exact += 1
    }
  }
  t.ok(close > moved / 2 && exact > moved / 3, `${close} of ${moved} within a minor unit, ${exact} exact`)
})
