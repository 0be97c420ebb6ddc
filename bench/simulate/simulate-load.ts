import { Dice } from '../../test/support/dice.js'
import { type Kind, kinds, type Model, mix, type Part, parts } from './costs.js'
import { type Cell, serversOf } from './size-deployment.js'
import { type Clock, createClock, createStation, exponential, type Station, scattered } from './station.js'

/** A step of a request: it goes on when `done` is called. */
type Step = (done: () => void) => void

/** Requests a second without memory of each other, so many in all. */
interface Arrivals {
  readonly rate: number
  readonly requests: number
  readonly seed: number
}

/** Milliseconds from the arrival to the answer. */
interface Latency {
  readonly p50: number
  readonly p99: number
}

/** Between two machines of one place, one way, in seconds. */
const hopSeconds = 0.000_1
/** A commit that is flushed and has reached a synchronous standby beside, in seconds: commits share a flush, so nobody queues for it. */
const commitSeconds = 0.001_5
/** Standard deviation by mean of what a call takes: pricing and Postgres see small and large baskets, Redis and the main thread less so. */
const variation: Readonly<Record<Part, number>> = { main: 0.5, pricing: 1, redis: 0.5, postgres: 1 }
/** Share of the Postgres time of a request that its answer waits for; the rest is written after the answer. */
const waitedFor: Readonly<Record<Kind, number>> = { 'plain-20': 0.3, 'plain-200': 0.3, 'limited-20': 1, sale: 1 }
/** The first part of the answers, in which queues are still filling, does not count. */
const warmShare = 0.1

/**
 * One cell under load, event by event: the same seed gives the same figures.
 *
 * @returns  `used`: share of its time for which each part was at work
 */
export function simulateLoad(
  load: Arrivals & { readonly model: Model; readonly cell: Cell },
): Latency & { readonly used: Readonly<Record<Part, number>> } {
  const { model, cell } = load
  const clock = createClock()
  const dice = new Dice(load.seed)
  const several = (count: number, servers: number) => Array.from({ length: count }, () => createStation(clock, servers))
  const stations = {
    main: several(cell.processes, 1),
    pricing: several(cell.processes, cell.pricingThreads),
    redis: several(cell.redisMasters, 1),
    postgres: several(1, cell.postgresCores),
  }
  const latency = simulateArrivals(load, { clock, dice }, (number) => {
    const kind = drawKind(dice)
    const process = number % cell.processes
    const visited = {
      main: stations.main[process]!,
      pricing: stations.pricing[process]!,
      redis: stations.redis[dice.below(cell.redisMasters)]!,
      postgres: stations.postgres[0]!,
    }
    const take = (part: Part, share: number): Step => {
      const seconds = scattered(dice, (model.of[kind][part] * share) / 1e6, variation[part])
      return (done) => visited[part].serve(seconds, done)
    }
    return stepsOf(kind, take, clock)
  })
  const seconds = load.requests / load.rate
  const usedOf = (part: Part) => stations[part].reduce((sum, { busy }: Station) => sum + busy, 0) / seconds
  const used = Object.fromEntries(parts.map((part) => [part, usedOf(part) / serversOf(cell)[part]]))
  return { ...latency, used: used as Record<Part, number> }
}

/** In, read and priced, looked up and stored, confirmed where that is asked for, and out. */
function stepsOf(kind: Kind, take: (part: Part, share: number) => Step, clock: Clock): readonly Step[] {
  const after = take('postgres', 1 - waitedFor[kind])
  return [
    take('main', 0.5),
    take('pricing', 1),
    take('redis', 0.5),
    take('postgres', waitedFor[kind]),
    ...(waitedFor[kind] === 1 ? [(done: () => void) => clock.plan(clock.now + commitSeconds, done)] : []),
    take('redis', 0.5),
    take('main', 0.5),
    (done: () => void) => {
      after(() => {})
      done()
    },
  ].map((step) => (done) => step(() => clock.plan(clock.now + hopSeconds, done)))
}

/** Lets requests arrive, takes each through its steps, and gives what they took. */
export function simulateArrivals(
  { rate, requests }: Arrivals,
  { clock, dice }: { readonly clock: Clock; readonly dice: Dice },
  stepsFor: (number: number) => readonly Step[],
): Latency {
  const took = new Float64Array(requests)
  const arrive = (number: number): void => {
    const began = clock.now
    const answered = () => {
      took[number] = clock.now - began
    }
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
  let draw = dice.next()
  for (const kind of kinds) {
    draw -= mix[kind]
    if (draw < 0) return kind
  }
  return 'sale'
}
