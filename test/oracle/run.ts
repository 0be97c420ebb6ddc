import { parseArgs } from 'node:util'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { compareCase, type Mismatch } from './compare-case.js'
import { rules, shopCase, shops } from './draw-rules.js'
import { fuzzCase } from './fuzz-case.js'
import { engine, fuzzFaults } from './fuzz-faults.js'
import { generateCase, rewardKinds } from './generate-case.js'
import { searchFault } from './pad-case.js'
import type { PricingCase } from './pricing-case.js'
import { shrinkCase } from './shrink-case.js'
import { tightCases } from './tight-cases.js'

const help = `Compares engine and oracle on as many seeds as wanted and prints the smallest case of every distinct mismatch:
node dist/test/oracle/run.js --cases 1000000 --seed 1

--baskets random   of every kind (default); tight: in which roundings, ties and maxima decide; orders: the same with
                   many benefits on the order; units: one or two lines of many units;
                   chains: order percentages over the same lines; maxima: stackable maximum amounts on the same lines;
                   shares: cheap lines of which many percentages have a part;
                   alike: a cheap line on which many percentages are alike, beside a benefit that wants a few units;
                   mixed: any kinds of reward, exclusive ones and limits of which little is left, at small prices;
                   replaced: own discounts nearly everywhere, and benefits that replace them and gain next to nothing;
                   staying: order discounts of the POS over some of the lines, which benefits leave too little for;
                   costs: benefits that cost the member something, over other kinds;
                   pos: a tight basket of any of these kinds beside an order discount of the POS;
                   money: baskets of many kinds with limits of money of which little is left
                   cafe, grocer, bar, hostile: any of these with the rules of lines, selectors, units and gifts;
                   fuzz: everything a schema-valid basket may hold, judged by what no outcome may have
--padded           behind lines that change nothing, so that no enumeration corrects the search
--steps 0,12,100   budgets in which to ask, one after the other; else the basket's own, which is plenty
--rules per,group  of a shop's rules these only
--scale 4          random baskets so many times larger; --kinds buy_get,bundle_price: of these rewards only
--mismatches 20    distinct ones to end after; --skip bound: passes over one kind
--seconds 100      ends after so long`
setSoundFlags()
const { values: wanted } = parseArgs({
  options: {
    baskets: { type: 'string', default: 'random' },
    cases: { type: 'string', default: '1000000' },
    help: { type: 'boolean', default: false },
    kinds: { type: 'string', default: rewardKinds.join() },
    mismatches: { type: 'string', default: '20' },
    padded: { type: 'boolean', default: false },
    rules: { type: 'string', default: rules.join() },
    scale: { type: 'string', default: '1' },
    seconds: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    skip: { type: 'string', default: '' },
    steps: { type: 'string', default: '' },
  },
})
const kinds = rewardKinds.filter((kind) => wanted.kinds.split(',').includes(kind))
const [cases, first, scale] = [Number(wanted.cases), Number(wanted.seed), Number(wanted.scale)]
const mismatchesMax = Number(wanted.mismatches)
const skipped = wanted.skip.split(',')
const budgets = wanted.steps === '' ? null : wanted.steps.split(',').map(Number)
const progressMs = 10_000
const words = ['random', 'fuzz', ...Object.keys(tightCases)]
if (!words.includes(wanted.baskets)) throw new Error(`--baskets takes ${words.join(', ')}, not ${wanted.baskets}`)

function basketOf(seed: number): PricingCase {
  if (wanted.baskets === 'fuzz') return fuzzCase(seed)
  const shop = shops[wanted.baskets]
  if (shop !== undefined)
    return shopCase(
      seed,
      shop,
      rules.filter((rule) => wanted.rules.split(',').includes(rule)),
    )
  const caseOf = tightCases[wanted.baskets]
  return caseOf === undefined ? generateCase(seed, kinds, scale) : caseOf(seed)
}

function mismatchOf(question: PricingCase): Mismatch | null {
  if (wanted.baskets === 'fuzz') {
    const [fault] = fuzzFaults(question, engine)
    return fault === undefined ? null : { kind: 'identity', engine: fault, oracle: '' }
  }
  const asked = budgets ?? [question.input.stepsMax]
  if (wanted.padded) {
    const fault = searchFault(question, asked)
    return fault === null ? null : { kind: 'bound', engine: fault, oracle: '' }
  }
  for (const stepsMax of asked) {
    const mismatch = compareCase(question, ({ benefits, input }) => engine({ benefits, input: { ...input, stepsMax } }))
    if (mismatch !== null) return mismatch
  }
  return null
}

function signatureOf(mismatch: Mismatch, { benefits }: PricingCase): string {
  const rewards = benefits.map(({ reward, combination, existingDiscounts, limits }) =>
    [reward.kind, combination, existingDiscounts, limits.length > 0 ? 'limited' : ''].join('/'),
  )
  return [mismatch.kind, ...rewards.sort()].join(' ')
}

function compare(): void {
  const found = new Map<string, number>()
  const began = Date.now()
  let [seed, mismatched, shown] = [first, 0, began]
  for (; seed < first + cases && found.size < mismatchesMax; seed += 1) {
    if (Date.now() - began > Number(wanted.seconds) * 1000) break
    const question = basketOf(seed)
    const mismatch = mismatchOf(question)
    if (Date.now() - shown > progressMs) {
      shown = Date.now()
      console.log(`${seed - first + 1} of ${cases} cases, ${mismatched} mismatches, ${found.size} distinct`)
    }
    if (mismatch === null || skipped.includes(mismatch.kind)) continue
    mismatched += 1
    const smallest = shrinkCase(question, (other) => mismatchOf(other)?.kind === mismatch.kind)
    const signature = signatureOf(mismatch, smallest)
    const times = found.get(signature) ?? 0
    found.set(signature, times + 1)
    if (times > 0) continue
    console.log(`seed ${seed}: ${signature}`)
    console.log(JSON.stringify({ mismatch: mismatchOf(smallest), question: smallest }))
  }
  console.log(`${seed - first} cases from seed ${first}: ${mismatched} mismatches, ${found.size} distinct`)
  for (const [signature, times] of found) console.log(`${times} x ${signature}`)
  process.exitCode = mismatched > 0 ? 1 : 0
}

if (wanted.help) console.log(help)
else compare()
