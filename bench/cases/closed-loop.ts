import { createSpread, type Spread } from '../load/tally.js'
import type { Figure, Result, Target } from '../run/result.js'
import { figure } from './bench-case.js'

/** Measures one part by itself: `inFlight` calls at any moment, each followed by the next. */
export interface ClosedLoop {
  readonly seconds: number
  readonly inFlight: number
}

export interface LoopReport {
  readonly latency: Spread
  readonly perSecond: number
  /** Processor time of this process per call, in milliseconds. */
  readonly cpuMs: number
}

/** Uncounted warm-up, as a share of the time. */
const warmShare = 0.25

/**
 * Runs calls one after the other on each of `inFlight` strands. A closed loop measures throughput, not the wait of a
 * POS: a slow answer delays the next call.
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

export function partResult(
  name: string,
  { latency, perSecond, cpuMs }: LoopReport,
  what: {
    readonly loop: Pick<ClosedLoop, 'inFlight'>
    readonly note: string
    readonly figures?: readonly Figure[]
    readonly targets?: readonly Target[]
  },
): Result {
  return {
    name,
    unit: 'ms',
    spread: { ...latency, p999: latency.count >= 1_000 ? latency.p999 : null },
    figures: [figure('rate', perSecond, '/s'), figure('cpu here', cpuMs, 'ms'), ...(what.figures ?? [])],
    targets: what.targets ?? [],
    note: `${what.note}; closed loop, ${what.loop.inFlight} at once`,
  }
}
