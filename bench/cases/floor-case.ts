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

export const floorNote =
  'plain node:http: signature, JSON.parse, JSON.stringify, one Redis round trip, compressed request to Postgres in batches off the path'

/** The rate of each size leaves capacity. */
const sizes = [
  { lines: 20, rate: 200 },
  { lines: 200, rate: 80 },
]

export const floorCase: BenchCase = {
  name: 'floor/least',
  async *run(bench) {
    for (const { lines, rate } of sizes) {
      const name = `floor/least/${lines}`
      const stages = stagesOf(rate, bench.settings.seconds / 2)
      const load = loadOf(bench, { name, mix: plainBaskets([lines]), stages, answers: 'anything' })
      const measured = await measureLoad(bench, await bench.floor(), load)
      const { report } = measured
      const figures = [figure('cpu per request', cpuOf(measured), 'ms')]
      yield resultOf(name, streamOf(report, 'basket'), { report, figures, note: `${rate}/s; ${floorNote}` })
    }
  },
}

/** Processor time of the server's process per request, in milliseconds. */
export function cpuOf({ reading, requests }: Measured): number {
  return reading.cpuMs / Math.max(1, requests)
}
