/** What was answered to baskets over a stretch of time. */
export interface Traffic {
  /** Seconds that it covers; 0: one look only. */
  readonly seconds: number
  readonly baskets: number
  /** By outcome, ascending by its word; only those that occurred. */
  readonly outcomes: readonly { readonly outcome: string; readonly baskets: number }[]
  /** Milliseconds within which so many of a hundred were answered, within the bounds of the histogram; null: none was. */
  percentile(ofHundred: number): number | null
}

/** How long a stretch is at most, in milliseconds. */
const stretchMs = 60_000

interface Look {
  readonly atMs: number
  readonly outcomes: ReadonlyMap<string, number>
  /** Baskets answered within the upper bound of each bucket, in seconds, ascending. */
  readonly within: ReadonlyMap<number, number>
}

/**
 * Looks at the page of metrics and tells what came since an earlier look, at most a minute ago. The page of several processes sums them
 * all; where one of them was replaced meanwhile, what it had counted is missing, never negative.
 *
 * @param page  the text of `GET /metrics`
 */
export function createTraffic(page: () => Promise<string>, nowMs: () => number): () => Promise<Traffic> {
  let looks: Look[] = []
  return async () => {
    const look = readLook(await page(), nowMs())
    looks = [...looks.filter(({ atMs }) => atMs >= look.atMs - stretchMs), look]
    return between(looks[0]!, look)
  }
}

const baskets = 'endpoint="(?:basket|PosService/CalculateBasket)"'
const counted = new RegExp(`^loyalty_requests_total\\{(?=[^}]*${baskets})[^}]*outcome="([^"]*)"[^}]*\\} (\\d+)`, 'gm')
const timed = new RegExp(`^loyalty_request_seconds_bucket\\{(?=[^}]*${baskets})[^}]*le="([^"]+)"[^}]*\\} (\\d+)`, 'gm')

function readLook(page: string, atMs: number): Look {
  const outcomes = new Map<string, number>()
  for (const [, outcome, count] of page.matchAll(counted)) add(outcomes, outcome!, Number(count))
  const within = new Map<number, number>()
  for (const [, bound, count] of page.matchAll(timed)) {
    add(within, bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), Number(count))
  }
  return { atMs, outcomes, within: new Map([...within].sort(([left], [right]) => left - right)) }
}

function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}

function between(from: Look, to: Look): Traffic {
  const more = (earlier: number | undefined, later: number) => Math.max(0, later - (earlier ?? 0))
  const outcomes = [...to.outcomes]
    .map(([outcome, count]) => ({ outcome, baskets: more(from.outcomes.get(outcome), count) }))
    .filter((each) => each.baskets > 0)
    .sort((left, right) => (left.outcome < right.outcome ? -1 : 1))
  const within = [...to.within].map(([bound, count]) => [bound, more(from.within.get(bound), count)] as const)
  return {
    seconds: (to.atMs - from.atMs) / 1_000,
    baskets: outcomes.reduce((sum, each) => sum + each.baskets, 0),
    outcomes,
    percentile: (ofHundred) => percentileOf(within, ofHundred),
  }
}

/** In proportion within its bucket, as Prometheus does; of the last bucket its lower bound. */
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
