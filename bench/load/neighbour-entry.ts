import os from 'node:os'

/** A busy neighbour: computes for the first `busyMs` of each `periodMs` of the clock, beginning `fromMs` into it. */
const [busyMs, periodMs, fromMs] = process.argv.slice(2).map(Number) as [number, number, number]
/** It gets nearly all of its core. */
const highestPriority = -20
const sleeping = new Int32Array(new SharedArrayBuffer(4))

try {
  os.setPriority(highestPriority)
} catch {
  // Without permission it shares its core evenly.
}
process.on('disconnect', () => process.exit(0))
setInterval(() => {
  const beganMs = Date.now() - ((Date.now() - fromMs) % periodMs)
  while (Date.now() < beganMs + busyMs);
  Atomics.wait(sleeping, 0, 0, Math.max(0, beganMs + periodMs - Date.now()))
}, 0)
