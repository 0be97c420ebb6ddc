import t from 'tap'
import { untouchedPlan } from '../../../engine/core/lines/plan.js'
import { settleLines } from '../../../engine/core/lines/settle-lines.js'
import { sceneOf } from '../../../engine/core/model/components.js'
import { settleAbove } from '../../../engine/core/order/settle-basket.js'
import { walkTies } from '../../../engine/core/search/tie-walk.js'
import { aBasket, aBenefit } from './builders.js'
import { offersOf } from './offers-of.js'

t.test('a walk that sets out from nothing finds an outcome that is worth one minor unit', async (t) => {
  const cheaper = aBenefit('cheaper', { kind: 'member_price', unitPrice: 99 })
  const { basis, offers, hasOrderDiscounts } = offersOf(aBasket([{ product: 'a', price: 100 }]), [cheaper])
  const lines = basis.lines.map(untouchedPlan)
  const plan = { lines, orders: { off: false, uses: [] }, free: [] }
  const start = settleAbove(basis, plan, settleLines(basis.lines, lines)!)
  const scene = sceneOf({ basis, offers, hasOrderDiscounts, stepsMax: 1000 }, offers)
  const { settled, isComplete } = walkTies(basis, { scene, all: offers, start, stepsMax: 1000 })
  t.equal(start.value, 0)
  t.equal(settled.value, 1)
  t.ok(isComplete)
})
