import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { costKinds, kneeOf, measureCost, measureKnee, type RequestCost } from '../cases/scale-cases.js'
import { aboutRun } from '../run/about.js'
import { type Bench, createBench } from '../run/bench.js'

/** The committed input of the capacity model. */
export interface Costs {
  readonly measured: {
    readonly at: string
    readonly commit: string
    readonly node: string
    readonly processor: string
    readonly cores: number
  }
  /** By kind: microseconds and bytes, rounded. */
  readonly perRequest: Readonly<Record<string, RequestCost>>
  /** Knees of several processes, with stores and load generator on the same cores. */
  readonly knees: readonly {
    readonly kind: 'plain-20'
    readonly processes: number
    readonly p99Ms: number
    readonly rate: number
  }[]
}

const file = join(import.meta.dirname, '..', '..', '..', 'bench', 'costs.json')

/**
 * `node dist/bench/scale/record-costs.js [--seconds N]` measures every kind of scale/cpu, `--processes N` one of
 * scale/processes. Replaces only the measured values in bench/costs.json.
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '6' }, processes: { type: 'string' } },
})
const bench = createBench({ seed: 1, seconds: Number(values.seconds) }, () => {})
const known: Costs = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { measured: aboutNow(), perRequest: {}, knees: [] }
try {
  const costs =
    values.processes === undefined ? await withCosts(bench) : await withKnee(bench, Number(values.processes))
  writeFileSync(file, `${JSON.stringify(costs, null, 2)}\n`)
} finally {
  await bench.stop()
}

async function withCosts(bench: Bench): Promise<Costs> {
  const perRequest: Record<string, RequestCost> = {}
  for (const kind of costKinds) {
    const { cost, report } = await measureCost(bench, kind)
    perRequest[kind.name] = rounded(cost)
    console.log(kind.name, JSON.stringify(perRequest[kind.name]), report.kept ? '' : '(the generator was late)')
  }
  return { ...known, measured: aboutNow(), perRequest }
}

async function withKnee(bench: Bench, processes: number): Promise<Costs> {
  const { knee } = await measureKnee(bench, processes)
  console.log(`${processes} processes: ${knee}/s`)
  const measured = { kind: 'plain-20', processes, p99Ms: kneeOf.p99, rate: knee } as const
  const others = (known.knees ?? []).filter((each) => each.processes !== processes)
  return { ...known, knees: [...others, measured].sort((left, right) => left.processes - right.processes) }
}

function aboutNow(): Costs['measured'] {
  const { startedAt: at, commit, node, processor, cores } = aboutRun(1)
  return { at, commit, node, processor, cores }
}

function rounded(cost: RequestCost): RequestCost {
  return Object.fromEntries(
    Object.entries(cost).map(([key, value]) => [
      key,
      key === 'redisScripts' ? Number(value.toFixed(2)) : Math.round(value),
    ]),
  ) as unknown as RequestCost
}
