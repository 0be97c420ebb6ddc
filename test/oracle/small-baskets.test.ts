import t from 'tap'
import { searchStepsMax } from '../../engine/core/base/costs.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { bestOutcome } from './best-outcome.js'
import { generateCase } from './generate-case.js'
import type { PricingCase } from './pricing-case.js'
import { tightCases } from './tight-cases.js'

/** Small baskets in which the bounds of the search were not tight or its outcome not the best. */
const found: Readonly<Record<string, readonly number[]>> = {
  random: [88, 142, 2293, 2904],
  tight: [79, 596, 747],
  orders: [4, 6, 30, 178],
  chains: [224, 470],
  maxima: [24, 41, 58],
  shares: [136, 152],
  alike: [139, 173],
  mixed: [173, 192],
  replaced: [97, 2067],
  staying: [127, 671],
  pos: [37, 64, 1176],
}

for (const [family, seeds] of Object.entries(found)) {
  const caseOf: (seed: number) => PricingCase = tightCases[family] ?? generateCase
  t.test(`small baskets of ${family} are proven within the service's budget`, async (t) => {
    for (const seed of seeds) {
      const question = caseOf(seed)
      const input = { ...question.input, stepsMax: searchStepsMax }
      const { value, optimal } = calculate(compileProgramme(question.benefits), input)
      t.same({ value, optimal }, { value: bestOutcome(question).value, optimal: true }, `seed ${seed}`)
    }
  })
}
