import os from 'node:os'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import type { GeneratorTask } from './generator.js'
import { type LoadReport, type Progress, runLoad } from './run-load.js'

/** What this process says to the one that started it. */
export type GeneratorMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly report: LoadReport }
  | { readonly kind: 'failed'; readonly message: string }

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
