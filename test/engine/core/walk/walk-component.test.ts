import t from 'tap'
import { overlappingPricing } from '../../../../bench/engine/search-cases.js'
import { searchStepsMax } from '../../../../engine/core/base/costs.js'
import { calculate, compileProgramme } from '../../../../engine/core/index.js'
import { generateLargeCase } from '../../../oracle/generate-case.js'
import { loadSolver, milpValue } from '../../../oracle/milp-value.js'
import { Dice } from '../../../support/dice.js'

const baskets = 12
const budgets = [500, 3000, searchStepsMax]
const budgetForAll = 60_000

t.test(
  'ten overlapping buy_gets and bundles: most are proven, and no budget claims what a larger one betters',
  async (t) => {
    const dice = new Dice(1)
    let proven = 0
    for (let at = 0; at < baskets; at += 1) {
      const { programme, input } = overlappingPricing(dice, budgetForAll)
      const all = calculate(programme, input)
      for (const stepsMax of budgets) {
        const some = calculate(programme, { ...input, stepsMax })
        t.ok(some.value + some.gap >= all.value && some.value <= all.value + all.gap, `basket ${at}, ${stepsMax} steps`)
        t.ok(some.steps <= 1.1 * stepsMax + 1000, `basket ${at}, ${some.steps} of ${stepsMax} steps`)
        if (stepsMax === searchStepsMax && some.optimal) proven += 1
      }
    }
    t.ok(proven >= 10, `${proven} of ${baskets} proven`)
  },
)

t.test('a solver finds no more than groupings and bundles are proven to be worth', async (t) => {
  const highs = await loadSolver()
  let settled = 0
  for (let seed = 5000; settled < 40; seed += 1) {
    const question = generateLargeCase(seed, ['buy_get', 'bundle_price'])
    const value = milpValue(question, highs)
    if (value === null) continue
    settled += 1
    const { benefits, input } = question
    for (const stepsMax of [300, 2000, searchStepsMax]) {
      const said = calculate(compileProgramme(benefits), { ...input, stepsMax })
      const isRight = said.optimal ? said.value === value : said.value <= value && value <= said.value + said.gap
      if (!isRight) t.fail(`seed ${seed}, ${stepsMax} steps: ${said.value} + ${said.gap}, the solver has ${value}`)
    }
  }
  t.pass('no mismatch')
})
