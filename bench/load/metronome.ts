import { Worker } from 'node:worker_threads'

/** Moments to strike, ascending, in milliseconds after `startMs`. */
export interface Score {
  /** On the monotonic clock. */
  readonly startMs: number
  readonly duesMs: Float64Array
}

/** The machine's monotonic clock in milliseconds: the same on every thread and in every process. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * Calls back at planned moments. Event loop timers have whole milliseconds, and busy waiting would take a core from the
 * service; a sleeping thread is accurate to a tenth of a millisecond.
 */
export interface Metronome {
  /**
   * Calls `strike` once per moment, in order, as soon after it as this thread is free.
   *
   * @param duesMs  ascending, milliseconds after the start
   * @param strike  receives the moment's index and the start on the monotonic clock
   * @returns       resolves after the last strike
   */
  play(duesMs: Float64Array, strike: (at: number, startMs: number) => void): Promise<void>
  close(): Promise<void>
}

/** Time to pass a score to the thread before its first strike, in milliseconds. */
const leadMs = 20

export async function createMetronome(): Promise<Metronome> {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL('./metronome-thread.js', import.meta.url), { workerData: cell })
  await new Promise<void>((resolve, reject) => {
    thread.once('online', resolve)
    thread.once('error', reject)
  })
  return {
    play: (duesMs, strike) => play(thread, duesMs, strike),
    async close() {
      Atomics.store(cell, 0, 1)
      Atomics.notify(cell, 0)
      await thread.terminate()
    },
  }
}

function play(thread: Worker, duesMs: Float64Array, strike: (at: number, startMs: number) => void): Promise<void> {
  const startMs = monotonicMs() + leadMs
  let at = 0
  return new Promise((resolve, reject) => {
    if (duesMs.length === 0) return resolve()
    const end = (settle: () => void) => {
      thread.off('message', onMessage)
      thread.off('error', fail)
      settle()
    }
    const fail = (error: Error) => end(() => reject(error))
    const onMessage = () => {
      while (at < duesMs.length && startMs + duesMs[at]! <= monotonicMs()) strike(at++, startMs)
      if (at === duesMs.length) end(resolve)
    }
    thread.on('message', onMessage)
    thread.on('error', fail)
    const score: Score = { startMs, duesMs }
    thread.postMessage(score)
  })
}
