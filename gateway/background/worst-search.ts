import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { EngineFault } from '../../engine/index.js'
import type { WorstReport } from '../../engine/worst/find-worst.js'
import type { Objective } from '../../engine/worst/finding.js'
import type { StoredVenue } from '../../store/ledger/venues.js'

/** Idle time after which a thread ends, in milliseconds. */
const idleMs = 30_000
const resourceLimits = { maxOldGenerationSizeMb: 512 }

export interface WorstSearchTask {
  /** A document without faults. */
  readonly document: string
  /** Empty: those of the document. */
  readonly venues: readonly StoredVenue[]
  readonly objectives: readonly Objective[]
  readonly stepsMax: number
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

export interface WorstSearchOnThread extends WorstSearchTask {
  readonly progress: MessagePort
}

/** A publication does not wait for a long search of a call. */
export type WorstSearchFor = 'call' | 'publication'

/** Searches worst baskets on threads of the lowest priority: at a time one for a call, and one for a publication. */
export interface WorstSearch {
  /**
   * null: one runs already.
   *
   * @param onSteps  called with the steps taken, now and then
   */
  run(
    purpose: WorstSearchFor,
    task: WorstSearchTask,
    on: { readonly onSteps?: (steps: number) => void; readonly signal: AbortSignal },
  ): Promise<WorstReport> | null
  close(): Promise<void>
}

export function createWorstSearch(): WorstSearch {
  const pool = new Piscina<WorstSearchOnThread, WorstReport>({
    filename: new URL('./worst-searching.js', import.meta.url).href,
    name: 'runWorstSearch',
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: idleMs,
    resourceLimits,
  })
  // Errors of a thread without a task; the next task starts another thread.
  pool.on('error', () => {})
  const running = new Set<WorstSearchFor>()
  return {
    run(purpose, task, { onSteps = () => {}, signal }) {
      if (running.has(purpose)) return null
      running.add(purpose)
      const { port1, port2 } = new MessageChannel()
      port1.on('message', onSteps)
      return pool
        .run({ ...task, progress: port2 }, { signal, transferList: [port2] })
        .catch((cause: unknown) => {
          throw signal.aborted ? cause : new EngineFault('thread_lost', { cause })
        })
        .finally(() => {
          port1.close()
          running.delete(purpose)
        })
    },
    close: () => pool.destroy(),
  }
}
