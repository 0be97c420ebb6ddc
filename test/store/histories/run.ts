import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createPgliteSql } from '../../../store/embedded/pglite-sql.js'
import { Dice } from '../../support/dice.js'
import { drawHistory } from './history.js'
import { openPlayed } from './open-played.js'
import { play } from './play.js'
import { reconciled } from './reconciled.js'
import { shrink } from './shrink.js'

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

if (wanted.help) console.log(help)
else await run()
