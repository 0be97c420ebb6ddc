import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from '../load/plan-load.js'
import type { Bench } from '../run/bench.js'
import { onTime, type Result } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { type BenchCase, figure, lateText, loadOf, measureLoad, plainBaskets, target } from './bench-case.js'
import { serverFigures } from './gateway-cases.js'
import { climb } from './ladder-cases.js'

/** The load whose knee is the reference; `p99` is its bound in milliseconds. */
const kneeOf = { lines: 20, firstRate: 150, p99: 50 }
const overloads = [2, 8]
/** Smallest share of the knee answered, and the time within which the rest is refused, in milliseconds. */
const goodputMin = 0.9
const refusedWithinMs = 20
/** Uncounted seconds in which the concurrency limit adapts. */
const settleSeconds = 2
const pauseMs = 1_000

/** A gateway with real stores under far more load than it can answer, with the generator on the same cores. */
export const overloadCases: readonly BenchCase[] = [{ name: 'overload/20', run: overloadCase }]

async function* overloadCase(bench: Bench): AsyncGenerator<Result> {
  const server = await bench.service()
  const { knee, result } = await climb(bench, kneeOf, { server, kind: 'service', name: 'overload/20/knee' })
  yield { ...result, name: 'overload/20/knee' }
  if (knee === 0) return
  for (const times of overloads) {
    yield await overloadResult(bench, server, { knee, times })
    await sleep(pauseMs)
  }
}

/** Latencies of refused requests as the client sees them: from the moment a request was due. */
async function overloadResult(
  bench: Bench,
  server: StartedServer,
  { knee, times }: { readonly knee: number; readonly times: number },
): Promise<Result> {
  const name = `overload/20/${times}-times`
  const measured = await measureLoad(bench, server, overload(bench, name, knee * times))
  const { answered, refused, late, kept, problems } = measured.report
  const goodput = answered.latency.count / bench.settings.seconds
  const others = Object.keys(problems).filter((outcome) => outcome !== 'http_503')
  return {
    name,
    unit: 'ms',
    spread: { ...refused.latency, p999: null },
    figures: [
      figure('answered', goodput, '/s'),
      figure('of the knee', (goodput / knee) * 100, '%'),
      figure('answers p50', answered.latency.p50, 'ms'),
      figure('answers p99', answered.latency.p99, 'ms'),
      figure('refused', refused.latency.count / bench.settings.seconds, '/s'),
      ...serverFigures(measured),
      figure('generator late p99', late.p99, 'ms'),
    ],
    targets: [
      target(`answered >= ${goodputMin * 100} % of the knee`, goodput >= goodputMin * knee),
      target(`refused within ${refusedWithinMs} ms at p99`, refused.latency.p99 <= refusedWithinMs),
      target('nothing but 200 and 503', others.length === 0),
      ...(kept ? [] : [target(onTime, false)]),
    ],
    note: `refusals of ${knee * times}/s, ${times} times the knee of ${knee}/s${others.length > 0 ? `; also ${others.join(', ')}` : ''}${kept ? '' : `; ${lateText(late)}`}`,
  }
}

function overload(bench: Bench, name: string, rate: number): Load {
  return loadOf(bench, {
    name,
    mix: plainBaskets([kneeOf.lines]),
    stages: [
      { rate, seconds: settleSeconds, counted: false },
      { rate, seconds: bench.settings.seconds, counted: true },
    ],
  })
}
