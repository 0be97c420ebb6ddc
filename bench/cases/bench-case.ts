import type { CatalogueSpec } from '../load/catalogue.js'
import { type BasketMix, plainMix } from '../load/draw-baskets.js'
import { type Load, type Stage, seedOf } from '../load/plan-load.js'
import type { LoadReport } from '../load/run-load.js'
import type { Spread, StreamReport } from '../load/tally.js'
import type { ProbeReading } from '../probe/probe.js'
import type { Bench } from '../run/bench.js'
import { type Figure, onTime, type Result, type Target } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'

/** A case of the bench. It may report several results, under names that start with its own or a floor's. */
export interface BenchCase {
  readonly name: string
  /** Runs only where a pattern selects it: it downloads what it measures. */
  readonly onlyByName?: boolean
  run(bench: Bench): AsyncIterable<Result>
}

/** A load of a case. Default: plain baskets with Poisson arrivals. */
export type CaseLoad = Partial<Omit<Load, 'seed' | 'stages'>> & {
  /** Unique in the run: the seed of ids and baskets follows from it. */
  readonly name: string
  readonly stages: readonly Stage[]
}

const warmupSeconds = 2
/** With fewer samples a 99.9th percentile means nothing. */
const samplesOfP999 = 1_000
const bodyBudget = 8_000_000
const bytesPerLine = 330

export function loadOf(bench: Bench, { name, ...load }: CaseLoad): Load {
  const mix = load.mix ?? plainBaskets([20])
  const catalogue: CatalogueSpec = load.catalogue ?? bench.catalogue
  return {
    seed: seedOf(bench.settings.seed, name),
    arrivals: 'poisson',
    visits: null,
    answers: 'contract',
    basketsDrawn: basketsThatFit(mix),
    ...load,
    mix,
    catalogue,
  }
}

export function plainBaskets(lines: BasketMix['lines']): BasketMix {
  return { ...plainMix, lines }
}

/** As many different baskets as fit in a few megabytes, so that no cache of the service holds many answers. */
function basketsThatFit({ lines }: BasketMix): number {
  const largest = typeof lines === 'string' ? 20 : Math.max(...lines)
  return Math.min(2_000, Math.max(100, Math.floor(bodyBudget / (largest * bytesPerLine))))
}

export function stagesOf(rate: number, seconds: number): Stage[] {
  return [
    { rate, seconds: warmupSeconds, counted: false },
    { rate, seconds, counted: true },
  ]
}

export interface Measured {
  readonly report: LoadReport
  readonly reading: ProbeReading
  /** Requests completed, including the warm-up's; the reading covers all of them. */
  readonly requests: number
}

export async function measureLoad(bench: Bench, server: StartedServer, load: Load): Promise<Measured> {
  await server.read()
  const report = await bench.load(server, load)
  const reading = await server.read()
  const requests = report.streams.filter(({ name }) => !name.includes('/')).reduce((sum, { landed }) => sum + landed, 0)
  return { report, reading, requests }
}

export function streamOf({ streams }: LoadReport, name: string): StreamReport {
  return streams.find((stream) => stream.name === name)!
}

/** The result of one stream of a load. Errors and a late generator each have a target of their own. */
export function resultOf(
  name: string,
  stream: StreamReport,
  extra: {
    readonly report: LoadReport
    readonly figures?: readonly Figure[]
    readonly targets?: readonly Target[]
    readonly note: string
  },
): Result {
  const { latency, errors } = stream
  const { late, kept, generatorCpu, problems } = extra.report
  const notes = [extra.note, outcomesText(stream)]
  const first = Object.entries(problems)[0]
  if (errors > 0 && first !== undefined) notes.push(`first error, ${first[0]}: ${problemText(first[1])}`)
  if (!kept) notes.push(lateText(late))
  return {
    name,
    unit: 'ms',
    spread: { ...latency, p999: latency.count >= samplesOfP999 ? latency.p999 : null },
    figures: [
      ...(extra.figures ?? []),
      figure('generator late p99', late.p99, 'ms'),
      figure('generator of a core', generatorCpu * 100, '%'),
    ],
    targets: [
      ...(extra.targets ?? []),
      ...(errors > 0 ? [target(`no errors, not ${errors}`, false)] : []),
      ...(kept ? [] : [target(onTime, false)]),
    ],
    note: notes.join('; '),
  }
}

/** Outcomes of the counted requests; with shares if there were errors. */
function outcomesText({ latency, outcomes, errors, warmupErrors }: StreamReport): string {
  const share = (count: number) => (errors > 0 ? ` (${((100 * count) / latency.count).toFixed(1)} %)` : '')
  const words = Object.entries(outcomes).map(([word, count]) => `${word} ${count}${share(count)}`)
  if (warmupErrors > 0) words.push(`${warmupErrors} errors in the warm-up`)
  return words.join(', ')
}

/** The contract's error body as a short text; anything else unchanged. */
function problemText(problem: string): string {
  const code = /"code":"(\w+)"/.exec(problem)?.[1]
  const message = /"message":"([^"]*)"/.exec(problem)?.[1]
  return code === undefined || message === undefined ? problem : `${code}, "${message}"`
}

export function lateText({ p99 }: Spread): string {
  return `THE GENERATOR COULD NOT KEEP ITS RATE (p99 ${p99.toFixed(1)} ms late): these figures include its own delay`
}

export function figure(name: string, value: number, unit: string): Figure {
  return { name, value, unit }
}

export function target(text: string, met: boolean): Target {
  return { text, met }
}

/** Judges bounds such as `p99 <= 25 ms`. Skips the 99.9th percentile where there are too few samples. */
export function within(latency: Spread, bounds: Partial<Record<'p95' | 'p99' | 'p999', number>>): Target[] {
  const judged = Object.entries(bounds).filter(([key]) => key !== 'p999' || latency.count >= samplesOfP999)
  return judged.map(([key, ms]) => {
    const percentile = key as 'p95' | 'p99' | 'p999'
    return target(
      `${percentile === 'p999' ? 'p99.9' : percentile} <= ${ms} ms`,
      latency.count > 0 && latency[percentile] <= ms,
    )
  })
}

/** The ratio in the middle; of an even number the upper one. */
export function middleOf(ratios: readonly number[]): number {
  return ratios.toSorted((left, right) => left - right)[Math.floor(ratios.length / 2)]!
}
