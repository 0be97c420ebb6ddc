import { readFileSync } from 'node:fs'
import type { RunningService } from '../../e2e/service.js'
import { Dice } from '../../support/dice.js'

export interface FuzzRun {
  readonly service: RunningService
  /** Bearer token of an admin. */
  readonly token: string
  readonly seed: number
  readonly cases: number
}

/** The result of a run: count of each answer, and the first hundred faults. */
export class Tally {
  readonly counts = new Map<string, number>()
  readonly wrong: string[] = []
  wrongCount = 0

  count(answer: string): void {
    this.counts.set(answer, (this.counts.get(answer) ?? 0) + 1)
  }

  fault(index: number, what: string): void {
    this.wrongCount += 1
    if (this.wrong.length < 100) this.wrong.push(`case ${index}: ${what}`)
  }

  text(): string {
    return [...this.counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([answer, count]) => `${answer} ${count}`)
      .join(', ')
  }
}

/** A kind of hostile input, drawn and judged case by case; several cases run at once. */
export interface Fuzzer {
  readonly name: string
  readonly atOnce: number
  open(run: FuzzRun): Promise<{ one(index: number, dice: Dice, tally: Tally): Promise<void>; close(): Promise<void> }>
}

/** Runs a fuzzer over its cases; every case has its own seed, from the run's seed and its number. */
export async function runFuzzer(fuzzer: Fuzzer, run: FuzzRun): Promise<Tally> {
  const tally = new Tally()
  const { one, close } = await fuzzer.open(run)
  let next = 0
  const pooled = async () => {
    while (next < run.cases && tally.wrongCount < 1_000) {
      const index = next
      next += 1
      await one(index, new Dice(run.seed * 0x9e3779b1 + index), tally)
    }
  }
  await Promise.all(Array.from({ length: fuzzer.atOnce }, pooled))
  await close()
  return tally
}

/** Resident memory of a process, megabytes. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
