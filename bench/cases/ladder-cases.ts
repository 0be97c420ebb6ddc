import type { Load } from '../load/plan-load.js'
import type { Bench } from '../run/bench.js'
import type { Result, TableRow } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { type BenchCase, figure, loadOf, measureLoad, plainBaskets, resultOf, streamOf, target } from './bench-case.js'
import { findKnee } from './find-knee.js'
import { floorNote } from './gateway-cases.js'

interface LadderSize {
  readonly lines: number
  readonly firstRate: number
  /** The 99th percentile that must hold, in milliseconds. */
  readonly p99: number
}

const ladderSizes: readonly LadderSize[] = [
  { lines: 20, firstRate: 400, p99: 25 },
  { lines: 200, firstRate: 100, p99: 50 },
]
const stepSeconds = 3
/**
 * V8 compiles during the first thousands of requests: its helper threads took 0.8 of a core at first, 0.4 after ten
 * seconds of 600/s.
 */
const warmSeconds = 12
const doublingsMax = 8
const halvings = 2
/** Smallest share of floor/least's knee for the service's knee. */
const kneeShareMin = 0.6
/** Pause before the next step, so that a failed rate's queue drains, in milliseconds. */
const settleMs = 500

export const ladderCases: readonly BenchCase[] = ladderSizes.map((size) => ({
  name: `ladder/${size.lines}`,
  run: (bench) => ladderCase(bench, size),
}))

async function* ladderCase(bench: Bench, size: LadderSize): AsyncGenerator<Result> {
  const least = await climb(bench, size, { server: await bench.floor(), kind: 'least' })
  yield least.result
  const server = await bench.service()
  await bench.load(server, warmth(bench, size))
  const service = await climb(bench, size, { server, kind: 'service' })
  const share = least.knee === 0 ? 0 : service.knee / least.knee
  const targets = [target(`knee >= ${kneeShareMin * 100} % of floor/least`, share >= kneeShareMin)]
  const figures = [...service.result.figures, figure('of floor/least', share * 100, '%')]
  yield { ...service.result, figures, targets: [...service.result.targets, ...targets] }
}

/** Warm-up: a fresh service compiles its code while it answers. */
function warmth(bench: Bench, { lines, firstRate }: LadderSize): Load {
  const stages = [
    { rate: firstRate / 4, seconds: warmSeconds / 4, counted: true },
    { rate: firstRate, seconds: warmSeconds, counted: true },
  ]
  return loadOf(bench, { name: `ladder/${lines}/warm`, mix: plainBaskets([lines]), stages })
}

interface LadderPoint {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly errors: number
  /** The p99 stayed within its bound, without errors and with the generator on time. */
  readonly held: boolean
  /** false: the generator could not keep its rate. */
  readonly generatorKept: boolean
}

interface Climbed {
  readonly server: StartedServer
  readonly kind: 'least' | 'service'
  /** Name of the result, and seed of its ids; default `ladder/<lines>/<kind>`. */
  readonly name?: string
}

export async function climb(
  bench: Bench,
  size: LadderSize,
  what: Climbed,
): Promise<{ readonly knee: number; readonly result: Result }> {
  const points: LadderPoint[] = []
  let best: Result | null = null
  let bestRate = 0
  const step = async (rate: number): Promise<boolean> => {
    const { point, result } = await stepAt(bench, size, { ...what, rate, step: points.length })
    points.push(point)
    if (point.held && rate >= bestRate) {
      bestRate = rate
      best = result
    }
    return point.held
  }
  const found = await findKnee({ firstRate: size.firstRate, doublingsMax, halvings }, step)
  return { knee: found, result: kneeResult(size, what, { points, found, best }) }
}

interface Step extends Climbed {
  readonly rate: number
  /** Number of the step: a rate tried again needs new calculationIds, or it would measure replays. */
  readonly step: number
}

async function stepAt(bench: Bench, size: LadderSize, what: Step) {
  const { server, kind, rate, step, name = `ladder/${kind}/${size.lines}` } = what
  const load = loadOf(bench, {
    name: `${name}/${step}`,
    mix: plainBaskets([size.lines]),
    stages: [
      { rate, seconds: 1, counted: false },
      { rate, seconds: stepSeconds, counted: true },
    ],
    answers: kind === 'least' ? 'anything' : 'contract',
  })
  const { report } = await measureLoad(bench, server, load)
  const stream = streamOf(report, 'basket')
  const { latency, errors } = stream
  const held = latency.count > 0 && latency.p99 <= size.p99 && errors === 0 && report.kept
  const point = { rate, p50: latency.p50, p99: latency.p99, errors, held, generatorKept: report.kept }
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  return { point, result: resultOf('', stream, { report, note: '' }) }
}

function kneeResult(
  size: LadderSize,
  { kind, name = `ladder/${size.lines}/${kind}` }: Climbed,
  { points, found, best }: { readonly points: LadderPoint[]; readonly found: number; readonly best: Result | null },
): Result {
  const sorted = lastOfEach(points).sort((left, right) => left.rate - right.rate)
  const stopped = sorted.find(({ held, rate }) => !held && rate > found)
  const why = stopped === undefined ? 'the ladder ended' : stoppedText(stopped)
  const none = { p50: 0, p95: 0, p99: 0, p999: null, max: 0, count: 0 }
  const floor = kind === 'least' ? `; ${floorNote}` : ''
  return {
    name,
    unit: 'ms',
    spread: best?.spread ?? none,
    figures: [figure('knee', found, '/s')],
    targets: found > 0 ? [] : [target(`p99 <= ${size.p99} ms at ${size.firstRate}/s`, false)],
    note: `the highest rate with p99 <= ${size.p99} ms; ${why}${floor}`,
    table: sorted.map(rowOf),
  }
}

function rowOf({ rate, p50, p99, errors }: LadderPoint): TableRow {
  const cells = [figure('p50', p50, 'ms'), figure('p99', p99, 'ms'), figure('errors', errors, '')]
  return { name: `${rate}/s`, cells }
}

function lastOfEach(points: readonly LadderPoint[]): LadderPoint[] {
  return [...new Map(points.map((point) => [point.rate, point])).values()]
}

function stoppedText({ rate, p99, errors, generatorKept }: LadderPoint): string {
  const reasons = [`p99 ${p99.toFixed(0)} ms at ${rate}/s`]
  if (errors > 0) reasons.push(`${errors} errors`)
  if (!generatorKept) reasons.push('the generator could not keep that rate either')
  return reasons.join(', ')
}
