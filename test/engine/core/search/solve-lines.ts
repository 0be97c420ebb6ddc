import type { Basis } from '../../../../engine/core/base/basis.js'
import { heldBy, plansAlone } from '../../../../engine/core/lines/plan.js'
import { componentsOf, groundOf } from '../../../../engine/core/model/components.js'
import type { Offer } from '../../../../engine/core/offers/offer.js'
import { lineFieldOf, lineTask } from '../../../../engine/core/search/field.js'
import { solve } from '../../../../engine/core/search/solve.js'

const noOrders = { normals: [], stacks: [], hasOrderDiscounts: false }

/** What all lines gain, component by component, and at most; each line's gain times its weight. */
export function solveLines(
  basis: Basis,
  offers: readonly Offer[],
  weights: readonly number[] | null = null,
): { worth: number; bound: number } {
  const dealt = groundOf(basis, offers)
  const { lines } = basis
  const ground = { lines, lineOffers: dealt.lineOffers, alone: plansAlone(lines, dealt.lineOffers) }
  const field = lineFieldOf({ basis, ground, orderOffers: noOrders }, dealt)
  const components = componentsOf(lines.length, dealt)
  const tied = new Set(components.flatMap((component) => component.lines))
  let [worth, bound] = [0, 0]
  for (const [at, line] of lines.entries()) {
    if (tied.has(at)) continue
    worth += heldBy(line) - ground.alone[at]!.rest
    bound += heldBy(line) - ground.alone[at]!.restBound
  }
  for (const component of components) {
    const own = weights === null ? null : component.lines.map((at) => weights[at]!)
    const choice = solve(ground, component, lineTask(field, component, { weights: own, stepsMax: 2000 }))
    worth += choice.worth
    bound += choice.bound
  }
  return { worth, bound }
}
