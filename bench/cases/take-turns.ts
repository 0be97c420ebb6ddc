import type { Bench } from '../run/bench.js'
import type { StartedServer } from '../run/start-server.js'
import { loadOf, middleOf, plainBaskets, streamOf } from './bench-case.js'
import { type LoopReport, runClosedLoop } from './closed-loop.js'

/** Number of turns of each side, so that changes of the machine affect both. */
const turns = 8

type Side = () => Promise<() => Promise<unknown>>

interface Turns {
  readonly inFlight: number
  /** Each prepares the calls of one turn. */
  readonly before: Side
  readonly after: Side
}

export interface TurnsReport {
  /** The turn in the middle by its rate. */
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
  return {
    before: middleByRate(pairs.map((pair) => pair.before)),
    after: middleByRate(pairs.map((pair) => pair.after)),
    ratio: middleOf(pairs.map((pair) => pair.before.perSecond / pair.after.perSecond)),
  }
}

function middleByRate(reports: readonly LoopReport[]): LoopReport {
  const rate = middleOf(reports.map(({ perSecond }) => perSecond))
  return reports.find(({ perSecond }) => perSecond === rate)!
}

const loadRate = 50
const loadLines = 20
const loadTurnsEach = 5
export const turnsNote = `${loadRate}/s of ${loadLines} lines; the ratios are those in the middle of ${loadTurnsEach} turns, the times those of the last`

type Taken = Awaited<ReturnType<typeof loadTurn>>

export async function loadTurn(
  bench: Bench,
  server: StartedServer,
  { name, seconds }: { name: string; seconds: number },
) {
  const stages = [{ rate: loadRate, seconds, counted: true }]
  const report = await bench.load(server, loadOf(bench, { name, mix: plainBaskets([loadLines]), stages }))
  return { report, stream: streamOf(report, 'basket') }
}

/** Two loads in turns: the ratio of their times. */
export async function loadTurns(before: (at: number) => Promise<Taken>, after: (at: number) => Promise<Taken>) {
  const pairs: { readonly before: Taken; readonly after: Taken }[] = []
  for (let at = 0; at < loadTurnsEach; at++) pairs.push({ before: await before(at), after: await after(at) })
  const ratioOf = (name: 'p50' | 'p99') =>
    middleOf(pairs.map((pair) => pair.after.stream.latency[name] / pair.before.stream.latency[name]))
  return { p50: ratioOf('p50'), p99: ratioOf('p99'), last: pairs.at(-1)!.after }
}
