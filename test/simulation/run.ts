import { parseArgs } from 'node:util'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { type Mistake, mistakes } from './mistakes.js'
import { simulate } from './simulate.js'

/**
 * Runs seeds, with progress; prints every seed that breaks a promise, and which promise. A seed is reproducible: `node
 * dist/test/simulation/run.js --from 4711 --seeds 1`. `--plant MISTAKE` plants a mistake, `--trace` prints every event.
 */
setSoundFlags()
const { values: wanted } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100000' },
    from: { type: 'string', default: '1' },
    plant: { type: 'string', default: '' },
    trace: { type: 'boolean', default: false },
    faults: { type: 'string', default: '10' },
  },
})
const [seeds, first, faultsMax] = [Number(wanted.seeds), Number(wanted.from), Number(wanted.faults)]
const planted = mistakes.filter((mistake: Mistake) => wanted.plant.split(',').includes(mistake))
const progressMs = 10_000

const sums = { requests: 0, answered: 0, faults: 0, events: 0 }
const excuses = new Map<string, number>()
const beganAtMs = Date.now()
let [broken, shownAtMs] = [0, beganAtMs]
for (let seed = first; seed < first + seeds && broken < faultsMax; seed += 1) {
  const run = await simulate(seed, { planted, ...(wanted.trace && { trace: console.log }) })
  for (const name of ['requests', 'answered', 'faults', 'events'] as const) sums[name] += run[name]
  for (const excuse of run.excused) excuses.set(excuse, 1 + (excuses.get(excuse) ?? 0))
  if (run.violations.length > 0) {
    broken += 1
    console.log(`seed ${seed}:\n  ${run.violations.join('\n  ')}`)
  }
  if (Date.now() - shownAtMs < progressMs) continue
  shownAtMs = Date.now()
  console.log(`${seed - first + 1} of ${seeds} seeds, ${broken} broken, ${seconds()} s`)
}
console.log(
  `from seed ${first}: ${broken} seeds broken, ${JSON.stringify({ ...sums, ...Object.fromEntries(excuses) })}, ${seconds()} s`,
)
process.exitCode = broken > 0 ? 1 : 0

function seconds(): string {
  return ((Date.now() - beganAtMs) / 1_000).toFixed(1)
}
