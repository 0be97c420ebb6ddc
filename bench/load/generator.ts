import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { GeneratorMessage, GeneratorTask } from './generator-messages.js'
import type { LoadReport, Progress } from './run-load.js'

/**
 * Tills do not run on the service's machine: V8 collects the generator's heap seldom, and without helpers, which at the generator's
 * priority would take every core from the service for some 15 ms once a second.
 */
const heapFlags = ['--heap-growing-percent=400', '--single-threaded-gc']

/** The load generator in a process of its own, so that it and what is measured do not wait for each other. */
export interface Generator {
  /** One load at a time. */
  run(task: GeneratorTask, onProgress?: (progress: Progress) => void): Promise<LoadReport>
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
  const hear = (heard: (message: GeneratorMessage) => void) => {
    child.on('message', heard)
    return () => child.off('message', heard)
  }
  await Promise.race([ended, new Promise<void>((resolve) => child.once('message', () => resolve()))])
  return {
    async run(task, onProgress = () => {}) {
      let unhear = () => child as unknown
      const done = new Promise<LoadReport>((resolve, reject) => {
        unhear = hear((message) => {
          if (message.kind === 'progress') onProgress(message.progress)
          if (message.kind === 'done') resolve(message.report)
          if (message.kind === 'failed') reject(new Error(message.message))
        })
      })
      child.send(task)
      try {
        return await Promise.race([ended, done])
      } finally {
        unhear()
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
