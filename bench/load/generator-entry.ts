import os from 'node:os'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import type { GeneratorMessage, GeneratorTask } from './generator.js'
import { runLoad } from './run-load.js'

/** POS callers run on other machines: where permitted, the generator gets priority over the service. */
const priority = -10

const post = (message: GeneratorMessage) => process.send!(message)

setSoundFlags()
try {
  os.setPriority(priority)
} catch {
  // Without permission the generator reports its own lateness.
}
process.on('message', ({ load, service }: GeneratorTask) => {
  runLoad(load, service).then(
    (report) => post({ kind: 'done', report }),
    (error: Error) => post({ kind: 'failed', message: error.stack ?? error.message }),
  )
})
process.on('disconnect', () => process.exit(0))
post({ kind: 'ready' })
