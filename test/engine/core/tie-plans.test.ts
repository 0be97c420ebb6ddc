import t from 'tap'
import { plansAlone } from '../../../engine/core/lines/plan.js'
import { componentsOf, groundOf, tieGroundOf } from '../../../engine/core/model/components.js'
import { plansAt } from '../../../engine/core/relaxation/tie-plans.js'
import type { Column } from '../../../engine/core/relaxation/tie-terms.js'
import { aBasket, aBenefit, percent } from './builders.js'
import { offersOf } from './offers-of.js'

const half = aBenefit(
  'half',
  { kind: 'line_percentage', percentage: percent(50) },
  { limits: [{ limitId: 'two', scope: 'everyone', period: 'ever', counts: 'units', maximum: 2 }] },
)

/** The result at a solution where a benefit with a limit of two units has so many of a line of three. */
function withPieces(pieces: number) {
  const { basis, offers } = offersOf(aBasket([{ product: 'a', price: 100, quantity: 3 }]), [half])
  const dealt = groundOf(basis, offers)
  const alone = plansAlone(basis.lines, dealt.lineOffers)
  const [component] = componentsOf(basis.lines.length, dealt)
  const ground = tieGroundOf({ lines: basis.lines, lineOffers: dealt.lineOffers, alone }, component!)
  const take: Column = { role: 'take', offer: 0, line: 0, objective: 50, upper: 3, least: 50 }
  return plansAt(ground, alone, { columns: [take], values: [pieces] })
}

t.test('plans are read off a point as it has them', async (t) => {
  const { plans, isSure } = withPieces(2)
  t.same(
    plans.map(([plan]) => plan!.serves.map(({ pieces }) => pieces)),
    [[2]],
  )
  t.ok(isSure)
})

t.test('nothing is built upon a point that breaks a limit, or has more units than there are', async (t) => {
  for (const pieces of [3, 4]) t.same(withPieces(pieces), { plans: [], isSure: false })
})
