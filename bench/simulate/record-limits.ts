import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCase } from '../cases/bench-case.js'
import { ledgerSizeCase } from '../cases/ledger-size-case.js'
import { storeCases } from '../cases/store-cases.js'
import { aboutRun } from '../run/about.js'
import { createBench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { costsFolder, type Limits } from './costs.js'

/**
 * `node dist/bench/simulate/record-limits.js`: measures what bounds the service beside processor time, and writes it into bench/limits.json;
 * takes a minute.
 */
const bench = createBench({ seed: 1, seconds: 3 }, () => {})
try {
  const { startedAt: at, commit, processor, cores } = aboutRun(1)
  const size = await resultOf(ledgerSizeCase)
  const perVisit = (table: string) => Math.round(figureOf(size, `${table} per million`) * 1_000)
  const stays = perVisit('calculation') + perVisit('sale') + perVisit('reservation')
  const hot = await resultOf(storeCases.find(({ name }) => name === 'postgres/confirm-hot')!)
  const limits: Limits = {
    measured: { at, commit, processor, cores },
    bytesPerVisit: { bodies: perVisit('calculation_body'), stays },
    hotLimitPerSecond: Math.round(figureOf(hot, 'rate')),
  }
  writeFileSync(join(costsFolder, 'limits.json'), `${JSON.stringify(limits, null, 2)}\n`)
  console.log(JSON.stringify(limits))
} finally {
  await bench.stop()
}

async function resultOf(one: BenchCase): Promise<Result> {
  let last: Result | undefined
  for await (const result of one.run(bench)) last = result
  return last!
}

function figureOf({ name, figures }: Result, wanted: string): number {
  const found = figures.find((one) => one.name === wanted)
  if (found === undefined) throw new Error(`${name} has no figure ${wanted}`)
  return found.value
}
