import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import {
  type BenchCase,
  figure,
  loadOf,
  plainBaskets,
  resultOf,
  stagesOf,
  streamOf,
  target,
  within,
} from './bench-case.js'
import { contractLatency } from './gateway-cases.js'

interface Neighbour {
  readonly left: string
  /** For each core: taken for `busyMs` of `periodMs`, from `fromMs` on. */
  readonly bursts: readonly { readonly busyMs: number; readonly periodMs: number; readonly fromMs: number }[]
  /** Share of the requests. */
  readonly refusedMax: number
  readonly bounds: { readonly p99?: number }
}

const neighbours: readonly Neighbour[] = [
  {
    left: 'one-core',
    bursts: [
      { busyMs: 200, periodMs: 400, fromMs: 0 },
      { busyMs: 200, periodMs: 400, fromMs: 200 },
    ],
    refusedMax: 0,
    bounds: { p99: contractLatency.p99 },
  },
  {
    left: 'half-a-core',
    bursts: [
      { busyMs: 400, periodMs: 400, fromMs: 0 },
      { busyMs: 200, periodMs: 400, fromMs: 0 },
    ],
    refusedMax: 0.01,
    bounds: {},
  },
]
const rate = 50
const catalogue = { kind: 'sample' } as const
const entry = join(import.meta.dirname, '..', 'load', 'neighbour-entry.js')

/** The contract's load while other programs take the two cores in bursts. Needs Linux's `taskset`. */
export const neighbourCases: readonly BenchCase[] = neighbours.map((neighbour) => ({
  name: `neighbour/${neighbour.left}-left`,
  run: (bench) => neighbourCase(bench, neighbour),
}))

async function* neighbourCase(bench: Bench, { left, bursts, refusedMax, bounds }: Neighbour): AsyncGenerator<Result> {
  const name = `neighbour/${left}-left`
  const server = await bench.once('neighbour', () => bench.start({ stores: 'real', catalogue }))
  const load = (part: string, seconds: number) =>
    loadOf(bench, { name: `${name}/${part}`, catalogue, mix: plainBaskets([20]), stages: stagesOf(rate, seconds) })
  await bench.load(server, load('warm', bench.settings.seconds))
  const running: ChildProcess[] = bursts.map(({ busyMs, periodMs, fromMs }, core) => {
    const words = ['-c', core, process.execPath, entry, busyMs, periodMs, fromMs].map(String)
    return spawn('taskset', words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  })
  const counted = load('counted', bench.settings.seconds * 5)
  const report = await bench.load(server, counted).finally(() => running.forEach((one) => void one.kill()))
  const stream = streamOf(report, 'basket')
  const refused = (stream.errors - stream.warmupErrors) / stream.latency.count
  yield resultOf(name, stream, {
    report,
    figures: [figure('refused', refused * 100, '%')],
    targets: [target(`refused <= ${refusedMax * 100} %`, refused <= refusedMax), ...within(stream.latency, bounds)],
    note: `${rate}/s of 20 lines, sample programme`,
  })
}
