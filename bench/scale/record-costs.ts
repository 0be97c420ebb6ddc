import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  costKinds,
  kneeOf,
  type Layout,
  layouts,
  layoutText,
  measureCost,
  measureKnee,
  type RequestCost,
} from '../cases/scale-cases.js'
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
  /** Knees of several processes and threads, with stores and load generator on the same cores. */
  readonly knees: readonly {
    readonly kind: 'plain-20'
    readonly processes: number
    /** Pricing threads of each. */
    readonly threads: number
    readonly p99Ms: number
    readonly rate: number
  }[]
}

const file = join(import.meta.dirname, '..', '..', '..', 'bench', 'costs.json')

/**
 * `node dist/bench/scale/record-costs.js [--seconds N]` measures every kind of scale/cpu, `--layout 2x1` one of
 * scale/layout. Replaces only the measured values in bench/costs.json.
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '6' }, layout: { type: 'string' } },
})
const bench = createBench({ seed: 1, seconds: Number(values.seconds) }, () => {})
const known: Costs = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { measured: aboutNow(), perRequest: {}, knees: [] }
try {
  const costs = values.layout === undefined ? await withCosts(bench) : await withKnee(bench, layoutNamed(values.layout))
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

function layoutNamed(text: string): Layout {
  const found = layouts.find((layout) => layoutText(layout) === text)
  if (found === undefined) throw new Error(`--layout is one of ${layouts.map(layoutText).join(', ')}`)
  return found
}

async function withKnee(bench: Bench, layout: Layout): Promise<Costs> {
  const { knee } = await measureKnee(bench, layout)
  console.log(`${layoutText(layout)}: ${knee}/s`)
  const measured = { kind: 'plain-20', ...layout, p99Ms: kneeOf.p99, rate: knee } as const
  const others = (known.knees ?? []).filter((each) => layoutText(each) !== layoutText(layout))
  const knees = [...others, measured].sort((left, right) => layoutText(left).localeCompare(layoutText(right)))
  return { ...known, knees }
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
