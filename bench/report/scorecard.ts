import type { Result } from '../run/result.js'
import { figureText, number } from './result-text.js'

/** A promise about speed, whichever case measures it. */
export interface Score {
  readonly name: string
  /** What was asked. */
  readonly asked: string
  /** What was measured; empty where nothing was. */
  readonly measured: string
  readonly verdict: 'reached' | 'missed' | 'not measured'
}

interface Promised {
  readonly name: string
  readonly asked: string
  /** Results it is judged by: all that were measured must hold. */
  readonly results: readonly string[]
  /** Which targets of these results. */
  readonly targets: RegExp
  /** What is shown of each result: a figure by name, or its percentiles. */
  readonly shown: string
}

const percentiles = 'percentiles'

const promised: readonly Promised[] = [
  {
    name: '50 a second, everyday traffic',
    asked: 'p95 <= 5, p99 <= 10, p99.9 <= 25 ms',
    results: ['gateway/everyday'],
    targets: /^p9/,
    shown: percentiles,
  },
  {
    name: 'the contract: 50 a second',
    asked: 'p95 <= 150, p99 <= 250 ms',
    results: ['gateway/everyday'],
    targets: /^contract/,
    shown: percentiles,
  },
  {
    name: '1,000 a second of 20 lines',
    asked: 'p99 <= 25 ms',
    results: ['gateway/basket/1000-a-second'],
    targets: /./,
    shown: percentiles,
  },
  {
    name: '300 a second of 200 lines, 1,000 benefits',
    asked: 'p99 <= 50 ms',
    results: ['gateway/basket/300-large-a-second'],
    targets: /./,
    shown: percentiles,
  },
  ...[20, 200].map((lines) => ({
    name: `knee, ${lines} lines`,
    asked: '>= 75 % of floor/least',
    results: [`ladder/${lines}/service`],
    targets: /./,
    shown: 'of floor/least',
  })),
  {
    name: 'main thread per basket of 200 lines, half the knee',
    asked: '< 0.25 ms',
    results: ['ladder/200/half'],
    targets: /^main thread/,
    shown: 'main thread per request',
  },
  {
    name: 'event loop delay, half the knee',
    asked: 'p99 < 10 ms',
    results: ['ladder/20/half', 'ladder/200/half'],
    targets: /^event loop/,
    shown: 'event loop delay p99',
  },
  {
    name: 'growth: cost per line at 200 lines',
    asked: '<= 1.2 times that at 20',
    results: ['cost/lines'],
    targets: /./,
    shown: 'per line at 200 against 20',
  },
  {
    name: 'growth: 10,000 benefits',
    asked: '<= 1.3 times 100',
    results: ['cost/benefits'],
    targets: /./,
    shown: '10,000 against 100',
  },
  {
    name: 'memory: 4 threads, 1,000 benefits, 100,000 members',
    asked: '< 300 MB',
    results: ['resident'],
    targets: /^resident/,
    shown: 'resident with 100000 members',
  },
  {
    name: 'memory and latency flat over a soak',
    asked: 'heap <= 1.25 times, p99 <= 2 times',
    results: ['soak'],
    targets: /./,
    shown: 'heap after collection grew',
  },
  {
    name: 'start, embedded stores',
    asked: 'ready within 2 s',
    results: ['cold/first-start', 'cold/second-start'],
    targets: /^ready/,
    shown: 'ready after',
  },
]

/** Every promise about speed by name, reached or not; what this run has not measured is said to be so. */
export function scorecard(results: readonly Result[]): readonly Score[] {
  return promised.map(({ name, asked, results: names, targets, shown }) => {
    const found = results.filter((one) => names.includes(one.name))
    const judged = found.flatMap((one) => one.targets.filter(({ text }) => targets.test(text)))
    const isWhole =
      found.length === names.length && found.every((one) => one.targets.some(({ text }) => targets.test(text)))
    const missed = judged.some(({ met }) => !met) || found.some(({ spread }) => spread.count === 0)
    const verdict = missed ? 'missed' : isWhole ? 'reached' : 'not measured'
    return { name, asked, measured: found.map((one) => measuredText(one, shown)).join(', '), verdict }
  })
}

/** The same for a terminal, one line each. */
export function scorecardLines(results: readonly Result[]): string[] {
  return scorecard(results).map(
    ({ name, asked, measured, verdict }) => `  ${verdict.padEnd(13)}${name.padEnd(54)}${asked.padEnd(38)}${measured}`,
  )
}

function measuredText({ spread, figures, unit }: Result, shown: string): string {
  const found = figures.find(({ name }) => name === shown)
  if (found !== undefined) return figureText(found).replace(`${shown} `, '')
  if (shown !== percentiles || spread.count === 0) return 'nothing'
  const slowest = spread.p999 === null ? '' : ` / ${number(spread.p999)}`
  return `${number(spread.p95)} / ${number(spread.p99)}${slowest} ${unit}`
}
