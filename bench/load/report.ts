import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { errorsIn, type Spread, type Tallies, type Tally } from './tally.js'

/** What the contract asks of the basket endpoint at 50 requests a second, in milliseconds (contract 8). */
export const contractLatency = { p95: 150, p99: 250 }
/** A generator whose 99th percentile is later than this disturbs what it measures, in milliseconds. */
const lateMax = 5

export interface Report {
  readonly lines: readonly string[]
  /** Whether every case kept to the contract's latency and nothing went wrong. */
  readonly kept: boolean
}

/** @param about  what a figure is worth nothing without: seed, commit, node, processor */
export function reportOf(tallies: Tallies, about: string): Report {
  const cases = tallies.cases()
  const late = tallies.lateness()
  const kept = cases.every(isKept)
  return {
    kept,
    lines: [
      ...cases.map((one) => `${one.name.padEnd(24)} ${spreadText(one.latency)}  ${countsText(one)}  ${about}`),
      `generator late           ${spreadText(late)}${late.p99 > lateMax ? '  THE GENERATOR ITSELF WAS LATE: these figures hold its own delay' : ''}`,
      `contract                 p95 ${contractLatency.p95} ms, p99 ${contractLatency.p99} ms, no errors: ${kept ? 'kept' : 'MISSED'}`,
    ],
  }
}

function isKept(one: Tally): boolean {
  const { p95, p99 } = one.latency
  return one.count > 0 && p95 <= contractLatency.p95 && p99 <= contractLatency.p99 && errorsIn(one) === 0
}

function spreadText({ p50, p95, p99, max }: Spread): string {
  return `p50 ${ms(p50)}  p95 ${ms(p95)}  p99 ${ms(p99)}  max ${ms(max)}`
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 2 : 0)} ms`.padStart(9)
}

function countsText({ count, outcomes }: Tally): string {
  const words = [...outcomes].sort().map(([word, times]) => `${word} ${times}`)
  return `${count} answers (${words.join(', ')})`
}

/** Seed, commit, Node version and processor of this run, in one line. */
export function aboutRun(seed: number): string {
  const [first] = cpus()
  const processor = first === undefined ? 'unknown processor' : `${cpus().length} x ${first.model.trim()}`
  return `seed ${seed}, commit ${commit()}, node ${process.versions.node}, ${processor}`
}

function commit(): string {
  try {
    const git = (...words: string[]) =>
      execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const changed = git('status', '--porcelain').trim() === '' ? '' : '+changes'
    return `${git('rev-parse', '--short', 'HEAD').trim()}${changed}`
  } catch {
    return 'unknown'
  }
}
