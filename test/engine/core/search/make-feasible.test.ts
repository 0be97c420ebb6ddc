import t from 'tap'
import { type LinePlan, planLine } from '../../../../engine/core/lines/plan.js'
import { settleLines } from '../../../../engine/core/lines/settle-lines.js'
import { makeFeasible } from '../../../../engine/core/search/basket-instance.js'
import { aBasket, aBenefit, percent } from '../builders.js'
import { offersOf } from '../offers-of.js'
import { withoutOrders } from './without-orders.js'

const basket = aBasket([{ price: 10, own: [5] }, { price: 100 }])
const all = aBenefit(
  'all',
  { kind: 'line_percentage', percentage: percent(100), maximumAmount: 3 },
  { combination: 'stackable' },
)
const { basis, offers } = offersOf(basket, [all])
const { partition, instance } = withoutOrders(basis, offers)
const bold = () => basis.lines.map((line, at) => planLine(line, partition.lineOffers[at]!, [], true))

function restsOf(plans: readonly LinePlan[]): number[] | null {
  return settleLines(basis.lines, plans)?.lines.map(({ rest }) => rest) ?? null
}

t.test('a line that a maximum amount leaves nothing for keeps its own discounts', async (t) => {
  const plans = bold()
  t.equal(restsOf(plans), null, 'no discount is left where the own one went')
  makeFeasible(instance, plans)
  t.same(restsOf(plans), [5, 97])
})

t.test('plans that hold by themselves stay', async (t) => {
  const plans = [planLine(basis.lines[0]!, partition.lineOffers[0]!), bold()[1]!]
  const before = [...plans]
  makeFeasible(instance, plans)
  t.strictSame(plans, before)
})

t.test('where plans break a rule whatever a maximum leaves, every line stays as it was sent', async (t) => {
  const broken: LinePlan = { ...bold()[0]!, stacks: [] }
  const plans = [broken, bold()[1]!]
  makeFeasible(instance, plans)
  t.same(restsOf(plans), [5, 100])
})
