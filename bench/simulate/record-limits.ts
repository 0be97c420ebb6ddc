import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BenchCase, loadOf } from '../cases/bench-case.js'
import { ledgerSizeCase } from '../cases/ledger-size-case.js'
import { costKinds } from '../cases/scale-cases.js'
import { storeCases } from '../cases/store-cases.js'
import { aboutRun } from '../run/about.js'
import { type Bench, createBench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { costsFolder, type Limits } from './costs.js'

const generatorSeconds = 5
const hotCase = 'postgres/confirm-hot'

const file = join(costsFolder, 'limits.json')

/**
 * `node dist/bench/simulate/record-limits.js [--part disk|rates]`: measures what bounds the service beside processor time, and writes it
 * into bench/limits.json; without a part both, a minute.
 */
const { values } = parseArgs({ options: { part: { type: 'string' } } })
const bench = createBench({ seed: 1, seconds: 3 }, () => {})
try {
  const { startedAt: at, commit, processor, cores } = aboutRun(1)
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Limits) : null
  const limits = {
    ...known,
    measured: { at, commit, processor, cores },
    ...(values.part === 'rates' ? {} : await measureDisk()),
    ...(values.part === 'disk' ? {} : await measureRates()),
  }
  writeFileSync(file, `${JSON.stringify(limits, null, 2)}\n`)
  console.log(JSON.stringify(limits))
} finally {
  await bench.stop()
}

async function measureDisk(): Promise<Pick<Limits, 'bytesPerVisit'>> {
  const size = await run(ledgerSizeCase)
  const perVisit = (name: string) => Math.round(figureOf(size, `${name} per million`) * 1_000)
  const stays = perVisit('calculation') + perVisit('sale') + perVisit('reservation')
  return { bytesPerVisit: { bodies: perVisit('calculation_body'), stays } }
}

async function measureRates(): Promise<Omit<Limits, 'bytesPerVisit' | 'measured'>> {
  const generator = Math.round(await generatorMicros(bench))
  const hot = await run(storeCases.find(({ name }) => name === hotCase)!)
  return { hotLimitPerSecond: Math.round(figureOf(hot, 'rate')), generator }
}

async function run(one: BenchCase): Promise<Result> {
  let last: Result | undefined
  for await (const result of one.run(bench)) last = result
  return last!
}

function figureOf({ name, figures }: Result, wanted: string): number {
  const found = figures.find((one) => one.name === wanted)
  if (found === undefined) throw new Error(`${name} has no figure ${wanted}`)
  return found.value
}

/** Processor time of the generator for a request at a rate with room. */
async function generatorMicros(bench: Bench): Promise<number> {
  const server = await bench.once('scale/cpu', () =>
    bench.start({ stores: 'real', catalogue: bench.catalogue, settings: { LOYALTY_WORKERS: '1' } }),
  )
  const { rate, load } = costKinds[0]!
  const stages = [{ rate, seconds: generatorSeconds, counted: true }]
  const { generatorCpu } = await bench.load(server, loadOf(bench, { name: 'generator', ...load, stages }))
  return (generatorCpu * 1e6) / rate
}
