import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { sentBack } from '../engine/core/builders.js'
import { firstSeed, sized } from '../support/sized.js'
import { compareCase } from './compare-case.js'
import { costsCase } from './costs-case.js'
import { engine, fuzzFaults } from './fuzz-faults.js'
import { searchFault } from './pad-case.js'
import type { PricingCase } from './pricing-case.js'
import { readSentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'

const cases = sized(80, 20_000)
const seeds = Array.from({ length: cases }, (_, at) => firstSeed + at)
const ofSeeds = `${cases} baskets with costs from seed ${firstSeed}`

function faultsOf(faultOf: (question: PricingCase) => string | null): string[] {
  return seeds.flatMap((seed) => {
    const fault = faultOf(costsCase(seed))
    return fault === null ? [] : [`seed ${seed}: ${fault}`]
  })
}

t.test(`the engine spends what plain enumeration spends, on ${ofSeeds}`, async (t) => {
  let paid = 0
  const faults = faultsOf((question) => {
    const mismatch = compareCase(question, (other) => {
      const said = engine(other)
      paid += Math.min(1, said.spending.length)
      return said
    })
    return mismatch && JSON.stringify(mismatch)
  })
  t.strictSame(faults.slice(0, 3), [])
  t.ok(paid > cases / 5, `${paid} spend`)
})

t.test(`no budget makes a bound too low, on ${ofSeeds}`, async (t) => {
  t.strictSame(faultsOf((question) => searchFault(question, [0, 100, 400, 12_000])).slice(0, 3), [])
})

t.test(`a repeat spends the same byte for byte, and the answer sent again as much, on ${ofSeeds}`, async (t) => {
  const faults = faultsOf((question) => {
    const [fault] = fuzzFaults(question, engine)
    if (fault !== undefined) return fault
    const said = engine(question)
    if (said.outcome.status === 'unchanged' || !said.optimal) return null
    const basket = sentBack(question.input.basket, said.outcome.basket)
    const input = { ...question.input, basket }
    if (!isDeepStrictEqual(pricedOf(input), pricedOf(question.input))) return null
    const again = engine({ ...question, input })
    const [once, twice] = [said, again].map(({ spending }) =>
      sumOf(spending.map(({ amount, times }) => amount * times)),
    )
    return once === twice || !again.optimal ? null : `${once} became ${twice}`
  })
  t.strictSame(faults.slice(0, 3), [])
})

/** The priced part of a basket sent: an answer sent again may be split, or carry other shares of the POS's order discounts. */
function pricedOf(input: PricingCase['input']) {
  const { lines, orders } = readSentBasket(input)
  return { orders, lines: lines.map(({ line, ...facts }) => ({ ...facts, lineId: line.lineId })) }
}

t.test('a choice that fits only by its net amounts is left out', async (t) => {
  t.equal(compareCase(costsCase(930_033_216), engine), null)
})

t.test('the comparison notices an engine that pays with what is held, or pays for nothing', async (t) => {
  const open = (question: PricingCase) => engine({ ...question, input: { ...question.input, available: {} } })
  const unpaid = (question: PricingCase) => ({ ...engine(question), spending: [] })
  for (const wrong of [open, unpaid]) t.ok(seeds.some((seed) => compareCase(costsCase(seed), wrong) !== null))
})
