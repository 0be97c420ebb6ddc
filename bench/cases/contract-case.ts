import type { CatalogueSpec } from '../load/catalogue.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { loadOf, plainBaskets, resultOf, target } from './bench-case.js'
import { contractLatency, isContractMet } from './gateway-cases.js'

export interface ContractLoad {
  readonly rate: number
  readonly seconds: number
  readonly stores: 'embedded' | 'real'
}

/** The service compiles its hot paths in this time. */
const warmupSeconds = 5
const lines = [20, 200]
const catalogue: CatalogueSpec = { kind: 'sample' }

/** The basket endpoint by basket size, each checked against the contract's latency; any error misses the target. */
export async function* contractCase(bench: Bench, asked: ContractLoad): AsyncGenerator<Result> {
  const { rate, seconds, stores } = asked
  const service = await bench.start({ stores, catalogue })
  const load = loadOf(bench, {
    name: 'contract',
    catalogue,
    mix: plainBaskets(lines),
    stages: [
      { rate, seconds: warmupSeconds, counted: false },
      { rate, seconds, counted: true },
    ],
  })
  const report = await bench.load(service, load)
  for (const stream of report.streams) {
    const targets = [
      target(
        `contract: p95 <= ${contractLatency.p95}, p99 <= ${contractLatency.p99} ms`,
        isContractMet(stream.latency),
      ),
    ]
    const size = stream.name.replace(/^basket\/?/, '')
    const name = `contract/${size === '' ? 'mixed' : size}`
    yield resultOf(name, stream, { report, targets, note: `${rate}/s, ${stores} stores` })
  }
}
