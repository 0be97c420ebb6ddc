import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { type RunningProfiles, startProfiles } from './profile-threads.js'

/**
 * Loaded into a server before its own code (`node --import`), to measure its main thread without code in the product.
 * Answers every message of the parent with the readings since the last one.
 */

export interface ReadingAsk {
  /** Collect garbage first (needs --expose-gc), so that the heap is what is in use. */
  readonly collect: boolean
}

/** Start the profiles of all threads, or stop them and reply with them. */
export interface ProfileAsk {
  readonly profile: 'start' | 'stop'
}

/** Readings of a server since the last request. */
export interface ProbeReading {
  /** Processor time of all its threads, in milliseconds. */
  readonly cpuMs: number
  /** Processor time of its main thread, in milliseconds; null where the system does not report it. */
  readonly mainCpuMs: number | null
  /** Delay of the event loop behind a due timer, in milliseconds. */
  readonly loopDelayP99Ms: number
  readonly loopDelayMaxMs: number
  /** Resident memory of the process, and heap of its main thread, in bytes. */
  readonly rss: number
  readonly heap: number
}

/** Interval of the timer that measures the event loop, included in the delay, in milliseconds. */
const resolutionMs = 10
/** Between two samples of a thread. Samples wake it, which took 13 to 17 % more processor time at half the knee. */
const sampleMicros = 1_000

if (isMainThread && process.send !== undefined) watch()

function watch(): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  let cpu = process.cpuUsage()
  let mainCpuMs = mainThreadMs()
  const lateMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  let profiles: RunningProfiles | null = null
  const profile = async (step: ProfileAsk['profile']): Promise<void> => {
    if (step === 'start') profiles = await startProfiles(sampleMicros)
    process.send!(step === 'start' ? [] : await profiles!.stop())
  }
  process.on('message', (ask: ReadingAsk | ProfileAsk) => {
    if ('profile' in ask) return void profile(ask.profile)
    if (ask.collect) globalThis.gc?.()
    const { user, system } = process.cpuUsage(cpu)
    const mainNow = mainThreadMs()
    const { rss, heapUsed } = process.memoryUsage()
    const reading: ProbeReading = {
      cpuMs: (user + system) / 1000,
      mainCpuMs: mainNow === null || mainCpuMs === null ? null : mainNow - mainCpuMs,
      loopDelayP99Ms: delay.count === 0 ? 0 : lateMs(delay.percentile(99)),
      loopDelayMaxMs: delay.count === 0 ? 0 : lateMs(delay.max),
      rss,
      heap: heapUsed,
    }
    process.send!(reading)
    cpu = process.cpuUsage()
    mainCpuMs = mainThreadMs()
    // Its timer wakes the thread a hundred times a second: without a reader it stays off.
    delay.enable()
    delay.reset()
  })
  process.channel?.unref()
}

/** Processor time of this process's main thread so far; on Linux it has the process's own id. null: not reported. */
function mainThreadMs(): number | null {
  try {
    const [onCpu] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return Number(onCpu) / 1e6
  } catch {
    return null
  }
}
