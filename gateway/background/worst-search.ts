import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { EngineFault } from '../../engine/index.js'
import type { WorstReport } from '../../engine/worst/find-worst.js'
import type { Objective } from '../../engine/worst/finding.js'
import type { StoredVenue } from '../../store/ledger/venues.js'

/** Idle time after which the thread ends, in milliseconds. */
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
  /** Receives the steps taken so far. */
  readonly progress: MessagePort
}

/** Searches worst baskets on a thread of the lowest priority, one search at a time. */
export interface WorstSearch {
  /** True while a search runs. */
  readonly isBusy: boolean
  /** @param onSteps  called with the steps taken, now and then */
  run(task: WorstSearchTask, onSteps: (steps: number) => void, signal: AbortSignal): Promise<WorstReport>
  close(): Promise<void>
}

export function createWorstSearch(): WorstSearch {
  const pool = new Piscina<WorstSearchOnThread, WorstReport>({
    filename: new URL('./worst-searching.js', import.meta.url).href,
    name: 'runWorstSearch',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    resourceLimits,
  })
  // Errors of a thread without a task; the next task starts another thread.
  pool.on('error', () => {})
  let running = 0
  return {
    get isBusy() {
      return running > 0
    },
    async run(task, onSteps, signal) {
      running += 1
      const { port1, port2 } = new MessageChannel()
      port1.on('message', onSteps)
      try {
        return await pool.run({ ...task, progress: port2 }, { signal, transferList: [port2] })
      } catch (cause) {
        throw signal.aborted ? cause : new EngineFault('thread_lost', { cause })
      } finally {
        port1.close()
        running -= 1
      }
    },
    close: () => pool.destroy(),
  }
}
