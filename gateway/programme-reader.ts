import { Worker } from 'node:worker_threads'
import { EngineFault } from '../engine/index.js'
import type { Fault } from '../engine/programme/place.js'
import type { Warning } from '../engine/programme/warnings.js'
import type { PreparedProgramme, ProgrammeTexts } from '../store/index.js'

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
  /** The texts of a published programme with `name` in the place of a member's identifiers; the same terms. */
  forget(texts: ProgrammeTexts, memberId: string, name: string): Promise<ProgrammeTexts>
  close(): Promise<void>
}

/** What the reading thread is given. */
export type ReadingTask =
  | { readonly kind: 'read'; readonly document: string }
  | { readonly kind: 'forget'; readonly texts: ProgrammeTexts; readonly memberId: string; readonly name: string }

/** What it answers to `read`: the document itself stays here. To `forget` it answers ProgrammeTexts. */
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

  function onThread<Reply>(task: ReadingTask): Promise<Reply> {
    if (closed) return Promise.reject(new EngineFault('closed'))
    // A thread of its own for each: what a large document takes of memory goes with it.
    const worker = new Worker(new URL('./programme-reading.js', import.meta.url), { workerData: task })
    running.add(worker)
    const timer = setTimeout(() => void worker.terminate(), readingMs)
    return new Promise<Reply>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new EngineFault('thread_lost')))
    }).finally(() => {
      clearTimeout(timer)
      running.delete(worker)
    })
  }

  function inTurn<Reply>(task: ReadingTask): Promise<Reply> {
    if (waiting >= waitingMax) return Promise.reject(new EngineFault('queue_full'))
    waiting += 1
    const reading = last
      .then(() => onThread<Reply>(task))
      .finally(() => {
        waiting -= 1
      })
    last = reading.catch(() => {})
    return reading
  }

  return {
    async read(document) {
      const reply = await inTurn<ReadingReply>({ kind: 'read', document })
      return reply.kind === 'read' ? { ...reply, programme: { ...reply.programme, document } } : reply
    },
    forget: (texts, memberId, name) => inTurn({ kind: 'forget', texts, memberId, name }),
    async close() {
      closed = true
      await Promise.all([...running].map((worker) => worker.terminate()))
    },
  }
}
