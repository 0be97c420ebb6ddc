import { createDice } from '../load/dice.js'
import type { Chart, Series } from '../report/charts.js'
import { exponential } from './chance.js'
import { meanWaitExponential, meanWaitFixed } from './closed-forms.js'
import { type Model, type Part, parts } from './costs.js'
import { createEventQueue } from './event-queue.js'
import { simulateOneMachine } from './one-machine.js'
import { simulateLoad } from './simulate-load.js'
import { type Cell, fullAt, sizeDeployment } from './size-deployment.js'
import { createStation } from './station.js'

/** Rates up to a large part of what all card terminals of the world do at once. */
export const rates = [50, 150, 500, 1_500, 5_000, 15_000, 50_000, 150_000, 500_000] as const
const requests = 12_000
const logLog = { xLog: true, yLog: true, xTicks: 'plain' } as const

/** Everything that is drawn, in the order of the page. */
export function drawModel(model: Model, seed: number): readonly Chart[] {
  return [
    fixedCells(model, seed),
    usedParts(model, seed),
    internetScale(model, seed),
    machines(model),
    hotLimit(model, seed),
    oneMachine(model, seed),
    againstTheory(seed),
  ]
}

const cells: readonly (readonly [string, Cell])[] = [
  ['1 process, 1 Redis, Postgres of 4 cores', { processes: 1, pricingThreads: 1, redisMasters: 1, postgresCores: 4 }],
  ['4 processes, 1 Redis, 8 cores', { processes: 4, pricingThreads: 1, redisMasters: 1, postgresCores: 8 }],
  ['16 processes, 3 Redis, 16 cores', { processes: 16, pricingThreads: 1, redisMasters: 3, postgresCores: 16 }],
  ['64 processes, 6 Redis, 32 cores', { processes: 64, pricingThreads: 1, redisMasters: 6, postgresCores: 32 }],
]

function fixedCells(model: Model, seed: number): Chart {
  return {
    title: 'What a cell of a size bears',
    about:
      'p99 of simulated answers by requests a second. Each curve turns up where its fullest part is nearly always at work; 450 ms is the deadline.',
    xLabel: 'requests a second',
    yLabel: 'p99 ms',
    ...logLog,
    series: [
      ...cells.map(([label, cell]) => ({ label, points: curveOf(model, cell, seed) })),
      {
        label: 'deadline',
        points: [
          [50, 450],
          [100_000, 450],
        ],
        dashed: true,
      },
    ],
  }
}

function curveOf(model: Model, cell: Cell, seed: number): (readonly [number, number])[] {
  const most = capacityOf(model, cell)
  const shares = [0.05, 0.1, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.99]
  return shares.map((share) => {
    const rate = most * share
    return [rate, simulateLoad({ model, cell, rate, requests, seed }).p99]
  })
}

/** Requests a second at which the first part is at work without a pause. */
export function capacityOf({ mean }: Model, cell: Cell): number {
  const servers: Readonly<Record<Part, number>> = {
    main: cell.processes,
    pricing: cell.processes * cell.pricingThreads,
    redis: cell.redisMasters,
    postgres: cell.postgresCores,
  }
  return Math.min(...parts.map((part) => (servers[part] * 1e6) / mean[part]))
}

function usedParts(model: Model, seed: number): Chart {
  const [label, cell] = cells[1]!
  const most = capacityOf(model, cell)
  const at = [0.1, 0.3, 0.5, 0.7, 0.9, 0.98].map((share) => {
    const rate = most * share
    return { rate, used: simulateLoad({ model, cell, rate, requests, seed }).used }
  })
  return {
    title: `What fills up first: ${label}`,
    about: `Share of its time for which each part is at work; ${fullAt * 100} % is called full when machines are counted.`,
    xLabel: 'requests a second',
    yLabel: '%',
    xLog: false,
    yLog: false,
    xTicks: 'plain',
    series: parts.map((part) => ({
      label: part,
      points: at.map(({ rate, used }) => [rate, 100 * used[part]] as const),
    })),
  }
}

function internetScale(model: Model, seed: number): Chart {
  const answers = rates.map((rate) => {
    const { cell, cells } = sizeDeployment(model, rate)
    return { rate, ...simulateLoad({ model, cell, rate: rate / cells, requests: 3 * requests, seed }) }
  })
  const line = (label: 'p50' | 'p95' | 'p99'): Series => ({
    label,
    points: answers.map((each) => [each.rate, each[label]] as const),
  })
  return {
    title: 'As many machines as it takes',
    about: 'Latency with the machines of the table above: from some rate on several cells, of which one is simulated.',
    xLabel: 'requests a second',
    yLabel: 'ms',
    ...logLog,
    series: [line('p50'), line('p95'), line('p99')],
  }
}

