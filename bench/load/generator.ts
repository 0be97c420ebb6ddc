import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Service } from '../../clients/pos-js/call.js'
import type { Load } from './plan-load.js'
import type { LoadReport } from './run-load.js'

/** Messages of the generator's process to the one that started it. */
export type GeneratorMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly report: LoadReport }
  | { readonly kind: 'failed'; readonly message: string }

export interface GeneratorTask {
  readonly load: Load
  readonly service: Service
}

/**
 * POS callers run on other machines: V8's parallel collectors would take every core from the service for some 15 ms
 * each second.
 */
const heapFlags = ['--heap-growing-percent=400', '--single-threaded-gc']

/** The load generator in its own process, so that generator and service do not block each other. */
export interface Generator {
  /** One load at a time. */
  run(task: GeneratorTask): Promise<LoadReport>
  stop(): Promise<void>
}

const entry = join(import.meta.dirname, 'generator-entry.js')

export async function startGenerator(): Promise<Generator> {
  const child = fork(entry, [], { execArgv: heapFlags, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
    child.once('error', reject)
  })
  ended.catch(() => {})
  const listen = (listener: (message: GeneratorMessage) => void) => {
    child.on('message', listener)
    return () => child.off('message', listener)
  }
  await Promise.race([ended, new Promise<void>((resolve) => child.once('message', () => resolve()))])
  return {
    async run(task) {
      let unlisten = () => child as unknown
      const done = new Promise<LoadReport>((resolve, reject) => {
        unlisten = listen((message) => {
          if (message.kind === 'done') resolve(message.report)
          if (message.kind === 'failed') reject(new Error(message.message))
        })
      })
      child.send(task)
      try {
        return await Promise.race([ended, done])
      } finally {
        unlisten()
      }
    },
    async stop() {
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await gone
    },
  }
}
