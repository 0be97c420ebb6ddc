import { parentPort, workerData } from 'node:worker_threads'
import { monotonicMs, type Score } from './metronome.js'

/** Strikes closer than this are merged, in milliseconds: at most 4,000 a second. */
const gapMs = 0.25

/** Shared memory; a value other than 0 stops the current score. */
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
