import type { Basis } from '../../../../engine/core/base/basis.js'
import { heldBy } from '../../../../engine/core/lines/plan.js'
import type { Offer } from '../../../../engine/core/offers/offer.js'
import { lineTask } from '../../../../engine/core/search/basket-instance.js'
import { solve } from '../../../../engine/core/search/solve.js'
import { withoutOrders } from './without-orders.js'

/** Gain of all lines, component by component, and its bound; each line's gain times its weight. */
export function solveLines(
  basis: Basis,
  offers: readonly Offer[],
  weights: readonly number[] | null = null,
): { worth: number; bound: number } {
  const { lineInstance, instance, components } = withoutOrders(basis, offers)
  const { lines } = basis
  const tied = new Set(components.flatMap((component) => component.lines))
  let [worth, bound] = [0, 0]
  for (const [at, line] of lines.entries()) {
    if (tied.has(at)) continue
    worth += heldBy(line) - lineInstance.alone[at]!.rest
    bound += heldBy(line) - lineInstance.alone[at]!.restBound
  }
  for (const component of components) {
    const own = weights === null ? null : component.lines.map((at) => weights[at]!)
    const choice = solve(lineInstance, component, lineTask(instance, component, { weights: own, stepsMax: 2000 }))
    worth += choice.worth
    bound += choice.bound
  }
  return { worth, bound }
}
