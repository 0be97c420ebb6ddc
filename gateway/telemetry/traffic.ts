import type { TrafficMinute } from '../../store/ledger/gateways.js'

/** Baskets answered over a stretch of time. */
export interface Traffic {
  /** Seconds covered; 0: one reading only. */
  readonly seconds: number
  readonly baskets: number
  /** By outcome, ascending by its word; only those that occurred. */
  readonly outcomes: readonly { readonly outcome: string; readonly baskets: number }[]
  /** Milliseconds within which `ofHundred` of a hundred were answered, within the bounds of the histogram; null: none was. */
  percentile(ofHundred: number): number | null
}

/** The longest stretch, in milliseconds. */
const stretchMs = 60_000

interface Counts {
  readonly outcomes: ReadonlyMap<string, number>
  /** Baskets answered within the upper bound of each bucket, in seconds, ascending. */
  readonly within: ReadonlyMap<number, number>
}

interface Look extends Counts {
  readonly atMs: number
}

/**
 * Reads the page of metrics and returns the baskets since an earlier reading, at most a minute ago. The page of several processes sums all
 * of them; if one was replaced since, its counts are missing, never negative.
 *
 * @param page  the text of `GET /metrics`
 */
export function createTraffic(page: () => Promise<string>, nowMs: () => number): () => Promise<Traffic> {
  let looks: Look[] = []
  return async () => {
    const look = { ...readCounts(await page()), atMs: nowMs() }
    looks = [...looks.filter(({ atMs }) => atMs >= look.atMs - stretchMs), look]
    const from = looks[0]!
    return trafficFrom(countsBetween(from, look), (look.atMs - from.atMs) / 1_000)
  }
}

export const noCounts: Counts = { outcomes: new Map(), within: new Map() }

const baskets = 'endpoint="(?:basket|PosService/CalculateBasket)"'
const counted = new RegExp(`^loyalty_requests_total\\{(?=[^}]*${baskets})[^}]*outcome="([^"]*)"[^}]*\\} (\\d+)`, 'gm')
const timed = new RegExp(`^loyalty_request_seconds_bucket\\{(?=[^}]*${baskets})[^}]*le="([^"]+)"[^}]*\\} (\\d+)`, 'gm')

/** The counts of baskets in the text of `GET /metrics`, those by gRPC included. */
export function readCounts(page: string): Counts {
  const outcomes = new Map<string, number>()
  for (const [, outcome, count] of page.matchAll(counted)) add(outcomes, outcome!, Number(count))
  const within = new Map<number, number>()
  for (const [, bound, count] of page.matchAll(timed)) {
    add(within, bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), Number(count))
  }
  return { outcomes, within: new Map([...within].sort(([left], [right]) => left - right)) }
}

function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}

/** Counts since an earlier one; those of a process that is gone are missing, never negative. */
export function countsBetween(from: Counts, to: Counts): Counts {
  const more = <Key>(earlier: ReadonlyMap<Key, number>, later: ReadonlyMap<Key, number>) =>
    new Map([...later].map(([key, count]) => [key, Math.max(0, count - (earlier.get(key) ?? 0))]))
  return { outcomes: more(from.outcomes, to.outcomes), within: more(from.within, to.within) }
}

/** Counts of some seconds, for people. */
function trafficFrom({ outcomes: counted, within }: Counts, seconds: number): Traffic {
  const outcomes = [...counted]
    .map(([outcome, baskets]) => ({ outcome, baskets }))
    .filter((each) => each.baskets > 0)
    .sort((left, right) => (left.outcome < right.outcome ? -1 : 1))
  return {
    seconds,
    baskets: outcomes.reduce((sum, each) => sum + each.baskets, 0),
    outcomes,
    percentile: (ofHundred) => percentileOf([...within], ofHundred),
  }
}

/** The baskets of some minutes together, over `seconds`. */
export function trafficOf(minutes: readonly TrafficMinute[], seconds: number): Traffic {
  const outcomes = new Map<string, number>()
  const times = new Map<number, number>()
  for (const each of minutes) {
    for (const [outcome, baskets] of Object.entries(each.outcomes)) add(outcomes, outcome, baskets)
    for (const [bound, baskets] of Object.entries(each.times))
      add(times, bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), baskets)
  }
  return trafficFrom({ outcomes, within: cumulated(times) }, seconds)
}

function cumulated(times: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  let sum = 0
  return new Map(
    [...times]
      .sort(([left], [right]) => left - right)
      .map(([bound, count]) => {
        sum += count
        return [bound, sum]
      }),
  )
}

/** In proportion within its bucket, as in Prometheus; the last bucket counts with its lower bound. */
function percentileOf(within: readonly (readonly [bound: number, count: number])[], ofHundred: number): number | null {
  const all = within.at(-1)?.[1] ?? 0
  if (all === 0) return null
  const rank = (all * ofHundred) / 100
  let [below, before] = [0, 0]
  for (const [bound, count] of within) {
    if (count >= rank) {
      if (bound === Number.POSITIVE_INFINITY) break
      return 1_000 * (below + (bound - below) * ((rank - before) / (count - before)))
    }
    below = bound
    before = count
  }
  return 1_000 * below
}
