import type { Bench } from '../run/bench.js'
import { type LoopReport, runClosedLoop } from './closed-loop.js'

/** How often two sides take turns: the machine's moods meet both. */
const turns = 8

type Side = () => Promise<() => Promise<unknown>>

interface Turns {
  readonly inFlight: number
  /** Each prepares the calls of one turn. */
  readonly before: Side
  readonly after: Side
}

export interface TurnsReport {
  /** The turn in the middle by its rate, the slower of two. */
  readonly before: LoopReport
  readonly after: LoopReport
  /** Rate before, divided by the rate after, turn by turn; the one in the middle. */
  readonly ratio: number
}

/** Measures two sides in turns, each for the case's time in all. */
export async function takeTurns(bench: Bench, { inFlight, before, after }: Turns): Promise<TurnsReport> {
  const loop = { seconds: bench.settings.seconds / turns, inFlight }
  const pairs: Omit<TurnsReport, 'ratio'>[] = []
  for (let turn = 0; turn < turns; turn++) {
    pairs.push({
      before: await runClosedLoop(loop, await before()),
      after: await runClosedLoop(loop, await after()),
    })
  }
  const rate = (report: LoopReport) => report.perSecond
  return {
    before: middle(
      pairs.map((pair) => pair.before),
      rate,
    ),
    after: middle(
      pairs.map((pair) => pair.after),
      rate,
    ),
    ratio: middle(
      pairs.map((pair) => rate(pair.before) / rate(pair.after)),
      (ratio) => ratio,
    ),
  }
}

function middle<T>(of: readonly T[], by: (one: T) => number): T {
  return of.toSorted((left, right) => by(left) - by(right))[Math.floor((of.length - 1) / 2)]!
}
