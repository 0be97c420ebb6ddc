import { everydayMix } from '../load/draw-baskets.js'
import { everydayVisits } from '../load/plan-load.js'
import type { Spread, StreamReport } from '../load/tally.js'
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
import { comparedRates, cpuOf, floorAt, floorNotes } from './floor-cases.js'

/** Latency of the basket endpoint by contract at 50 requests a second, in milliseconds (contract 8). */
export const contractLatency = { p95: 150, p99: 250 }

const gentleSeconds = 6

export const gatewayCases: readonly BenchCase[] = [
  ...[1, 8, 20, 200].map((lines) => ({
    name: `gateway/basket/${lines}`,
    run: (bench: Bench) => basketCase(bench, lines),
  })),
  { name: 'gateway/basket/1000-a-second', run: (bench) => rateCase(bench, { lines: 20, rate: 1_000, p99: 25 }) },
  { name: 'gateway/basket/300-large-a-second', run: (bench) => rateCase(bench, { lines: 200, rate: 300, p99: 50 }) },
  { name: 'gateway/everyday', run: everydayCase },
]

/** Plain baskets of one size at a rate with spare capacity, and the floors at the same rate. */
async function* basketCase(bench: Bench, lines: number): AsyncGenerator<Result> {
  const name = `gateway/basket/${lines}`
  const rate = comparedRates[lines]!
  const least = await floorAt(bench, 'least', lines)
  if (lines !== 20 && lines !== 200) yield least.result
  const load = loadOf(bench, { name, mix: plainBaskets([lines]), stages: stagesOf(rate, bench.settings.seconds) })
  const measured = await measureLoad(bench, await bench.service(), load)
  const stream = streamOf(measured.report, 'basket')
  const figures = [
    ...serverFigures(measured),
    figure('cpu against floor/least', cpuOf(measured) / least.cpuMs, 'x'),
    figure('p50 against floor/least', stream.latency.p50 / least.result.spread.p50, 'x'),
  ]
  yield resultOf(name, stream, { report: measured.report, figures, note: `${rate}/s, 1,000 benefits, nothing limited` })
}

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
  const least = await everydayFloor(bench)
  yield least
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
  const figures = [...serverFigures(measured), ...againstFloor(basket, least)]
  const note = '50 visits a second: 90 % members, 10 % with a limited benefit, changed baskets, repeated requests'
  const extra = { report: measured.report, figures: serverFigures(measured), note }
  yield resultOf('gateway/everyday', basket, { ...extra, figures, targets })
  yield resultOf('gateway/everyday/sale', streamOf(measured.report, 'sale'), extra)
}

/** The same baskets at the same rate to the floor: the machine's own time for an answer under little load. */
async function everydayFloor(bench: Bench): Promise<Result> {
  const name = 'floor/least/everyday'
  const stages = stagesOf(50, bench.settings.seconds)
  const load = loadOf(bench, { name, mix: everydayMix, stages, answers: 'anything' })
  const { report } = await measureLoad(bench, await bench.floor('least'), load)
  return resultOf(name, streamOf(report, 'basket'), { report, note: `50/s of everyday baskets; ${floorNotes.least}` })
}

function againstFloor({ latency }: StreamReport, { spread }: Result): Figure[] {
  return (['p50', 'p95', 'p99'] as const).map((name) =>
    figure(`${name} against floor/least`, latency[name] / spread[name], 'x'),
  )
}

export function isContractMet({ p95, p99, count }: Pick<Spread, 'p95' | 'p99' | 'count'>): boolean {
  return count > 0 && p95 <= contractLatency.p95 && p99 <= contractLatency.p99
}

export function serverFigures(measured: Measured): Figure[] {
  const { reading, requests } = measured
  const mainMs = reading.mainCpuMs
  return [
    figure('cpu per request', cpuOf(measured), 'ms'),
    ...(mainMs === null ? [] : [figure('main thread per request', mainMs / Math.max(1, requests), 'ms')]),
    figure('event loop delay p99', reading.loopDelayP99Ms, 'ms'),
    figure('resident', reading.rss / 2 ** 20, 'MB'),
  ]
}
