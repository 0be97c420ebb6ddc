import { Dice } from '../../test/support/dice.js'
import { exponential } from '../load/plan-load.js'
import { type Kind, kinds, type Model, mix, type Part, parts } from './costs.js'
import { type Cell, serversOf } from './size-deployment.js'
import { type Clock, createClock, createStation, scattered } from './station.js'

/** A step of a request: it goes on when `done` is called. */
type Step = (done: () => void) => void

/** Independent requests, by rate a second and total number. */
type Arrivals = Readonly<Record<'rate' | 'requests' | 'seed', number>>

/** Between two machines of one place, one way, in seconds. */
const hopSeconds = 0.000_1
/** A commit that is flushed and has reached a synchronous standby nearby, in seconds: commits share a flush, so none waits in a queue. */
const commitSeconds = 0.001_5
/**
 * Standard deviation of a call's time, divided by its mean: pricing and Postgres see small and large baskets, Redis and the main thread
 * less so.
 */
const variation: Readonly<Record<Part, number>> = { main: 0.5, pricing: 1, redis: 0.5, postgres: 1 }
/** Share of the Postgres time of a request that its answer waits for; the rest is written after the answer. */
const waitedFor: Readonly<Record<Kind, number>> = { 'plain-20': 0.3, 'plain-200': 0.3, 'limited-20': 1, sale: 1 }
/** The first part of the answers, in which queues are still filling, does not count. */
const warmShare = 0.1

/** One cell under load, event by event: the same seed gives the same figures. `used`: share of time in which each part was busy. */
export function simulateLoad(load: Arrivals & { readonly model: Model; readonly cell: Cell }) {
  const { model, cell } = load
  const [clock, dice, servers] = [createClock(), new Dice(load.seed), serversOf(cell)]
  // Each process has a main and a pricing thread of its own, each Redis master one; Postgres is one.
  const counts = { main: cell.processes, pricing: cell.processes, redis: cell.redisMasters, postgres: 1 }
  const each = (part: Part) => () => createStation(clock, servers[part] / counts[part])
  const stations = byPart((part) => Array.from({ length: counts[part] }, each(part)))
  const latency = simulateArrivals(load, { clock, dice }, (number) => {
    const kind = drawKind(dice)
    const [process, master] = [number % counts.main, dice.below(counts.redis)]
    const at = { main: process, pricing: process, redis: master, postgres: 0 }
    return stepsOf(kind, clock, (part, share) => {
      const seconds = scattered(dice, (model.of[kind][part] * share) / 1e6, variation[part])
      return (done) => stations[part][at[part]]!.serve(seconds, done)
    })
  })
  const seconds = load.requests / load.rate
  const used = byPart((part) => stations[part].reduce((sum, { busy }) => sum + busy, 0) / seconds / servers[part])
  return { ...latency, used }
}

function byPart<T>(value: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, value(part)])) as Record<Part, T>
}

/** Received, read and priced, looked up and stored, confirmed where required, and sent. */
function stepsOf(kind: Kind, clock: Clock, take: (part: Part, share: number) => Step): readonly Step[] {
  const after = take('postgres', 1 - waitedFor[kind])
  const waits = (seconds: number) => (done: () => void) => clock.plan(clock.now + seconds, done)
  const leave = (done: () => void) => [after(() => {}), done()]
  const commit = waitedFor[kind] === 1 ? [waits(commitSeconds)] : []
  const stored = [take('postgres', waitedFor[kind]), ...commit, take('redis', 0.5), take('main', 0.5), leave]
  const steps = [take('main', 0.5), take('pricing', 1), take('redis', 0.5), ...stored]
  return steps.flatMap((step) => [step, waits(hopSeconds)])
}

/** Lets requests arrive and takes each through its steps; milliseconds from the arrival to the answer. */
export function simulateArrivals(
  { rate, requests }: Arrivals,
  { clock, dice }: { readonly clock: Clock; readonly dice: Dice },
  stepsFor: (number: number) => readonly Step[],
) {
  const took = new Float64Array(requests)
  const arrive = (number: number): void => {
    const began = clock.now
    const answered = () => void took.fill(clock.now - began, number, number + 1)
    stepsFor(number).reduceRight<() => void>((next, step) => () => step(next), answered)()
    if (number + 1 < requests) clock.plan(clock.now + exponential(dice, 1 / rate), () => arrive(number + 1))
  }
  clock.plan(0, () => arrive(0))
  clock.run()
  const sorted = took.subarray(Math.floor(requests * warmShare)).toSorted()
  const at = (share: number) => 1_000 * sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
  return { p50: at(0.5), p99: at(0.99) }
}

function drawKind(dice: Dice): Kind {
  const drawn = dice.next()
  return kinds.find((_, at) => kinds.slice(0, at + 1).reduce((sum, kind) => sum + mix[kind], 0) > drawn) ?? 'sale'
}
