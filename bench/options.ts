import { parseArgs } from 'node:util'
import type { EngineSettings } from './engine/engine-case.js'
import type { Load } from './load/plan-load.js'

/** What is to be measured, and where. */
export interface BenchOptions {
  readonly load: Load
  /** A service that runs already; null: one is started. */
  readonly url: string | null
  readonly secret: string | null
  readonly stores: 'embedded' | 'real'
}

/** Which cases of the engine are to be measured, and how. */
export interface EngineOptions {
  /** Part of a case's name; `*` stands for anything. */
  readonly pattern: string
  readonly settings: EngineSettings
  /** Fetch published engines to compare with, from npm, before anything is measured. */
  readonly installPeers: boolean
}

export type BenchArguments =
  | { readonly kind: 'options'; readonly options: BenchOptions }
  | { readonly kind: 'engine'; readonly options: EngineOptions }
  /** Disk that so many calculations of so many lines take. */
  | { readonly kind: 'size'; readonly rows: number; readonly lines: number }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

export const help = `Without a pattern, measures the basket endpoint: starts the built service, sends signed baskets at moments that are
fixed beforehand (an open loop), and prints p50, p95, p99 and max, counted from the moment each was due.

  npm run bench -- --smoke            50 requests a second for 30 s, 20- and 200-line baskets mixed
  npm run bench -- --stores real      the same on Redis and Postgres of its own

  --rate N            requests a second. Default: 50
  --seconds N         how long it counts, after 5 s of warm-up. Default: 30
  --lines N,N         sizes of baskets, mixed evenly. Default: 20,200
  --arrivals KIND     poisson, as from many tills, or fixed. Default: poisson
  --seed N            the same seed gives the same arrivals and baskets. Default: 1
  --stores KIND       embedded or real. Default: embedded
  --url URL           a service that runs already, with --secret

With a pattern, measures the cases of the engine whose names hold it, on this thread and without a service:

  npm run bench -- engine             all of them, with their targets
  npm run bench -- engine/price       or some: a part of the name, * for anything

  --seed N            the same seed gives the same programmes and baskets. Default: 1
  --seconds N         how long each timed case counts. Default: 3
  --steps N           budget of the search. Default: 200000
  --baskets N         baskets of engine/search/realistic. Default: 2000
  --install-peers     fetch Medusa's promotion module from npm first (190 MB, no install scripts), for engine/peer

  npm run bench -- postgres/size      disk that a million calculations take, on a Postgres of its own

  --rows N            calculations stored for it, in hundreds. Default: 20000
  --lines N           of each basket. Default: 20

Exit code 1 where the contract's p95 of 150 ms or p99 of 250 ms is missed, any answer is wrong, or a target of a case is missed.`

/** Seconds before anything counts: the service compiles its hot paths. */
const warmupSeconds = 5

const defaults = {
  rate: '50',
  seconds: '30',
  caseSeconds: '3',
  steps: '200000',
  baskets: '2000',
  rows: '20000',
  sizeLines: '20',
  seed: '1',
  lines: '20,200',
  arrivals: 'poisson',
  stores: 'embedded',
} as const

/** Reads the words after `npm run bench --`. `--smoke` names the defaults. */
export function readOptions(words: readonly string[]): BenchArguments {
  try {
    const { values, positionals } = parseWords(words)
    if (values.help) return { kind: 'help' }
    if (positionals.length > 1) throw new Error(`one pattern at a time, not "${positionals.join(' ')}"`)
    const [pattern] = positionals
    if (pattern === 'postgres/size') return sizeOptions(values)
    if (pattern !== undefined) return { kind: 'engine', options: engineOptions(pattern, values) }
    if ((values.url === undefined) !== (values.secret === undefined)) throw new Error('--url and --secret go together')
    const stores = oneOf('--stores', values.stores, ['embedded', 'real'])
    const { url = null, secret = null } = values
    return { kind: 'options', options: { load: loadOptions(values), stores, url, secret } }
  } catch (error) {
    return { kind: 'wrong', message: (error as Error).message }
  }
}

type Values = ReturnType<typeof parseWords>['values']

function parseWords(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      rate: { type: 'string', default: defaults.rate },
      seconds: { type: 'string' },
      seed: { type: 'string', default: defaults.seed },
      lines: { type: 'string' },
      arrivals: { type: 'string', default: defaults.arrivals },
      stores: { type: 'string', default: defaults.stores },
      url: { type: 'string' },
      secret: { type: 'string' },
      steps: { type: 'string', default: defaults.steps },
      baskets: { type: 'string', default: defaults.baskets },
      rows: { type: 'string', default: defaults.rows },
      'install-peers': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
}

function loadOptions(values: Values): Load {
  return {
    rate: wholeNumber('--rate', values.rate, 10_000),
    seconds: wholeNumber('--seconds', values.seconds ?? defaults.seconds, 86_400),
    warmupSeconds,
    seed: seedOf(values),
    lines: [...new Set((values.lines ?? defaults.lines).split(',').map((size) => wholeNumber('--lines', size, 1_000)))],
    arrivals: oneOf('--arrivals', values.arrivals, ['poisson', 'fixed']),
  }
}

function engineOptions(pattern: string, values: Values): EngineOptions {
  const settings: EngineSettings = {
    seed: seedOf(values),
    stepsMax: wholeNumber('--steps', values.steps, 1_000_000_000),
    baskets: wholeNumber('--baskets', values.baskets, 100_000_000),
    seconds: wholeNumber('--seconds', values.seconds ?? defaults.caseSeconds, 3_600),
  }
  return { pattern, settings, installPeers: values['install-peers'] }
}

function sizeOptions(values: Values): BenchArguments {
  const hundreds = Math.ceil(wholeNumber('--rows', values.rows, 1_000_000) / 100)
  return { kind: 'size', rows: hundreds * 100, lines: wholeNumber('--lines', values.lines ?? defaults.sizeLines, 200) }
}

function seedOf(values: Values): number {
  return wholeNumber('--seed', values.seed, 2 ** 32 - 1)
}

function wholeNumber(name: string, text: string, highest: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= highest) return number
  throw new Error(`${name} takes a whole number from 1 to ${highest}, not "${text}"`)
}

function oneOf<W extends string>(name: string, text: string, words: readonly W[]): W {
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) throw new Error(`${name} takes ${words.join(' or ')}, not "${text}"`)
  return word
}
