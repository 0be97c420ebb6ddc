import { onTime, type Result } from '../run/result.js'
import { figureText, number } from './result-text.js'

export interface Score {
  readonly name: string
  /** The promised value. */
  readonly asked: string
  readonly measured: string
  readonly verdict: 'met' | 'missed' | 'not judged'
  /** The missed targets, or why there is no verdict; else empty. */
  readonly why: string
}

interface Promised {
  readonly name: string
  readonly asked: string
  /** Names of its results; all that were measured must meet their targets. */
  readonly results: readonly string[]
  readonly targets: RegExp
  readonly shown: readonly string[] | typeof percentiles
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
    asked: '>= 60 % of floor/least',
    results: [`ladder/${lines}/service`],
    targets: /./,
    shown: ['of floor/least'],
  })),
  ...[
    { lines: 20, most: 1.5 },
    { lines: 200, most: 2 },
  ].map(({ lines, most }) => ({
    name: `processor time of a basket of ${lines} lines, half the knee`,
    asked: `<= ${most} times floor/least`,
    results: [`gateway/cost/${lines}`],
    targets: /^processor time/,
    shown: ['of floor/least'],
  })),
  {
    name: 'main thread per basket of 200 lines, half the knee',
    asked: '< 0.25 ms',
    results: ['ladder/200/half'],
    targets: /^main thread/,
    shown: ['main thread per request'],
  },
  {
    name: 'event loop delay, half the knee',
    asked: 'p99 < 10 ms',
    results: ['ladder/20/half', 'ladder/200/half'],
    targets: /^event loop/,
    shown: ['event loop delay p99'],
  },
  {
    name: 'growth: cost per line at 200 lines',
    asked: '<= 1.2 times that at 20',
    results: ['cost/lines'],
    targets: /./,
    shown: ['per line at 200 against 20'],
  },
  {
    name: 'growth: 10,000 benefits',
    asked: '<= 1.3 times 100',
    results: ['cost/benefits'],
    targets: /./,
    shown: ['10,000 against 100'],
  },
  {
    name: 'memory: 4 threads, 1,000 benefits, 100,000 members',
    asked: '< 300 MB',
    results: ['resident'],
    targets: /^resident/,
    shown: ['resident with 100000 members'],
  },
  {
    name: 'memory and latency flat over a soak',
    asked: 'heap <= 1.25 times, p99 <= 2 times',
    results: ['soak'],
    targets: /./,
    shown: ['heap after collection grew', 'p99 of a second, first third', 'p99 of a second, last third'],
  },
  {
    name: 'start, embedded stores',
    asked: 'ready within 2 s',
    results: ['cold/first-start', 'cold/second-start'],
    targets: /^ready/,
    shown: ['ready after'],
  },
]

/** Every promise about speed with its verdict and figures. */
export function scorecard(results: readonly Result[]): readonly Score[] {
  return promised.map((promise) => {
    const { name, asked, results: names } = promise
    const found = results.filter((one) => names.includes(one.name))
    const measured = found.map((one) => `${names.length > 1 ? `${one.name} ` : ''}${measuredText(one, promise)}`)
    return { name, asked, measured: measured.join(', '), ...judged(promise, found) }
  })
}

function judged({ results: names, targets }: Promised, found: readonly Result[]): Pick<Score, 'verdict' | 'why'> {
  const held = found.map((one) => ({ one, targets: one.targets.filter((each) => targets.test(each.text)) }))
  const misses = held.flatMap(({ one, targets: own }) =>
    own
      .filter(({ met, text }) => !met && text !== onTime)
      .map(({ text }) => `${names.length > 1 ? `${one.name}: ` : ''}${text}`),
  )
  const silent = found.find(({ spread }) => spread.count === 0)
  if (silent !== undefined) return { verdict: 'missed', why: silent.note || 'nothing was answered' }
  // A late generator only raises latencies: a target met is met all the same.
  const isLate = found.some((one) => one.targets.some(({ text, met }) => text === onTime && !met))
  if (misses.length > 0 && isLate) return { verdict: 'not judged', why: 'the generator could not keep its rate' }
  // A single target is already in `asked`.
  const several = held.flatMap((each) => each.targets).length > 1
  if (misses.length > 0) return { verdict: 'missed', why: several ? misses.join('; ') : '' }
  const absent = names.filter((each) => !held.some(({ one, targets: own }) => one.name === each && own.length > 0))
  if (absent.length > 0) return { verdict: 'not judged', why: `not judged in this run: ${absent.join(', ')}` }
  return { verdict: 'met', why: '' }
}

/** The scorecard for a terminal, with the reason below each promise not met; promises not measured are only counted. */
export function scorecardLines(results: readonly Result[]): string[] {
  const scores = scorecard(results)
  const measured = scores.filter((score) => score.measured !== '')
  const lines = measured.flatMap(({ name, asked, measured: found, verdict, why }) => [
    `  ${verdict.padEnd(12)}${name.padEnd(54)}${asked.padEnd(38)}${found}`.trimEnd(),
    ...(why === '' ? [] : [`  ${' '.repeat(12)}${why}`]),
  ])
  const others = scores.length - measured.length
  return others === 0
    ? lines
    : [...lines, `  ${'not judged'.padEnd(12)}${others} others, whose cases were not in this run`]
}

function measuredText({ spread, figures, unit }: Result, { asked, shown }: Promised): string {
  if (shown === percentiles) {
    const named = asked.match(/p99\.9|p99|p95/g) ?? []
    const values = { p95: spread.p95, p99: spread.p99, 'p99.9': spread.p999 } as const
    return `${named.map((each) => `${each} ${numberOrNone(values[each as keyof typeof values])}`).join(', ')} ${unit}`
  }
  const found = figures.filter((one) => shown.includes(one.name))
  if (found.length === 0) return 'nothing'
  return found
    .map((one) => (shown.length > 1 ? figureText(one) : figureText(one).replace(`${one.name} `, '')))
    .join(', ')
}

function numberOrNone(value: number | null): string {
  return value === null ? 'of too few samples' : number(value)
}
