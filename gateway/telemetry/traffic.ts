import type { TrafficCounts } from '../../store/ledger/gateways.js'

/** One answered request for the metrics; every word is one of a small fixed set. */
export interface AnsweredRequest {
  readonly endpoint: string
  readonly status: number
  /** A basket status, a sale result, or `refused`, `unavailable`, `failed`, `aborted`, `served`. */
  readonly outcome: string
  /** The error code, empty on success. */
  readonly code: string
  readonly durationMs: number
  /** Not in the metrics, only in the traffic. */
  readonly venue?: string
  readonly register?: string
}

/** The contract's bounds of a basket's answer (contract 8), in milliseconds. */
export const p95MaxMs = 150
export const p99MaxMs = 250
/** Upper bounds of the counted times, in seconds. */
export const timeBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.35, 0.45, 1]

/** The service is not well above this share of calls with an error. */
const errorShareMax = 0.01
/** A register with this share of errors is amiss; fewer errors than the minimum say nothing. */
const placeShareMax = 0.5
const placeErrorsMin = 3

/** Answers to POSs over a stretch of time. */
export interface Traffic {
  readonly seconds: number
  readonly baskets: number
  /** By outcome, ascending by its word; only those that occurred. */
  readonly outcomes: readonly { readonly outcome: string; readonly baskets: number }[]
  /** Milliseconds within which `ofHundred` of a hundred were answered, within the bounds of the histogram; null: none was. */
  percentile(ofHundred: number): number | null
  /** Baskets, sales and returns. */
  readonly calls: number
  /** Their error codes, most frequent first. */
  readonly errors: readonly CodeCount[]
  /** Where they came from, most errors first, then most late answers. */
  readonly places: readonly TrafficPlace[]
  readonly isWell: boolean
}

export interface CodeCount {
  readonly code: string
  readonly calls: number
}

/** A register with errors or late answers; ids are '' where the call had none that could be read. */
export interface TrafficPlace {
  readonly venueId: string
  readonly cashRegisterId: string
  /** All its calls in the minutes with errors or late answers. */
  readonly calls: number
  readonly errors: readonly CodeCount[]
  readonly slow: number
  /** As in `Traffic`, of its baskets in these minutes. */
  percentile(ofHundred: number): number | null
}

const basketCalls: ReadonlySet<string> = new Set(['basket', 'PosService/CalculateBasket'])
const saleCalls: ReadonlySet<string> = new Set(['sale', 'return', 'PosService/RecordSale'])
const slow = 'slow'
/** Begins the names of times among the codes of a place; no error code does. */
const timeMark = '<='
/** Length of the parts of the last minute, in milliseconds. */
const partMs = 5_000
const partsMax = 12
/** Places counted apart, and those reported; the others are one without ids. */
const placesMax = 2_000
const placesShown = 50

/** Counts the answers of this process. */
export interface TrafficCounter {
  answered(request: AnsweredRequest): void
  /** Since the last call. */
  take(): TrafficCounts
  /** In the last minute, to within 5 s. */
  latest(): TrafficCounts
}

export function createTrafficCounter(nowMs = () => performance.now()): TrafficCounter {
  let since = new Tally()
  let parts: { readonly at: number; readonly tally: Tally }[] = []

  function partNow(): Tally {
    const at = Math.floor(nowMs() / partMs)
    if (parts.at(-1)?.at !== at) {
      parts = [...parts.filter((each) => each.at > at - partsMax), { at, tally: new Tally() }]
    }
    return parts.at(-1)!.tally
  }

  return {
    answered(request) {
      if (!basketCalls.has(request.endpoint) && !saleCalls.has(request.endpoint)) return
      since.add(request)
      partNow().add(request)
    },
    take() {
      const counts = since.counts()
      since = new Tally()
      return counts
    },
    latest() {
      partNow()
      return sumOf(parts.map(({ tally }) => tally.counts()))
    },
  }
}

class Tally {
  readonly #outcomes = new Map<string, number>()
  readonly #times = new Map<string, number>()
  readonly #places = new Map<string, Map<string, number>>()
  #calls = 0

