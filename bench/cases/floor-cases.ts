import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import {
  type BenchCase,
  figure,
  loadOf,
  type Measured,
  measureLoad,
  plainBaskets,
  resultOf,
  stagesOf,
  streamOf,
} from './bench-case.js'

/** Rates, by lines, for comparing the service with floors; the service has spare capacity at them. */
export const comparedRates: Readonly<Record<number, number>> = { 1: 200, 8: 200, 20: 200, 200: 80 }

export const floorNotes = {
  echo: 'plain node:http: signature verified, bytes sent back',
  least:
    'plain node:http: signature, JSON.parse, JSON.stringify, one Redis round trip, compressed request to Postgres in batches off the path',
} as const

export interface FloorFigures {
  readonly result: Result
  readonly cpuMs: number
}

export const floorCases: readonly BenchCase[] = (['echo', 'least'] as const).map((kind) => ({
  name: `floor/${kind}`,
  async *run(bench) {
    for (const lines of [20, 200]) yield (await floorAt(bench, kind, lines)).result
  },
}))

/** Measured once per run. */
export function floorAt(bench: Bench, kind: 'echo' | 'least', lines: number): Promise<FloorFigures> {
  const name = `floor/${kind}/${lines}`
  const mix = plainBaskets([lines])
  const stages = stagesOf(comparedRates[lines]!, bench.settings.seconds / 2)
  return bench.once(name, async () => {
    const server = await bench.floor(kind)
    const measure = (load: string) =>
      measureLoad(bench, server, loadOf(bench, { name: load, mix, stages, answers: 'anything' }))
    const tried = await measure(name)
    // One more try when the machine delayed the generator: many results are compared with a floor.
    const measured = tried.report.kept ? tried : await measure(`${name}/again`)
    const cpuMs = cpuOf(measured)
    const stream = streamOf(measured.report, 'basket')
    const figures = [figure('cpu per request', cpuMs, 'ms')]
    const note = `${comparedRates[lines]}/s; ${floorNotes[kind]}`
    return { result: resultOf(name, stream, { report: measured.report, figures, note }), cpuMs }
  })
}

/** Processor time of the server's process per request, in milliseconds. */
export function cpuOf({ reading, requests }: Measured): number {
  return reading.cpuMs / Math.max(1, requests)
}
