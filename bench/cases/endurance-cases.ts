import { everydayMix } from '../load/draw-baskets.js'
import { everydayVisits } from '../load/plan-load.js'
import type { Second } from '../load/tally.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure, loadOf, resultOf, streamOf, target } from './bench-case.js'

const soakRate = 150
/** Largest growth of the heap under a steady load, and of latency from its first third to its last. */
const heapGrowthMax = 1.25
const latencyGrowthMax = 2
/** A p99 below this counts as flat, in milliseconds. */
const flatMs = 10
const warmSeconds = 5

const spikeRate = 100
const spikeTimes = 10
const beforeSeconds = 6
const spikeSeconds = 10
const afterSeconds = 12
/** A second is calm when its p99 is at most this many times the p99 before the spike. */
const calmTimes = 2

export const enduranceCases: readonly BenchCase[] = [
  { name: 'soak', run: soakCase },
  { name: 'spike', run: spikeCase },
]

/** A steady load: memory after a collection and latency must stay as they were. */
async function* soakCase(bench: Bench): AsyncGenerator<Result> {
  const service = await bench.service()
  const seconds = bench.settings.seconds * 5
  const everyday = { mix: everydayMix, visits: everydayVisits }
  const warmth = [{ rate: soakRate, seconds: warmSeconds, counted: true }]
  await bench.load(service, loadOf(bench, { name: 'soak/warm', stages: warmth, ...everyday }))
  const before = await service.read({ collect: true })
  const stages = [{ rate: soakRate, seconds, counted: true }]
  const report = await bench.load(service, loadOf(bench, { name: 'soak', stages, ...everyday }))
  const after = await service.read({ collect: true })
  const stream = streamOf(report, 'basket')
  const third = Math.floor(stream.seconds.length / 3)
  const [first, last] = [medianP99(stream.seconds.slice(0, third)), medianP99(stream.seconds.slice(-third))]
  const grown = after.heap / before.heap
  const figures = [
    figure('heap after collection grew', grown, 'x'),
    figure('resident', after.rss / 2 ** 20, 'MB'),
    figure('p99 of a second, first third', first, 'ms'),
    figure('p99 of a second, last third', last, 'ms'),
  ]
  const targets = [
    target(`heap grows at most ${heapGrowthMax} times`, grown <= heapGrowthMax),
    target(
      `p99 of the last third at most ${latencyGrowthMax} times the first`,
      last <= Math.max(flatMs, first * latencyGrowthMax),
    ),
  ]
  yield resultOf('soak', stream, { report, figures, targets, note: `${soakRate} visits a second for ${seconds} s` })
}

function medianP99(seconds: readonly Second[]): number {
  const sorted = seconds.map(({ p99 }) => p99).sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Ten times the rate for ten seconds; measures the time until the service has recovered. */
async function* spikeCase(bench: Bench): AsyncGenerator<Result> {
  const stages = [
    { rate: spikeRate, seconds: beforeSeconds, counted: true },
    { rate: spikeRate * spikeTimes, seconds: spikeSeconds, counted: true },
    { rate: spikeRate, seconds: afterSeconds, counted: true },
  ]
  const report = await bench.load(await bench.service(), loadOf(bench, { name: 'spike', stages, mix: everydayMix }))
  const stream = streamOf(report, 'basket')
  const recoveredS = recoverySeconds(stream.seconds)
  const figures = [
    figure('recovery', recoveredS ?? Number.POSITIVE_INFINITY, 's'),
    figure('worst second p99', Math.max(...stream.seconds.map(({ p99 }) => p99)), 'ms'),
  ]
  const targets = [target(`calm again within ${afterSeconds} s`, recoveredS !== null)]
  const note = `${spikeRate}/s, ${spikeRate * spikeTimes}/s for ${spikeSeconds} s, ${spikeRate}/s; 503 and 429 count as errors`
  yield resultOf('spike', stream, { report, figures, targets, note })
}

/**
 * Seconds from the end of a spike until every later second is calm: p99 at most twice that before the spike, or flat.
 * null: not within the load.
 */
export function recoverySeconds(seconds: readonly Second[]): number | null {
  const end = beforeSeconds + spikeSeconds
  const calmMs = Math.max(flatMs, calmTimes * medianP99(seconds.filter(({ at }) => at > 0 && at < beforeSeconds)))
  const restless = seconds.filter(({ at, p99, errors }) => at >= end && (p99 > calmMs || errors > 0))
  const last = restless.at(-1)
  if (last === undefined) return 0
  const recovered = last.at + 1 - end
  return recovered < afterSeconds ? recovered : null
}
