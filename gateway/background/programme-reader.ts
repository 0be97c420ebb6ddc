import { getHeapStatistics } from 'node:v8'
import { Piscina } from 'piscina'
import { EngineFault } from '../../engine/index.js'
import type { ProgrammeChange } from '../../engine/programme/diff-programmes.js'
import type { MergedProgramme, ProgrammeSides } from '../../engine/programme/merge-programmes.js'
import type { ProgrammeOutline } from '../../engine/programme/outline.js'
import type { Fault } from '../../engine/programme/place.js'
import type { Warning } from '../../engine/programme/warning.js'
import { addedChannels } from '../../engine/wire/channels.js'
import type { MemberIds } from '../../store/ledger/members.js'
import type { PreparedProgramme, ProgrammeTexts } from '../../store/ledger/programmes.js'

/** Documents that wait to be read; further ones are refused. */
const waitingMax = 8

/** Time after which a reading is ended, in milliseconds. */
const readingMs = 60_000

/**
 * Heap of the thread, as a share of V8's heap limit here, so that a container of 768 MB has room for it and the rest of the service. The
 * minimum holds 100,000 members.
 */
const heapShare = 0.4
const heapLeastMb = 192
const heapMb = Math.floor((heapShare * getHeapStatistics().heap_size_limit) / (1024 * 1024))
const resourceLimits = { maxOldGenerationSizeMb: Math.max(heapLeastMb, heapMb), maxYoungGenerationSizeMb: 16 }

/** Idle time after which the thread ends, in milliseconds: it frees the memory that large documents took. */
const idleMs = 30_000

export type ProgrammeReading =
  | {
      readonly kind: 'read'
      readonly programme: PreparedProgramme
      readonly warnings: readonly Warning[]
      /** All ids in it, of members or in audiences. */
      readonly named: MemberIds
      readonly outline: ProgrammeOutline
    }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[]; readonly more: number }

/** Reads programme documents on a thread of their own: a large one takes most of a second, and POS calls do not wait for it. */
export interface ProgrammeReader {
  /**
   * One document at a time; rejects with EngineFault where too many wait or the reading is ended.
   *
   * @param document  UTF-8; a large one is transferred away from this thread
   * @param inForce   benefits that price, and are outlined, as if they were in force already (`supposeInForce`); default: none
   */
  read(document: Uint8Array, inForce?: readonly string[]): Promise<ProgrammeReading>
  /** The changes from one programme to another (`diffProgrammes`); the same terms. */
  diff(base: string | null, changed: string): Promise<readonly ProgrammeChange[]>
  /** My programme with what theirs alone has changed (`mergeProgrammes`); the same terms. */
  merge(sides: ProgrammeSides): Promise<MergedProgramme>
  /** The texts of a programme with meaningless names instead of these ids (`hideIds`); the same terms. */
  hide(texts: ProgrammeTexts, hidden: MemberIds, seed?: string): Promise<ProgrammeTexts>
  /** The ids that a text, which need not be JSON, may have of members (`idsIn`); the same terms. */
  listIds(text: string): Promise<MemberIds>
  close(): Promise<void>
}

/** The thread's workerData: channels that this process allows besides the contract's. */
export type ReadingStart = ReturnType<typeof addedChannels>

export type ReadingTask =
  | { readonly kind: 'read'; readonly document: Uint8Array; readonly inForce: readonly string[] }
  | { readonly kind: 'diff'; readonly base: string | null; readonly changed: string }
  | { readonly kind: 'merge'; readonly sides: ProgrammeSides }
  | {
      readonly kind: 'hide'
      readonly texts: ProgrammeTexts
      readonly hidden: MemberIds
      readonly seed: string | undefined
    }
  | { readonly kind: 'list_ids'; readonly text: string }

/** The reply to `read`: the document itself stays here. */
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

/** Bytes that a message moves rather than copies: small ones are cheaper to copy, and may share their memory with others. */
export function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return byteLength > movedFrom && buffer instanceof ArrayBuffer ? [buffer] : []
}

const movedFrom = 1024 * 1024

/** A document that would need more memory than there is. */
export const tooLarge = {
  kind: 'faulty',
  faults: [{ path: 'document', expected: 'fewer values', received: 'more than there is memory for' }],
  more: 0,
} as const satisfies ProgrammeReading

export function createProgrammeReader(): ProgrammeReader {
  const workerData: ReadingStart = addedChannels()
  const pool = new Piscina<ReadingTask, unknown>({
    workerData,
    filename: new URL('./programme-reading.js', import.meta.url).href,
    name: 'runReadingTask',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    resourceLimits,
  })
  // Errors of a thread without a task; the next task starts another thread.
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
      // Only publishing needs the text, which takes a while to make of tens of megabytes.
      return { kind: 'read', warnings, named, outline, programme: withText(programme, reply.document) }
    },
    diff: (base, changed) => inTurn({ kind: 'diff', base, changed }),
    merge: (sides) => inTurn({ kind: 'merge', sides }),
    hide: (texts, hidden, seed) => inTurn({ kind: 'hide', texts, hidden, seed }),
    listIds: (text) => inTurn({ kind: 'list_ids', text }),
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
