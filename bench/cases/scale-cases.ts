import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { plainMix } from '../load/draw-baskets.js'
import { everydayVisits, type Load } from '../load/plan-load.js'
import { type CpuOfParts, cpuBetween, type Processes, parts, readCpu } from '../probe/cpu-of-parts.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, type CaseLoad, figure, loadOf, plainBaskets, resultOf, streamOf } from './bench-case.js'

interface CostKind {
  readonly name: string
  readonly what: string
  readonly rate: number
  readonly load: Partial<CaseLoad>
}

/** A basket and its sale, each once: the sale's cost is this minus the basket's. */
const visits = { ...everydayVisits, thinkMs: 400, changedShare: 0, cancelledShare: 0, failedShare: 0, repeatedShare: 0 }

const costKinds: readonly CostKind[] = [
  { name: 'plain-20', what: 'baskets of 20 lines, nothing limited', rate: 500, load: {} },
  { name: 'plain-200', what: 'baskets of 200 lines, nothing limited', rate: 120, load: { mix: plainBaskets([200]) } },
  {
    name: 'limited-20',
    what: 'baskets of 20 lines with one limited benefit, half of the limits the members’ own, half one for everyone',
    rate: 150,
    load: { mix: { ...plainMix, lines: [20], couponShare: 1 } },
  },
  { name: 'visit-20', what: 'baskets of 20 lines and their sale events', rate: 150, load: { visits } },
]

const idleSeconds = 3
/** Warm-up of each kind, so that compilation is not counted. */
const warmSeconds = 12
/** Time after the last answer until the journal is in the ledger, in milliseconds. */
const settleMs = 1_000

export const scaleCases: readonly BenchCase[] = costKinds.map((kind) => ({
  name: `scale/cpu/${kind.name}`,
  run: (bench: Bench) => cpuCase(bench, kind),
}))

/** With one pricing thread after a warm-up; without the use of idle parts. Figures as in bench/costs.json. */
async function* cpuCase(bench: Bench, { name, what, rate, load }: CostKind): AsyncGenerator<Result> {
  const server = await bench.once('scale/cpu', () =>
    bench.start({ stores: 'real', catalogue: bench.catalogue, settings: { LOYALTY_WORKERS: '1' } }),
  )
  const stores = { redis: await bench.redis(), postgres: await bench.postgres() }
  const processes: Processes = { gateway: server.pid, redis: stores.redis.pid, postgres: stores.postgres.pid }
  const loadFor = (part: string, seconds: number): Load =>
    loadOf(bench, { name: `scale/cpu/${name}/${part}`, ...load, stages: [{ rate, seconds, counted: true }] })
  await bench.load(server, loadFor('warm', warmSeconds))
  await sleep(settleMs)
  const atRest = readCpu(processes)
  await sleep(idleSeconds * 1000)
  const idle = cpuBetween(atRest, readCpu(processes), server.pid)
  const [before, walBefore, beganMs] = [readCpu(processes), await walBytes(stores.postgres.url), performance.now()]
  const report = await bench.load(server, loadFor('counted', bench.settings.seconds))
  await sleep(settleMs)
  const used = cpuBetween(before, readCpu(processes), server.pid)
  const idleTimes = (performance.now() - beganMs) / 1000 / idleSeconds
  const wal = (await walBytes(stores.postgres.url)) - walBefore
  const count = streamOf(report, 'basket').latency.count
  const cost = (part: keyof CpuOfParts) => Math.max(0, used[part] - idle[part] * idleTimes) / count
  const figures = [
    ...parts.map((part) => figure(part, cost(part), 'us')),
    figure(
      'all',
      parts.reduce((sum, part) => sum + cost(part), 0),
      'us',
    ),
    figure('postgresWal', wal / count, 'bytes'),
    figure('generator', (report.generatorCpu * 1e6) / rate, 'us'),
  ]
  const note = `${rate}/s of ${what}; per ${load.visits ? 'visit' : 'request'}, idle time subtracted`
  yield resultOf(`scale/cpu/${name}`, streamOf(report, 'basket'), { report, figures, note })
}

async function walBytes(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as bytes`
  await sql.end()
  return row!['bytes']
}
