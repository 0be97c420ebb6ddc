import os from 'node:os'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import type { GeneratorMessage, GeneratorTask } from './generator-messages.js'
import { runLoad } from './run-load.js'

/** Tills do not run on the service's machine: where the system allows it, their turn comes first. */
const priority = -10

const say = (message: GeneratorMessage) => process.send!(message)

setSoundFlags()
try {
  os.setPriority(priority)
} catch {
  // Without the right to it, the generator says itself where it was late.
}
process.on('message', ({ load, service }: GeneratorTask) => {
  runLoad(load, service, (progress) => say({ kind: 'progress', progress })).then(
    (report) => say({ kind: 'done', report }),
    (error: Error) => say({ kind: 'failed', message: error.stack ?? error.message }),
  )
})
process.on('disconnect', () => process.exit(0))
say({ kind: 'ready' })