function machines(model: Model): Chart {
  const sized = rates.map((rate) => sizeDeployment(model, rate))
  const line = (label: 'gateways' | 'redis' | 'postgres'): Series => ({
    label,
    points: sized.map(({ rate, machines }) => [rate, machines[label]] as const),
  })
  return {
    title: 'Machines of each kind',
    about:
      'Gateways of 8 cores with one to spare per cell; Redis masters with a replica each; Postgres primaries with a standby each.',
    xLabel: 'requests a second',
    yLabel: 'machines',
    ...logLog,
    series: [line('gateways'), line('redis'), line('postgres')],
  }
}

/** A cell with room for everything but one row. */
function hotLimit(model: Model, seed: number): Chart {
  const cell = { processes: 64, pricingThreads: 2, redisMasters: 6, postgresCores: 32 }
  const { hotLimitPerSecond } = model.limits
  const points = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98].map((share) => {
    const rate = (share * hotLimitPerSecond) / hotOfAll
    return [share * hotLimitPerSecond, simulateLoad({ model, cell, rate, requests, seed, hotShare: 1 }).p99] as const
  })
  return {
    title: 'One limit that all want',
    about: `Its row is confirmed by one transaction after the other, at most ${hotLimitPerSecond} a second, whatever the machines. Once it is exhausted Redis turns away without Postgres.`,
    xLabel: 'units of one limit granted a second',
    yLabel: 'p99 ms of all requests',
    xLog: false,
    yLog: true,
    xTicks: 'plain',
    series: [{ label: 'p99', points }],
  }
}

const hotOfAll = 0.1

function oneMachine(model: Model, seed: number): Chart {
  const { knee } = model
  const points = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1].map((share) => {
    const rate = knee.rate * share
    return [rate, simulateOneMachine(model, rate, requests, seed)] as const
  })
  return {
    title: 'Against this machine',
    about: `Everything and the load generator on ${knee.cores} cores. The dot is what the bench measured (scale/processes/1): ${knee.rate} a second within ${knee.p99Ms} ms.`,
    xLabel: 'baskets of 20 lines a second',
    yLabel: 'p99 ms',
    xLog: false,
    yLog: true,
    xTicks: 'plain',
    series: [
      { label: 'simulated', points },
      { label: 'measured', points: [[knee.rate, knee.p99Ms]], dots: true },
    ],
  }
}

/** One station alone, its mean wait in service times. */
function againstTheory(seed: number): Chart {
  const loads = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95]
  const shapes = [
    { label: '1 server, fixed (M/D/1)', servers: 1, fixed: true, theory: (load: number) => meanWaitFixed(load, 1) },
    { label: '1 server (M/M/1)', servers: 1, fixed: false, theory: (load: number) => meanWaitExponential(1, load, 1) },
    {
      label: '8 servers (M/M/8)',
      servers: 8,
      fixed: false,
      theory: (load: number) => meanWaitExponential(8, load * 8, 1),
    },
  ]
  return {
    title: 'Against queueing theory',
    about: 'Mean wait at one station, simulated (dots) and by the closed form (lines).',
    xLabel: 'share of its time at work',
    yLabel: 'service times',
    xLog: false,
    yLog: true,
    xTicks: 'plain',
    series: shapes.flatMap(({ label, servers, fixed, theory }): Series[] => [
      { label, points: loads.map((load) => [load, theory(load)] as const), dashed: true },
      {
        label: `${label}, simulated`,
        points: loads.map((load) => [load, meanWait({ servers, load, fixed, seed })] as const),
        dots: true,
      },
    ]),
  }
}

/** Mean wait in service times at a station of so many servers, each at work for `load` of its time. */
export function meanWait({
  servers,
  load,
  fixed,
  seed,
  count = 100_000,
}: {
  readonly servers: number
  readonly load: number
  readonly fixed: boolean
  readonly seed: number
  readonly count?: number
}): number {
  const queue = createEventQueue()
  const dice = createDice(seed)
  const station = createStation(queue, servers)
  const arrive = (left: number): void => {
    station.serve(fixed ? 1 : exponential(dice, 1), () => {})
    if (left > 1) queue.plan(queue.now + exponential(dice, 1 / (servers * load)), () => arrive(left - 1))
  }
  queue.plan(0, () => arrive(count))
  queue.run()
  return station.waited / count
}
