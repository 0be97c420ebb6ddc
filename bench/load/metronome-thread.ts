import { parentPort, workerData } from 'node:worker_threads'
import { monotonicMs } from './clock.js'

/** What the thread is told: moments to strike at, ascending, in milliseconds after `startMs`. */
export interface Score {
  /** Of the monotonic clock. */
  readonly startMs: number
  readonly duesMs: Float64Array
}

/** Strikes nearer together than this are one, in milliseconds: at most 4,000 a second, whatever the rate. */
const gapMs = 0.25

/** One word in shared memory; another value than 0 ends the score that is being played. */
const cell = workerData as Int32Array

parentPort!.on('message', ({ startMs, duesMs }: Score) => {
  let at = 0
  let notBefore = 0
  while (at < duesMs.length && Atomics.load(cell, 0) === 0) {
    const leftMs = Math.max(startMs + duesMs[at]!, notBefore) - monotonicMs()
    if (leftMs > 0) {
      Atomics.wait(cell, 0, 0, leftMs)
      continue
    }
    const now = monotonicMs()
    while (at < duesMs.length && startMs + duesMs[at]! <= now) at += 1
    notBefore = now + gapMs
    parentPort!.postMessage(null)
  }
})
