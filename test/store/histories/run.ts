import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createPgliteSql } from '../../../store/embedded/pglite-sql.js'
import { Dice } from '../../support/dice.js'
import { drawHistory, type History } from './history.js'
import { type Deviation, play } from './play.js'
import { openPlayed, type Played, reconciled } from './played.js'

const help = `Plays random histories of member value on the embedded ledger and on a model beside it:
node dist/test/store/histories/run.js --count 100000 --seed 1

--seconds 100      ends after so long
--steps 20         steps of a history at most
--differences 5    ends after so many; each is printed with the smallest history found`
const { values: wanted } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    differences: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '20' },
  },
})
const [count, first] = [Number(wanted.count), Number(wanted.seed)]
const progressMs = 10_000
/** Histories after which the whole ledger is reconciled and emptied: a large one is slower. */
const reconciledEach = 25

async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-histories-'))
  const played = await openPlayed(await createPgliteSql(folder))
  const began = Date.now()
  const seconds = () => (Date.now() - began) / 1_000
  let [seed, differences, shown] = [first, 0, began]
  for (; seed < first + count && differences < Number(wanted.differences); seed += 1) {
    if (seconds() > Number(wanted.seconds)) break
    const history = drawHistory(new Dice(seed), Number(wanted.steps))
    if ((await play(played, history)) !== null) {
      differences += 1
      console.log(`seed ${seed}: ${JSON.stringify(await shrink(played, history))}`)
    }
    if ((seed - first) % reconciledEach === 0) {
      const faults = await reconciled(played)
      differences += faults.length
      for (const fault of faults) console.log(`up to seed ${seed}: ${fault}`)
    }
    if (Date.now() - shown < progressMs) continue
    shown = Date.now()
    console.log(`${seed - first + 1} of ${count} histories, ${differences} differences, ${seconds().toFixed(0)} s`)
  }
  console.log(`${seed - first} histories from seed ${first}: ${differences} differences, ${seconds().toFixed(0)} s`)
  await played.ledger.close()
  await rm(folder, { recursive: true })
  process.exitCode = differences > 0 ? 1 : 0
}

/** The smallest history found that still deviates: steps are left out one by one, the last first, while any can be. */
async function shrink(played: Played, history: History): Promise<{ history: History; deviation: Deviation }> {
  const first = await play(played, history)
  if (first === null) throw new Error('a history deviates once and not again')
  let [smallest, deviation] = [{ ...history, steps: history.steps.slice(0, first.at + 1) }, first]
  for (let at = smallest.steps.length - 1; at >= 0; at--) {
    const fewer = { ...smallest, steps: smallest.steps.toSpliced(at, 1) }
    const found = await play(played, fewer)
    if (found !== null) [smallest, deviation] = [fewer, found]
  }
  return { history: smallest, deviation }
}

if (wanted.help) console.log(help)
else await run()
