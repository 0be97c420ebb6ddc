import { parseArgs } from 'node:util'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { fuzzCase } from './fuzz-case.js'
import { engine, fuzzFaults } from './fuzz-faults.js'

setSoundFlags()

/** Prices random baskets and prints every fault with its seed: `node dist/test/oracle/fuzz.js --cases 1000000 --seed 1`. */
const { values: wanted } = parseArgs({
  options: { cases: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
})
const [cases, first] = [Number(wanted.cases), Number(wanted.seed)]
const progressEvery = 50_000

let faulty = 0
for (let seed = first; seed < first + cases; seed += 1) {
  const faults = fuzzFaults(fuzzCase(seed), engine)
  if (faults.length > 0) {
    faulty += 1
    console.log(`seed ${seed}: ${faults.join('; ')}`)
  }
  if ((seed - first + 1) % progressEvery === 0) console.log(`${seed - first + 1} of ${cases} baskets, ${faulty} faulty`)
}
console.log(`${cases} baskets from seed ${first}: ${faulty} faulty`)
process.exitCode = faulty > 0 ? 1 : 0
