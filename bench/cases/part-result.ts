import type { Figure, Result, Target } from '../run/result.js'
import { figure } from './bench-case.js'
import type { ClosedLoop, LoopReport } from './closed-loop.js'

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
