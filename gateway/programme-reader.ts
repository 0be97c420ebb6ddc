import { Worker } from 'node:worker_threads'
import { EngineFault } from '../engine/index.js'
import type { Fault } from '../engine/programme/place.js'
import type { Warning } from '../engine/programme/warnings.js'
import type { PreparedProgramme } from '../store/index.js'

/** Documents that may wait to be read; the next one is refused. */
const waitingMax = 8

/** A reading that takes longer than this is given up, in milliseconds. */
const readingMs = 30_000

/** What became of a programme document (benefits 1). */
export type ProgrammeReading =
  | { readonly kind: 'read'; readonly programme: PreparedProgramme; readonly warnings: readonly Warning[] }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[]; readonly more: number }

/** Reads programme documents on a thread of their own: a large one takes most of a second, and tills do not wait for it. */
export interface ProgrammeReader {
  /** One document at a time; rejects with EngineFault where too many wait or the reading is given up. */
  read(document: string): Promise<ProgrammeReading>
  close(): Promise<void>
}

/** What the reading thread answers: the document itself stays here. */
export type ReadingReply =
  | Extract<ProgrammeReading, { readonly kind: 'faulty' }>
  | {
      readonly kind: 'read'
      readonly programme: Omit<PreparedProgramme, 'document'>
      readonly warnings: readonly Warning[]
    }

export function createProgrammeReader(): ProgrammeReader {
  const running = new Set<Worker>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let closed = false

  function readOnThread(document: string): Promise<ProgrammeReading> {
    if (closed) return Promise.reject(new EngineFault('closed'))
    // A thread of its own for each: what a large document takes of memory goes with it.
    const worker = new Worker(new URL('./programme-reading.js', import.meta.url), { workerData: document })
    running.add(worker)
    const timer = setTimeout(() => void worker.terminate(), readingMs)
    return new Promise<ProgrammeReading>((resolve, reject) => {
      worker.once('message', (reply: ReadingReply) =>
        resolve(reply.kind === 'read' ? { ...reply, programme: { ...reply.programme, document } } : reply),
      )
      worker.once('error', reject)
      worker.once('exit', () => reject(new EngineFault('thread_lost')))
    }).finally(() => {
      clearTimeout(timer)
      running.delete(worker)
    })
  }

  return {
    read(document) {
      if (waiting >= waitingMax) return Promise.reject(new EngineFault('queue_full'))
      waiting += 1
      const reading = last
        .then(() => readOnThread(document))
        .finally(() => {
          waiting -= 1
        })
      last = reading.catch(() => {})
      return reading
    },
    async close() {
      closed = true
      await Promise.all([...running].map((worker) => worker.terminate()))
    },
  }
}
