import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { costKinds, measureCost, type RequestCost } from '../cases/scale-cases.js'
import { aboutRun } from '../run/about.js'
import { createBench } from '../run/bench.js'

/** What one request costs each part, as it is kept with the code for the capacity model: microseconds and bytes, rounded. */
export interface Costs {
  readonly measured: {
    readonly at: string
    readonly commit: string
    readonly node: string
    readonly processor: string
    readonly cores: number
  }
  readonly perRequest: Readonly<Record<string, RequestCost>>
}

/** In the source tree, for it is kept with the code. */
const file = join(import.meta.dirname, '..', '..', '..', 'bench', 'costs.json')

/** `node dist/bench/scale/record-costs.js [--seconds N]`: measures every kind of scale/cpu and writes bench/costs.json. */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } })
const bench = createBench({ seed: 1, seconds: Number(values.seconds) }, () => {})
try {
  const perRequest: Record<string, RequestCost> = {}
  for (const kind of costKinds) {
    const { cost, report } = await measureCost(bench, kind)
    perRequest[kind.name] = rounded(cost)
    console.log(kind.name, JSON.stringify(perRequest[kind.name]), report.kept ? '' : '(the generator was late)')
  }
  const { startedAt: at, commit, node, processor, cores } = aboutRun(1)
  const costs: Costs = { measured: { at, commit, node, processor, cores }, perRequest }
  writeFileSync(file, `${JSON.stringify(costs, null, 2)}\n`)
} finally {
  await bench.stop()
}

function rounded(cost: RequestCost): RequestCost {
  return Object.fromEntries(
    Object.entries(cost).map(([key, value]) => [
      key,
      key === 'redisScripts' ? Number(value.toFixed(2)) : Math.round(value),
    ]),
  ) as unknown as RequestCost
}
