import { getHeapStatistics } from 'node:v8'
import { Piscina } from 'piscina'
import { EngineFault } from '../../engine/index.js'
import type { ProgrammeChange } from '../../engine/programme/diff-programmes.js'
import type { ProgrammeOutline } from '../../engine/programme/outline.js'
import type { Fault } from '../../engine/programme/place.js'
import type { Warning } from '../../engine/programme/warning.js'
import type { MemberIds } from '../../store/ledger/members.js'
import type { PreparedProgramme, ProgrammeTexts } from '../../store/ledger/programmes.js'

/** Documents that may wait to be read; the next one is refused. */
const waitingMax = 8

/** A reading that takes longer than this is given up, in milliseconds. */
const readingMs = 60_000

/**
 * Of the thread's heap, in MB: a share of what V8 gives a heap here, so that a container of 768 MB has room for it beside the rest of the service. The
 * least holds 100,000 members.
 */
const heapShare = 0.4
const heapLeastMb = 192
const heapMb = Math.floor((heapShare * getHeapStatistics().heap_size_limit) / (1024 * 1024))
const resourceLimits = { maxOldGenerationSizeMb: Math.max(heapLeastMb, heapMb), maxYoungGenerationSizeMb: 16 }

/** The thread ends when it has had nothing to do for so long, in milliseconds: what large documents took of memory goes with it. */
const idleMs = 30_000

export type ProgrammeReading =
  | {
      readonly kind: 'read'
      readonly programme: PreparedProgramme
      readonly warnings: readonly Warning[]
      /** Everybody it names, as a member or in an audience. */
      readonly named: MemberIds
      readonly outline: ProgrammeOutline
    }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[]; readonly more: number }

/** Reads programme documents on a thread of their own: a large one takes most of a second, and POS callers do not wait for it. */
export interface ProgrammeReader {
  /**
   * One document at a time; rejects with EngineFault where too many wait or the reading is given up.
   *
   * @param document  UTF-8; a large one is gone from this thread afterwards
   * @param inForce   benefits that price, and are outlined, as if they were in force already (`supposeInForce`); default: none
   */
  read(document: Uint8Array, inForce?: readonly string[]): Promise<ProgrammeReading>
  /** What a programme changes of another one (`diffProgrammes`); the same terms. */
  diff(base: string | null, changed: string): Promise<readonly ProgrammeChange[]>
  /** The texts of a programme with names that say nothing in the place of these ids; the same terms. */
  hide(texts: ProgrammeTexts, hidden: MemberIds): Promise<ProgrammeTexts>
  close(): Promise<void>
}

export type ReadingTask =
  | { readonly kind: 'read'; readonly document: Uint8Array; readonly inForce: readonly string[] }
  | { readonly kind: 'diff'; readonly base: string | null; readonly changed: string }
  | { readonly kind: 'hide'; readonly texts: ProgrammeTexts; readonly hidden: MemberIds }

/** What it answers to `read`: the document itself stays here. To `hide` it answers ProgrammeTexts, to `diff` ProgrammeChanges. */
export type ReadingReply =
  | Extract<ProgrammeReading, { readonly kind: 'faulty' }>
  | {
      readonly kind: 'read'
      readonly programme: Omit<PreparedProgramme, 'document'>
      readonly warnings: readonly Warning[]
      readonly named: MemberIds
      readonly outline: ProgrammeOutline
      readonly document: Uint8Array
    }

/** Of bytes that a message takes along rather than copies: what is small is cheaper to copy, and may share its memory with others. */
export function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return byteLength > movedFrom && buffer instanceof ArrayBuffer ? [buffer] : []
}

const movedFrom = 1024 * 1024

/** A document that would take more memory to read than there is. */
export const tooLarge = {
  kind: 'faulty',
  faults: [{ path: 'document', expected: 'fewer values', received: 'more than there is memory for' }],
  more: 0,
} as const satisfies ProgrammeReading

export function createProgrammeReader(): ProgrammeReader {
  const pool = new Piscina<ReadingTask, unknown>({
    filename: new URL('./programme-reading.js', import.meta.url).href,
    name: 'runReadingTask',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    resourceLimits,
  })
  // A thread that fails without a task; the next task starts another.
  pool.on('error', () => {})
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let closed = false

  async function onThread<Reply>(task: ReadingTask): Promise<Reply> {
    if (closed) throw new EngineFault('closed')
    const signal = AbortSignal.timeout(readingMs)
    const transferList = task.kind === 'read' ? movable(task.document) : []
    try {
      return (await pool.run(task, { signal, transferList })) as Reply
    } catch (cause) {
      throw closed || signal.aborted ? new EngineFault('thread_lost', { cause }) : cause
    }
  }

  /** Not the pool's own queue: it has no bound for tasks with a signal, and the time of each starts only when it runs. */
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
    async read(document, inForce = []) {
      const reply = await inTurn<ReadingReply>({ kind: 'read', document, inForce }).catch(tooLargeWhereFull)
      if (reply.kind === 'faulty') return reply
      const { programme, warnings, named, outline } = reply
      // Only who publishes it needs it as text, which takes a while to make of tens of megabytes.
      return { kind: 'read', warnings, named, outline, programme: withText(programme, reply.document) }
    },
    diff: (base, changed) => inTurn({ kind: 'diff', base, changed }),
    hide: (texts, hidden) => inTurn({ kind: 'hide', texts, hidden }),
    async close() {
      closed = true
      await pool.destroy()
    },
  }
}

function tooLargeWhereFull(error: unknown): typeof tooLarge {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge
  throw error
}

function withText(programme: Omit<PreparedProgramme, 'document'>, document: Uint8Array): PreparedProgramme {
  return {
    ...programme,
    get document() {
      return Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString()
    },
  }
}
