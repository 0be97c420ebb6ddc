import { parseArgs } from 'node:util'
import { searchStepsMax } from '../engine/core/base/costs.js'
import type { ContractLoad } from './cases/contract-case.js'
import type { BenchSettings } from './run/bench.js'

export interface BenchOptions {
  readonly settings: BenchSettings
  readonly what: /** Cases whose names hold one of the patterns; none: all of them. */
    | { readonly kind: 'cases'; readonly patterns: readonly string[] }
    | { readonly kind: 'contract'; readonly load: ContractLoad }
    /** `record`: store the measured ratios instead of comparing with them. */
    | { readonly kind: 'guard'; readonly record: boolean }
    | { readonly kind: 'list' }
}

export type BenchArguments =
  | { readonly kind: 'options'; readonly options: BenchOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

export const help = `Measures the engine, its threads, the stores and the whole service, beside floors and peers in the same run.

  npm run bench                       every case but peers/end-to-end, which installs two shops; about 15 minutes
  npm run bench -- gateway ladder     cases whose names contain one of the words; * is a wildcard
  npm run bench -- --list             the names

  --seed N            the same seed gives the same programmes, baskets and arrivals. Default: 1
  --seconds N         counted time of a case; some take several times that. Default: 4
  --steps N           search budget of the engine's cases. Default: ${searchStepsMax}, the service's own
  --baskets N         baskets of engine/search/realistic. Default: 2000

One load checked against the contract's latency (p95 150 ms, p99 250 ms); any error is a miss:

  npm run bench -- --smoke            50 requests a second for 30 s, 20- and 200-line baskets mixed
  npm run bench -- --smoke --stores real      the same with its own Redis and Postgres

  --rate N            requests a second. Default: 50
  --seconds N         counted time, after 5 s of warm-up. Default: 30
  --stores KIND       embedded or real. Default: embedded

For CI: the service's processor time compared with floor/least's, and the contract's latency at 50 requests a second:

  npm run bench -- --guard            compare with bench/guard.json
  npm run bench -- --guard --record   write bench/guard.json

Exit code 1 where a target is missed, an answer is wrong, or the generator could not keep its rate.`

const defaults = {
  rate: '50',
  contractSeconds: '30',
  caseSeconds: '4',
  steps: String(searchStepsMax),
  baskets: '2000',
  seed: '1',
  stores: 'embedded',
} as const

export function readOptions(words: readonly string[]): BenchArguments {
  try {
    const { values, positionals } = parseWords(words)
    if (values.help) return { kind: 'help' }
    const seed = wholeNumber('--seed', values.seed, 2 ** 32 - 1)
    const settings: BenchSettings = {
      seed,
      seconds: wholeNumber('--seconds', values.seconds ?? defaults.caseSeconds, 86_400),
      stepsMax: wholeNumber('--steps', values.steps, 1_000_000_000),
      baskets: wholeNumber('--baskets', values.baskets, 100_000_000),
    }
    return { kind: 'options', options: { settings, what: whatOf(values, positionals) } }
  } catch (error) {
    return { kind: 'wrong', message: (error as Error).message }
  }
}

type Values = ReturnType<typeof parseWords>['values']

function whatOf(values: Values, patterns: readonly string[]): BenchOptions['what'] {
  const modes = [values.list, values.smoke, values.guard, patterns.length > 0].filter(Boolean).length
  if (modes > 1) throw new Error('--list, --smoke, --guard and names of cases do not go together')
  if (values.record && !values.guard) throw new Error('--record goes with --guard')
  const own = (['rate', 'stores'] as const).filter((name) => values[name])
  if (own.length > 0 && !values.smoke) throw new Error(`--${own[0]} goes with --smoke`)
  if (values.list) return { kind: 'list' }
  if (values.guard) return { kind: 'guard', record: values.record }
  if (values.smoke) return { kind: 'contract', load: contractLoad(values) }
  return { kind: 'cases', patterns }
}

function parseWords(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      guard: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      rate: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string', default: defaults.seed },
      stores: { type: 'string' },
      steps: { type: 'string', default: defaults.steps },
      baskets: { type: 'string', default: defaults.baskets },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
}

function contractLoad(values: Values): ContractLoad {
  return {
    rate: wholeNumber('--rate', values.rate ?? defaults.rate, 100_000),
    seconds: wholeNumber('--seconds', values.seconds ?? defaults.contractSeconds, 86_400),
    stores: oneOf('--stores', values.stores ?? defaults.stores, ['embedded', 'real']),
  }
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
