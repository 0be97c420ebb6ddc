import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into a server before its own code (`node --import`), to measure its main thread without code in the product.
 * Answers every message of the parent with the readings since the last one.
 */

export interface ReadingAsk {
  /** Collect garbage first (needs --expose-gc), so that the heap is what is in use. */
  readonly collect: boolean
}

/** Readings of a server since the last request. */
export interface ProbeReading {
  /** Processor time of all its threads, in milliseconds. */
  readonly cpuMs: number
  /** Resident memory of the process, and heap of its main thread, in bytes. */
  readonly rss: number
  readonly heap: number
}

if (isMainThread && process.send !== undefined) watch()

function watch(): void {
  let cpu = process.cpuUsage()
  process.on('message', ({ collect }: ReadingAsk) => {
    if (collect) globalThis.gc?.()
    const { user, system } = process.cpuUsage(cpu)
    const { rss, heapUsed } = process.memoryUsage()
    const reading: ProbeReading = { cpuMs: (user + system) / 1000, rss, heap: heapUsed }
    process.send!(reading)
    cpu = process.cpuUsage()
  })
  process.channel?.unref()
}
