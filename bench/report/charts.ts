import type { CostPoint, Result } from '../run/result.js'
import { samplesOfP99 } from './result-text.js'

export interface Series {
  readonly label: string
  readonly points: readonly (readonly [x: number, y: number])[]
  /** Points without a line between them. */
  readonly dots?: boolean
  /** Not a measurement: a fit or a target. */
  readonly dashed?: boolean
  /** Has the colour of the series before it. */
  readonly joined?: boolean
}

export type Ticks = 'plain' | 'percentile'

export interface Chart {
  readonly title: string
  readonly about: string
  readonly xLabel: string
  readonly yLabel: string
  readonly xLog: boolean
  readonly yLog: boolean
  readonly xTicks: Ticks
  readonly series: readonly Series[]
}

export function chartsOf(results: readonly Result[]): readonly Chart[] {
  return [
    ...curveCharts(results),
    ...ladderCharts(results),
    ...results.filter(({ seconds = [] }) => seconds.length >= secondsMin).map(timeChart),
    ...results.flatMap((result) => (result.cost === undefined ? [] : [costChart(result, result.cost)])),
  ]
}

/** Shorter loads get no timeline. */
const secondsMin = 12

/** One chart per family of names: the service beside the floors. */
function curveCharts(results: readonly Result[]): Chart[] {
  const drawn = results.filter(({ curve = [] }) => curve.length > 1)
  const families = [
    { title: '20 lines', of: /(^floor\/.*\/20$|^gateway\/basket\/(1|8|20)$|1000-a-second$|^ladder\/20\/half$)/ },
    { title: '200 lines', of: /(^floor\/.*\/200$|^gateway\/basket\/200$|300-large|^ladder\/200\/half$)/ },
    { title: 'everyday traffic', of: /^(floor\/least\/everyday|gateway\/everyday|gateway\/sale|mixed|contract)/ },
    { title: 'starts, soaks and spikes', of: /^(cold|soak|spike|resident)/ },
  ]
  return families.flatMap(({ title, of }) => {
    const series = drawn.filter(({ name }) => of.test(name)).map(curveSeries)
    if (series.length === 0) return []
    return {
      title: `Latency by percentile: ${title}`,
      about: 'Counted from the moment each request was due. The further right, the rarer.',
      xLabel: 'percentile',
      yLabel: 'ms',
      xLog: true,
      yLog: true,
      xTicks: 'percentile' as const,
      series,
    }
  })
}

/** x: one request in this many; 100 is the 99th percentile. */
function curveSeries({ name, curve = [], spread }: Result): Series {
  const points = curve
    .map(([percentile, ms]) => [percentile >= 100 ? spread.count : 100 / (100 - percentile), ms] as const)
    .filter(([x, y]) => x >= 1 && y > 0)
  return { label: name, points: ascending(points) }
}

function ascending(points: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  return points.filter(([x], at) => at === 0 || x > points[at - 1]![0])
}

function ladderCharts(results: readonly Result[]): Chart[] {
  const ladders = results.filter(({ ladder = [] }) => ladder.length > 0)
  const families = [...new Set(ladders.map(({ name }) => familyOf(name)))]
  return families.map((family) => {
    const of = ladders.filter(({ name }) => familyOf(name) === family)
    const series = of.flatMap(({ name, ladder = [], figures }): Series[] => {
      const knee = figures.find((one) => one.name === 'knee')?.value ?? 0
      const at = ladder.find(({ rate }) => rate === knee)
      return [
        { label: name, points: ladder.map(({ rate, p99 }) => [rate, p99] as const) },
        ...(at === undefined
          ? []
          : [{ label: `knee ${knee}/s`, points: [[knee, at.p99] as const], dots: true, joined: true }]),
      ]
    })
    return {
      title: `Ladder: ${family}`,
      about:
        'p99 by requests a second, doubled until it passes the target, then halved in between. The knee is the highest rate that held.',
      xLabel: 'requests a second',
      yLabel: 'p99 ms',
      xLog: true,
      yLog: true,
      xTicks: 'plain',
      series,
    }
  })
}

/** `ladder/20/service` beside `ladder/20/least`, `scale/layout/2x1` beside `scale/layout/4x1`. */
function familyOf(name: string): string {
  const [first, second] = name.split('/')
  return first === 'ladder' ? `${second} lines` : `${second}, 20 lines`
}

function timeChart({ name, seconds = [], note }: Result): Chart {
  // With fewer requests in a second, the p99 is their maximum.
  const hasP99 = seconds.filter(({ count }) => count >= samplesOfP99).length > seconds.length / 2
  const line = (label: 'p50' | 'p99' | 'max'): Series => ({
    label,
    points: seconds.map((second) => [second.at, second[label]] as const),
  })
  return {
    title: `Over time: ${name}`,
    about: note.split('; ')[0]!,
    xLabel: 'second in which the request was due',
    yLabel: 'ms',
    xLog: false,
    yLog: true,
    xTicks: 'plain',
    series: [line('p50'), ...(hasP99 ? [line('p99')] : []), line('max')],
  }
}

function costChart({ name, costOf = 'size', figures }: Result, cost: readonly CostPoint[]): Chart {
  const slope = figures.find((one) => one.name === 'slope')?.value ?? 0
  const points = cost.map(({ size, micros }) => [size, micros] as const)
  return {
    title: `Cost by ${costOf}`,
    about: `Processor time of one whole request (${name}); fitted slope ${slope.toFixed(2)}: 1 is in proportion, 0 is no difference.`,
    xLabel: costOf,
    yLabel: 'us',
    xLog: true,
    yLog: true,
    xTicks: 'plain',
    series: [
      { label: 'measured', points },
      { label: `slope ${slope.toFixed(2)}`, points: fitted(points, slope), dashed: true },
    ],
  }
}

/** The line of this slope through the mean of the logarithms. */
function fitted(points: readonly (readonly [number, number])[], slope: number): (readonly [number, number])[] {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + Math.log(point[of]), 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  return points.map(([x]) => [x, Math.exp(meanY + slope * (Math.log(x) - meanX))] as const)
}
