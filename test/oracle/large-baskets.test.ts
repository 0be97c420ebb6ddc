import t from 'tap'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { Dice } from '../support/dice.js'
import { firstSeed, sized } from '../support/sized.js'
import { bestOutcome } from './best-outcome.js'
import { withCosts } from './costs-case.js'
import type { RewardKind } from './generate-benefit.js'
import { generateCase, generateLargeCase } from './generate-case.js'
import { loadSolver, milpValue } from './milp-value.js'
import { outcomeFaults } from './outcome-faults.js'

const cases = sized(20, 1_000)
/** Beyond it the solver, which has relative tolerances, misses minor units: in seed 885 one of 663,249,999,865,444. */
const solverExactMax = 100_000_000_000_000
const kinds: readonly RewardKind[] = [
  'line_percentage',
  'line_amount',
  'member_price',
  'price_override',
  'volume_percentage',
  'buy_get',
  'bundle_price',
  'free_product',
]

t.test('the solver finds what plain enumeration finds', async (t) => {
  const highs = await loadSolver()
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = generateCase(seed, kinds)
    const value = milpValue(question, highs)
    if (value !== null && value !== bestOutcome(question).value) t.fail(`seed ${seed}: ${JSON.stringify(question)}`)
  }
  t.pass('no mismatch')
})

t.test('with costs the solver finds what plain enumeration finds', async (t) => {
  const highs = await loadSolver()
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = withCosts(new Dice(seed), generateCase(seed, kinds))
    const value = milpValue(question, highs)
    if (value !== null && value !== bestOutcome(question).value) t.fail(`seed ${seed}: ${JSON.stringify(question)}`)
  }
  t.pass('no mismatch')
})

t.test(
  `the engine spends as a solver does, on ${cases} larger baskets with costs from seed ${firstSeed}`,
  async (t) => {
    const highs = await loadSolver()
    let [settled, paid, open] = [0, 0, 0]
    for (let seed = firstSeed; settled < cases; seed += 1) {
      const question = withCosts(new Dice(seed), generateLargeCase(seed, kinds))
      const value = milpValue(question, highs)
      if (value === null || value > solverExactMax) continue
      settled += 1
      const said = calculate(compileProgramme(question.benefits), { ...question.input, stepsMax: 30_000 })
      const faults = outcomeFaults(question, said)
      if (said.spending.length > 0) paid += 1
      if (!said.optimal) open += 1
      const isRight = said.optimal ? said.value === value : said.value <= value && value <= said.value + said.gap
      if (!isRight) faults.push(`value ${said.value}, gap ${said.gap}, and the solver has ${value}`)
      if (faults.length > 0) t.fail(`seed ${seed}: ${faults.join('; ')} ${JSON.stringify(question)}`)
    }
    t.ok(paid > cases / 4 && open < cases / 4, `${paid} spend, ${open} are not proven`)
  },
)

t.test(`the engine finds what a solver finds, on ${cases} larger baskets from seed ${firstSeed}`, async (t) => {
  const highs = await loadSolver()
  let settled = 0
  for (let seed = firstSeed; settled < cases; seed += 1) {
    const question = generateLargeCase(seed, kinds)
    const value = milpValue(question, highs)
    if (value === null || value > solverExactMax) continue
    settled += 1
    const said = calculate(compileProgramme(question.benefits), question.input)
    const faults = outcomeFaults(question, said)
    const isRight = said.optimal ? said.value === value : said.value <= value && value <= said.value + said.gap
    if (!isRight) faults.push(`value ${said.value}, gap ${said.gap}, and the solver has ${value}`)
    if (faults.length > 0) t.fail(`seed ${seed}: ${faults.join('; ')} ${JSON.stringify(question)}`)
  }
  t.pass('no mismatch')
})
