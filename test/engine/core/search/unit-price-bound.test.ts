import t from 'tap'
import { componentInstanceOf } from '../../../../engine/core/model/components.js'
import { lineTask } from '../../../../engine/core/search/basket-instance.js'
import { solve } from '../../../../engine/core/search/solve.js'
import { boundByUnitPrices } from '../../../../engine/core/search/unit-price-bound.js'
import { generateCase } from '../../../oracle/generate-case.js'
import { tightCases } from '../../../oracle/tight-cases.js'
import { sized } from '../../../support/sized.js'
import { offersOf } from '../offers-of.js'
import { withoutOrders } from './without-orders.js'

const cases = sized(600, 3000)

for (const kind of ['random', 'units', 'tight', 'mixed', 'alike']) {
  t.test(`no plans of a component of ${kind} baskets gain more than prices of units allow`, async (t) => {
    let [bounded, exact] = [0, 0]
    for (let seed = 1; seed <= cases; seed += 1) {
      const { input, benefits } = tightCases[kind]?.(seed) ?? generateCase(seed)
      const { basis, offers } = offersOf(input.basket, benefits)
      const { lineInstance, instance, components } = withoutOrders(basis, offers)
      for (const component of components) {
        const weights = seed % 3 === 0 ? component.lines.map((_, at) => 1 - (at % 3) / 5) : null
        const task = lineTask(instance, component, { weights, stepsMax: 4000 })
        const { plans, worth } = solve(lineInstance, component, task)
        const start = { plans, worth: seed % 2 === 0 ? worth : Number.NEGATIVE_INFINITY }
        const { bound } = boundByUnitPrices(componentInstanceOf(lineInstance, component), { ...task, start })
        if (bound < worth - 1e-4) t.fail(`seed ${seed}: ${bound} for ${worth}`)
        if (bound < Number.POSITIVE_INFINITY) bounded += 1
        if (bound < worth + 1) exact += 1
      }
    }
    t.ok(bounded > cases / 20 && exact > bounded / 10, `${exact} of ${bounded} within a minor unit`)
  })
}