  add({ endpoint, outcome, code, durationMs, venue = '', register = '' }: AnsweredRequest): void {
    const isBasket = basketCalls.has(endpoint)
    const within = String(timeBounds.find((bound) => durationMs <= bound * 1_000) ?? '+Inf')
    if (isBasket) {
      add(this.#outcomes, outcome, 1)
      add(this.#times, within, 1)
    }
    if (outcome === 'aborted') return
    this.#calls += 1
    const key = JSON.stringify([venue, register])
    const place = this.#places.has(key) || this.#places.size < placesMax ? key : elsewhere
    const codes = this.#places.get(place) ?? new Map<string, number>()
    this.#places.set(place, codes)
    add(codes, '', 1)
    if (code !== '') add(codes, code, 1)
    if (isBasket) add(codes, timeMark + within, 1)
    if (code === '' && isBasket && durationMs > p99MaxMs) add(codes, slow, 1)
  }

  counts(): TrafficCounts {
    const calls = new Map([['all', this.#calls]])
    const faultyOf = (codes: ReadonlyMap<string, number>) =>
      sum([...codes].map(([code, count]) => (code === '' || code.startsWith(timeMark) ? 0 : count)))
    const faulty = [...this.#places].filter(([, codes]) => faultyOf(codes) > 0)
    faulty.sort(([, left], [, right]) => faultyOf(right) - faultyOf(left))
    for (const [at, [place, codes]] of faulty.entries()) {
      const ids: string[] = JSON.parse(at < placesShown ? place : elsewhere)
      for (const [code, count] of codes) add(calls, JSON.stringify([...ids, code]), count)
    }
    return {
      outcomes: Object.fromEntries(this.#outcomes),
      times: Object.fromEntries(this.#times),
      calls: Object.fromEntries(calls),
    }
  }
}

const elsewhere = JSON.stringify(['', ''])

function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((all, count) => all + count, 0)
}

function sumOf(counts: readonly TrafficCounts[]): TrafficCounts {
  const sumBy = (key: keyof TrafficCounts) => {
    const sums = new Map<string, number>()
    for (const each of counts) for (const [name, count] of Object.entries(each[key])) add(sums, name, count)
    return Object.fromEntries(sums)
  }
  return { outcomes: sumBy('outcomes'), times: sumBy('times'), calls: sumBy('calls') }
}

/** The counts of minutes or processes together, over `seconds`, for people. */
export function trafficOf(counts: readonly TrafficCounts[], seconds: number): Traffic {
  const { outcomes: counted, times, calls: codes } = sumOf(counts)
  const outcomes = Object.entries(counted)
    .map(([outcome, baskets]) => ({ outcome, baskets }))
    .sort((left, right) => (left.outcome < right.outcome ? -1 : 1))
  const { all: calls = 0, ...placed } = codes
  const places = placesFrom(placed)
  const errors = errorsOf(places.flatMap((place) => place.errors))
  const within = cumulated(times)
  return {
    seconds,
    baskets: sum(Object.values(counted)),
    outcomes,
    percentile: (ofHundred) => percentileOf(within, ofHundred),
    ...{ calls, errors, places },
    isWell:
      errorCount({ errors }) <= calls * errorShareMax &&
      (percentileOf(within, 99) ?? 0) <= p99MaxMs &&
      !places.some((place) => isAmiss(place)),
  }
}

function isAmiss(place: TrafficPlace): boolean {
  const errors = errorCount(place)
  return place.venueId !== '' && errors >= placeErrorsMin && errors >= place.calls * placeShareMax
}

/** Calls with an error code. */
export function errorCount({ errors }: Pick<TrafficPlace, 'errors'>): number {
  return sum(errors.map(({ calls }) => calls))
}

function errorsOf(counts: readonly CodeCount[]): readonly CodeCount[] {
  const sums = new Map<string, number>()
  for (const { code, calls } of counts) add(sums, code, calls)
  return [...sums].map(([code, calls]) => ({ code, calls })).sort((left, right) => right.calls - left.calls)
}

function placesFrom(placed: TrafficCounts['calls']): readonly TrafficPlace[] {
  const codesOf = new Map<string, Map<string, number>>()
  for (const [key, calls] of Object.entries(placed)) {
    const [venueId, cashRegisterId, code]: [string, string, string] = JSON.parse(key)
    const name = JSON.stringify([venueId, cashRegisterId])
    codesOf.set(name, (codesOf.get(name) ?? new Map()).set(code, calls))
  }
  return [...codesOf]
    .map(([name, codes]) => placeFrom(name, codes))
    .sort((left, right) => errorCount(right) - errorCount(left) || right.slow - left.slow || right.calls - left.calls)
}

function placeFrom(name: string, codes: ReadonlyMap<string, number>): TrafficPlace {
  const [venueId, cashRegisterId]: [string, string] = JSON.parse(name)
  const times = [...codes].filter(([code]) => code.startsWith(timeMark))
  const errors = [...codes].filter(([code]) => code !== '' && code !== slow && !code.startsWith(timeMark))
  const within = cumulated(Object.fromEntries(times.map(([code, count]) => [code.slice(timeMark.length), count])))
  return {
    ...{ venueId, cashRegisterId },
    calls: codes.get('') ?? 0,
    errors: errorsOf(errors.map(([code, calls]) => ({ code, calls }))),
    slow: codes.get(slow) ?? 0,
    percentile: (ofHundred) => percentileOf(within, ofHundred),
  }
}

type Cumulated = readonly (readonly [bound: number, count: number])[]

function cumulated(times: TrafficCounts['times']): Cumulated {
  let sum = 0
  return Object.entries(times)
    .map(([bound, count]): [number, number] => [bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), count])
    .sort(([left], [right]) => left - right)
    .map(([bound, count]) => {
      sum += count
      return [bound, sum]
    })
}

/** In proportion within its bucket, as in Prometheus; the last bucket counts with its lower bound. */
function percentileOf(within: Cumulated, ofHundred: number): number | null {
  const all = within.at(-1)?.[1] ?? 0
  if (all === 0) return null
  const rank = (all * ofHundred) / 100
  let before = 0
  for (const [bound, count] of within) {
    const below = timeBounds.findLast((each) => each < bound) ?? 0
    if (count >= rank) {
      if (bound === Number.POSITIVE_INFINITY) return 1_000 * below
      return 1_000 * (below + (bound - below) * ((rank - before) / (count - before)))
    }
    before = count
  }
  return null
}
