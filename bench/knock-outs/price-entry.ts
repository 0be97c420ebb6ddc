import { register } from 'node:module'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import type { Answers, PriceTask } from './price-task.js'

/** The entry of a process that prices all families with some of the engine's files replaced. */

setSoundFlags()
process.once('message', (task: PriceTask) => void run(task))

async function run({ replaced, ...task }: PriceTask): Promise<void> {
  register('./replace-entry.js', { parentURL: import.meta.url, data: replaced })
  const { priceFamilies } = await import('./price-families.js')
  process.send!(priceFamilies(task) satisfies Answers, () => process.disconnect())
}
