import t from 'tap'
import { firstSeed, sized } from '../support/sized.js'
import { fuzzCase } from './fuzz-case.js'
import { engine, fuzzFaults } from './fuzz-faults.js'
import { moneyCase } from './money-case.js'

const cases = sized(800, 100_000)

t.test(`no basket makes the engine throw or a sum fail, on ${cases} random ones`, async (t) => {
  const found: string[] = []
  for (let seed = firstSeed; seed < firstSeed + cases && found.length < 3; seed += 1) {
    const faults = fuzzFaults(fuzzCase(seed), engine)
    if (faults.length > 0) found.push(`seed ${seed}: ${faults.join('; ')}`)
  }
  t.strictSame(found, [])
})

t.test(`with limits of money neither, and none is passed, on ${Math.ceil(cases / 3)} random ones`, async (t) => {
  const found: string[] = []
  for (let seed = firstSeed; seed < firstSeed + cases / 3 && found.length < 3; seed += 1) {
    const faults = fuzzFaults(moneyCase(seed, [fuzzCase]), engine)
    if (faults.length > 0) found.push(`seed ${seed}: ${faults.join('; ')}`)
  }
  t.strictSame(found, [])
})

t.test('an engine that charges one minor unit more, throws or wavers is found', async (t) => {
  const seed = Array.from({ length: 100 }, (_, at) => at + 1).find(
    (seed) => engine(fuzzCase(seed)).outcome.status === 'applied',
  )!
  const question = fuzzCase(seed)
  t.strictSame(fuzzFaults(question, engine), [])
  t.not(fuzzFaults(question, (other) => ({ ...engine(other), netAfter: engine(other).netAfter + 1 })).length, 0)
  let asked = 0
  t.match(
    fuzzFaults(question, (other) => ({ ...engine(other), steps: ++asked })),
    ['two answers to one question'],
  )
  const throwing = () => {
    throw new Error('planted')
  }
  t.match(fuzzFaults(question, throwing), [/planted/])
})

t.test('a product given for nothing hides no plan under which the member pays more', async (t) => {
  // Within 100 steps the search finds only a bundle that takes own discounts off, worth less than the product is.
  t.strictSame(fuzzFaults(fuzzCase(20_117_479), engine), [])
})
