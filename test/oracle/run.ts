import { parseArgs } from 'node:util'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { compareCase, type Mismatch } from './compare-case.js'
import { generateCase, rewardKinds } from './generate-case.js'
import type { PricingCase } from './pricing-case.js'
import { shrinkCase } from './shrink-case.js'

/**
 * Compares engine and oracle on as many seeds as wanted, with progress, and prints the smallest case of every distinct
 * mismatch: `node dist/test/oracle/run.js --cases 1000000 --seed 1 --scale 4 --kinds buy_get,bundle_price`;
 * `--skip places` passes over one kind of mismatch.
 */
const { values: wanted } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    kinds: { type: 'string', default: rewardKinds.join() },
    mismatches: { type: 'string', default: '20' },
    skip: { type: 'string', default: '' },
  },
})
const kinds = rewardKinds.filter((kind) => wanted.kinds.split(',').includes(kind))
const [cases, first, scale] = [Number(wanted.cases), Number(wanted.seed), Number(wanted.scale)]
const mismatchesMax = Number(wanted.mismatches)
const skipped = wanted.skip.split(',')
const progressMs = 10_000

function engine({ benefits, input }: PricingCase) {
  return calculate(compileProgramme(benefits), input)
}

function signatureOf(mismatch: Mismatch, { benefits }: PricingCase): string {
  const rewards = benefits.map(({ reward, combination, existingDiscounts, limits }) =>
    [reward.kind, combination, existingDiscounts, limits.length > 0 ? 'limited' : ''].join('/'),
  )
  return [mismatch.kind, ...rewards.sort()].join(' ')
}

const found = new Map<string, number>()
let [mismatched, shown] = [0, Date.now()]
for (let seed = first; seed < first + cases && found.size < mismatchesMax; seed += 1) {
  const question = generateCase(seed, kinds, scale)
  const mismatch = compareCase(question, engine)
  if (Date.now() - shown > progressMs) {
    shown = Date.now()
    console.log(`${seed - first + 1} of ${cases} cases, ${mismatched} mismatches, ${found.size} distinct`)
  }
  if (mismatch === null || skipped.includes(mismatch.kind)) continue
  mismatched += 1
  const smallest = shrinkCase(question, (other) => compareCase(other, engine)?.kind === mismatch.kind)
  const signature = signatureOf(mismatch, smallest)
  const times = found.get(signature) ?? 0
  found.set(signature, times + 1)
  if (times === 0) {
    console.log(`seed ${seed}: ${signature}`)
    console.log(JSON.stringify({ mismatch: compareCase(smallest, engine), question: smallest }))
  }
}
console.log(`${cases} cases from seed ${first}: ${mismatched} mismatches, ${found.size} distinct`)
for (const [signature, times] of found) console.log(`${times} x ${signature}`)
process.exitCode = mismatched > 0 ? 1 : 0
