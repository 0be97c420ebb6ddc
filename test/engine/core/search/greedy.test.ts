import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { type LinePlan, plansAlone } from '../../../../engine/core/lines/plan.js'
import { componentInstanceOf, componentsOf, partitionOffers } from '../../../../engine/core/model/components.js'
import { lineTask } from '../../../../engine/core/search/basket-instance.js'
import { planGreedily } from '../../../../engine/core/search/greedy.js'
import { startOf } from '../../../../engine/core/search/solve.js'
import { aBasket, aBenefit, type LineSketch, percent } from '../builders.js'
import { offersOf } from '../offers-of.js'

const one = [{ limitId: 'one', scope: 'everyone', period: 'ever', counts: 'units', maximum: 1 }] as const

const both: readonly LineSketch[] = [
  { product: 'a', price: 1000 },
  { product: 'b', price: 900 },
]

t.test('plans that are not searched give a limited unit to the line where it takes most', async (t) => {
  const half = aBenefit('half', { kind: 'line_percentage', percentage: percent(50) }, { limits: one })
  const { plans, steps } = quickly(both, [half])
  t.same(
    plans.map(({ serves }) => serves.map(({ offer, pieces }) => [offer.benefit.benefitId, pieces])),
    [[['half', 1]], []],
  )
  t.ok(steps > 0)
})

t.test('where the lines would cost no less they stay as they are', async (t) => {
  const dear = aBenefit('dear', {
    kind: 'bundle_price',
    components: ['a', 'b'].map((id) => ({ select: { productIds: [id] }, quantity: 1 })),
    price: 1900,
  })
  const { plans, alone } = quickly(both, [dear])
  t.same(plans, alone)
})

t.test('plans that break a rule are not better than others', async (t) => {
  const half = aBenefit('half', { kind: 'line_percentage', percentage: percent(50) }, { limits: one })
  const own = [
    { product: 'a', price: 1000, own: [100] },
    { product: 'b', price: 600 },
  ]
  const { plans } = quickly(own, [half], (plan, at) => (at === 0 ? { ...plan, off: true, rest: 0 } : plan))
  t.same(
    plans.map(({ serves }) => serves.length),
    [1, 0],
  )
})

/** The quick plans of all lines, next to those without the benefits, which may be altered. */
function quickly(
  sketches: readonly LineSketch[],
  benefits: readonly Benefit[],
  spoilt: (plan: LinePlan, at: number) => LinePlan = (plan) => plan,
) {
  const { basis, offers } = offersOf(aBasket(sketches), benefits)
  const partition = partitionOffers(basis, offers)
  const alone = plansAlone(basis.lines, partition.lineOffers).map(spoilt)
  const lineInstance = { lines: basis.lines, lineOffers: partition.lineOffers, alone }
  const [component] = componentsOf(basis.lines.length, partition)
  const orderOffers = { normals: [], stacks: [], hasOrderDiscounts: false }
  const task = lineTask({ basis, lineInstance, orderOffers }, component!, { weights: null, stepsMax: 1000 })
  const tied = componentInstanceOf(lineInstance, component!)
  return { ...planGreedily(tied, { ...task, start: startOf(tied, task) }), alone }
}
