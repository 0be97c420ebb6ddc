import { createDice, type Dice } from '../load/dice.js'
import { exponential, scattered } from './chance.js'
import { type Kind, kinds, type Model, mix, type Part, parts } from './costs.js'
import { createEventQueue, type EventQueue } from './event-queue.js'
import type { Cell } from './size-deployment.js'
import { createStation, type Station } from './station.js'

export interface SimulatedLoad {
  readonly model: Model
  readonly cell: Cell
  /** Requests a second, without memory of each other. */
  readonly rate: number
  readonly requests: number
  readonly seed: number
  /** Share of the limited baskets that want one and the same limit; default 0. */
  readonly hotShare?: number
}

export interface SimulatedAnswers {
  /** Milliseconds from the arrival to the answer. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Share of the requests that were answered within the deadline of 450 ms. */
  readonly inTime: number
  /** Share of its time for which each part was at work. */
  readonly used: Readonly<Record<Part, number>>
}

/** Between two machines of one place, one way, in seconds. */
export const hopSeconds = 0.000_1
/** A commit that is flushed and has reached a synchronous standby beside, in seconds: commits share a flush, so nobody queues for it. */
export const commitSeconds = 0.001_5
const deadlineSeconds = 0.45
/** Standard deviation by mean of what a call takes: pricing and Postgres see small and large baskets, Redis and the main thread less so. */
const variation: Readonly<Record<Part, number>> = { main: 0.5, pricing: 1, redis: 0.5, postgres: 1 }
/** Share of the Postgres time of a request that its answer waits for; the rest is brought home behind it. */
const waitedFor: Readonly<Record<Kind, number>> = { 'plain-20': 0.3, 'plain-200': 0.3, 'limited-20': 1, sale: 1 }
const commits: ReadonlySet<Kind> = new Set(['limited-20', 'sale'])
/** The first part of the answers, in which queues are still filling, does not count. */
const warmShare = 0.1

/** One cell under load, event by event: the same seed gives the same figures. */
export function simulateLoad(load: SimulatedLoad): SimulatedAnswers {
  const queue = createEventQueue()
  const dice = createDice(load.seed)
  const stations = createStations(queue, load)
  const took = new Float64Array(load.requests)
  let arrived = 0

  function arrive(): void {
    const number = arrived
    const began = queue.now
    arrived += 1
    pass(number, () => {
      took[number] = queue.now - began
    })
    if (arrived < load.requests) queue.plan(queue.now + exponential(dice, 1 / load.rate), arrive)
  }

  function pass(number: number, answered: () => void): void {
    const visit = {
      kind: drawKind(dice),
      process: number % load.cell.processes,
      master: dice.below(load.cell.redisMasters),
    }
    walk(queue, stepsOf(visit, load, { dice, stations, queue }), answered)
  }

  queue.plan(0, arrive)
  queue.run()
  const lastArrival = load.requests / load.rate
  return { ...percentilesOf(took.subarray(Math.floor(load.requests * warmShare))), used: usedOf(stations, lastArrival) }
}

interface Stations {
  readonly main: readonly Station[]
  readonly pricing: readonly Station[]
  readonly redis: readonly Station[]
  readonly postgres: readonly Station[]
  readonly servers: Readonly<Record<Part, number>>
  /** The row of the one limit that all want. */
  readonly hotRow: Station
}

function createStations(queue: EventQueue, { cell }: SimulatedLoad): Stations {
  const { processes, pricingThreads, redisMasters, postgresCores } = cell
  const several = (count: number, servers: number) => Array.from({ length: count }, () => createStation(queue, servers))
  return {
    main: several(processes, 1),
    pricing: several(processes, pricingThreads),
    redis: several(redisMasters, 1),
    postgres: several(1, postgresCores),
    servers: { main: processes, pricing: processes * pricingThreads, redis: redisMasters, postgres: postgresCores },
    hotRow: createStation(queue, 1),
  }
}

/** A step of a request: it goes on when `done` is called. */
type Step = (done: () => void) => void

function walk(queue: EventQueue, steps: readonly Step[], done: () => void, at = 0): void {
  const step = steps[at]
  if (step === undefined) done()
  else step(() => queue.plan(queue.now + hopSeconds, () => walk(queue, steps, done, at + 1)))
}

interface Visit {
  readonly kind: Kind
  readonly process: number
  readonly master: number
}

/** In, read and priced, looked up and kept, confirmed where that is asked for, and out. */
function stepsOf(
  { kind, process, master }: Visit,
  { model, hotShare = 0 }: SimulatedLoad,
  { dice, stations, queue }: { readonly dice: Dice; readonly stations: Stations; readonly queue: EventQueue },
): readonly Step[] {
  const draw = (part: Part, share: number) => scattered(dice, (model.of[kind][part] * share) / 1e6, variation[part])
  const at = (station: Station, part: Part, share: number): Step => {
    const seconds = draw(part, share)
    return (done) => station.serve(seconds, done)
  }
  const postgres = stations.postgres[0]!
  const behind = draw('postgres', 1 - waitedFor[kind])
  const isHot = kind === 'limited-20' && dice.fraction() < hotShare
  return [
    at(stations.main[process]!, 'main', 0.5),
    at(stations.pricing[process]!, 'pricing', 1),
    at(stations.redis[master]!, 'redis', 0.5),
    at(postgres, 'postgres', waitedFor[kind]),
    ...(isHot ? [(done: () => void) => stations.hotRow.serve(1 / model.limits.hotLimitPerSecond, done)] : []),
    ...(commits.has(kind) ? [(done: () => void) => queue.plan(queue.now + commitSeconds, done)] : []),
    at(stations.redis[master]!, 'redis', 0.5),
    at(stations.main[process]!, 'main', 0.5),
    (done) => {
      if (behind > 0) postgres.serve(behind, () => {})
      done()
    },
  ]
}

function drawKind(dice: Dice): Kind {
  let draw = dice.fraction()
  for (const kind of kinds) {
    draw -= mix[kind]
    if (draw < 0) return kind
  }
  return 'sale'
}

function percentilesOf(seconds: Float64Array): Omit<SimulatedAnswers, 'used'> {
  const sorted = seconds.toSorted()
  const at = (share: number) => 1_000 * sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
  const late = sorted.reduce((count, each) => count + Number(each > deadlineSeconds), 0)
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), inTime: 1 - late / sorted.length }
}

function usedOf(stations: Stations, seconds: number): Readonly<Record<Part, number>> {
  const share = (part: Part) =>
    stations[part].reduce((sum, { busy }) => sum + busy, 0) / (seconds * stations.servers[part])
  return Object.fromEntries(parts.map((part) => [part, share(part)])) as Record<Part, number>
}
