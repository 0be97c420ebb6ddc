import t from 'tap'
import { calculate, compileProgramme } from '../../../engine/core/index.js'
import { bestOutcome } from '../../oracle/best-outcome.js'
import { generateCase } from '../../oracle/generate-case.js'
import { padCase } from '../../oracle/pad-case.js'

/**
 * Baskets whose order discounts tell lines apart, or with stackable maximum amounts: chosen so that many parts of the
 * search across lines decide in one of them. Lines behind them that change nothing keep the walk through all ties
 * from mending what the search gets wrong.
 */
const seeds = [
  1000, 1937, 1985, 4789, 5272, 5628, 7241, 7501, 9031, 13_971, 14_314, 14_434, 18_155, 19_029, 28_618, 31_321, 33_533,
  34_371, 43_901, 48_598, 48_848,
]

/** Steps that whatever is under way at the end of the budget may still take. */
const passedByMax = 300
const enough = 20_000
const budgets = [2000, 600, 150, 40, 0]

for (const seed of seeds) {
  t.test(`in basket ${seed} the search alone proves the best, and bounds it truly at every budget`, async (t) => {
    const question = generateCase(seed)
    const { benefits, input } = padCase(question)
    const programme = compileProgramme(benefits)
    const { value } = bestOutcome(question)
    const all = calculate(programme, { ...input, stepsMax: enough })
    t.match(all, { value, optimal: true })
    t.ok(all.steps > 0)
    for (const stepsMax of budgets) {
      const some = calculate(programme, { ...input, stepsMax })
      t.ok(some.value <= value && value <= some.value + some.gap, `${some.value} + ${some.gap} at ${stepsMax} steps`)
      t.ok(some.steps <= stepsMax * 1.1 + passedByMax, `${some.steps} of ${stepsMax} steps`)
    }
  })
}
