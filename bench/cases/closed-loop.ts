import { createSpread, type Spread } from '../load/tally.js'

/** A part measured by itself: so many calls under way at any moment, the next when one ends. */
export interface ClosedLoop {
  readonly seconds: number
  readonly inFlight: number
}

export interface LoopReport {
  /** Of single calls. */
  readonly latency: Spread
  readonly perSecond: number
  /** What this process used for each call, in milliseconds. */
  readonly cpuMs: number
}

/** A quarter of the time before anything counts. */
const warmShare = 0.25

/**
 * Runs one call after the other on each of so many strands. A closed loop: it tells what a part can do, not how long a POS would
 * wait, for a slow answer keeps the next question back.
 */
export async function runClosedLoop(
  { seconds, inFlight }: ClosedLoop,
  call: (at: number) => Promise<unknown>,
): Promise<LoopReport> {
  let next = 0
  const strands = async (untilMs: number, landed: (ms: number) => void) => {
    const strand = async () => {
      while (performance.now() < untilMs) {
        const began = performance.now()
        await call(next++)
        landed(performance.now() - began)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, strand))
  }
  await strands(performance.now() + seconds * 1000 * warmShare, () => {})
  const latency = createSpread()
  const cpu = process.cpuUsage()
  const began = performance.now()
  await strands(began + seconds * 1000, latency.add)
  const { user, system } = process.cpuUsage(cpu)
  const spread = latency.spread()
  const tookMs = performance.now() - began
  return { latency: spread, perSecond: (spread.count / tookMs) * 1000, cpuMs: (user + system) / 1000 / spread.count }
}
