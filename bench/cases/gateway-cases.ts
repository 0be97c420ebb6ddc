import { everydayMix } from '../load/draw-baskets.js'
import { everydayVisits } from '../load/plan-load.js'
import type { Spread } from '../load/tally.js'
import type { Bench } from '../run/bench.js'
import type { Figure, Result } from '../run/result.js'
import {
  type BenchCase,
  figure,
  loadOf,
  type Measured,
  measureLoad,
  plainBaskets,
  resultOf,
  stagesOf,
  streamOf,
  target,
  within,
} from './bench-case.js'

export const floorNote =
  'plain node:http: signature, JSON.parse, JSON.stringify, one Redis round trip, compressed request to Postgres in batches off the path'

/** The rate of each size leaves capacity. */
const sizes = [
  { lines: 20, rate: 200 },
  { lines: 200, rate: 80 },
]

export const floorCase: BenchCase = {
  name: 'floor/least',
  async *run(bench) {
    for (const { lines, rate } of sizes) {
      const name = `floor/least/${lines}`
      const stages = stagesOf(rate, bench.settings.seconds / 2)
      const load = loadOf(bench, { name, mix: plainBaskets([lines]), stages, answers: 'anything' })
      const measured = await measureLoad(bench, await bench.floor(), load)
      const { report } = measured
      const figures = [figure('cpu per request', cpuOf(measured), 'ms')]
      yield resultOf(name, streamOf(report, 'basket'), { report, figures, note: `${rate}/s; ${floorNote}` })
    }
  },
}

/** Latency of the basket endpoint by contract at 50 requests a second, in milliseconds (contract 8). */
export const contractLatency = { p95: 150, p99: 250 }

const gentleSeconds = 6

export const gatewayCases: readonly BenchCase[] = [
  { name: 'gateway/basket/1000-a-second', run: (bench) => rateCase(bench, { lines: 20, rate: 1_000, p99: 25 }) },
  { name: 'gateway/basket/300-large-a-second', run: (bench) => rateCase(bench, { lines: 200, rate: 300, p99: 50 }) },
  { name: 'gateway/everyday', run: everydayCase },
]

async function* rateCase(
  bench: Bench,
  { lines, rate, p99 }: { readonly lines: number; readonly rate: number; readonly p99: number },
): AsyncGenerator<Result> {
  const name = lines === 20 ? 'gateway/basket/1000-a-second' : 'gateway/basket/300-large-a-second'
  // A fresh service refuses part of a sudden high load, and the refused requests would delay the counted ones.
  const gently = { rate: rate / 4, seconds: gentleSeconds, counted: false }
  const stages = [gently, ...stagesOf(rate, bench.settings.seconds)]
  const load = loadOf(bench, { name, mix: plainBaskets([lines]), stages })
  const measured = await measureLoad(bench, await bench.service(), load)
  const stream = streamOf(measured.report, 'basket')
  const targets = within(stream.latency, { p99 })
  const figures = serverFigures(measured)
  const note = `${rate}/s of ${lines} lines, 1,000 benefits, nothing limited`
  yield resultOf(name, stream, { report: measured.report, figures, targets, note })
}

async function* everydayCase(bench: Bench): AsyncGenerator<Result> {
  const load = loadOf(bench, {
    name: 'gateway/everyday',
    mix: everydayMix,
    visits: everydayVisits,
    stages: stagesOf(50, bench.settings.seconds * 5),
  })
  const measured = await measureLoad(bench, await bench.service(), load)
  const basket = streamOf(measured.report, 'basket')
  const { latency } = basket
  const targets = [
    ...within(latency, { p95: 5, p99: 10, p999: 25 }),
    target(`contract: p95 <= ${contractLatency.p95}, p99 <= ${contractLatency.p99} ms`, isContractMet(latency)),
  ]
  const note = '50 visits a second: 90 % members, 10 % with a limited benefit, changed baskets, repeated requests'
  const extra = { report: measured.report, figures: serverFigures(measured), note }
  yield resultOf('gateway/everyday', basket, { ...extra, targets })
  yield resultOf('gateway/everyday/sale', streamOf(measured.report, 'sale'), extra)
}

export function isContractMet({ p95, p99, count }: Pick<Spread, 'p95' | 'p99' | 'count'>): boolean {
  return count > 0 && p95 <= contractLatency.p95 && p99 <= contractLatency.p99
}

export function serverFigures(measured: Measured): Figure[] {
  return [figure('cpu per request', cpuOf(measured), 'ms'), figure('resident', measured.reading.rss / 2 ** 20, 'MB')]
}

/** Processor time of the server's process per request, in milliseconds. */
export function cpuOf({ reading, requests }: Measured): number {
  return reading.cpuMs / Math.max(1, requests)
}
