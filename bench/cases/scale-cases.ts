import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { plainMix } from '../load/draw-baskets.js'
import { everydayVisits, type Load } from '../load/plan-load.js'
import { type CpuOfParts, cpuBetween, parts, readCpu } from '../probe/cpu-of-parts.js'
import type { Bench, Stores } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import {
  type BenchCase,
  type CaseLoad,
  figure,
  loadOf,
  middleOf,
  plainBaskets,
  resultOf,
  streamOf,
  target,
} from './bench-case.js'

interface CostKind {
  readonly name: string
  readonly what: string
  readonly rate: number
  readonly load: Partial<CaseLoad>
  /** Largest processor time of a basket, against floor/least's in turns; null: not compared. */
  readonly leastMax: number | null
}

/** A basket and its sale, each once: the sale's cost is this minus the basket's. */
const visits = { ...everydayVisits, thinkMs: 400, changedShare: 0, cancelledShare: 0, failedShare: 0, repeatedShare: 0 }

const costKinds: readonly CostKind[] = [
  { name: 'plain-20', what: 'baskets of 20 lines, nothing limited', rate: 500, load: {}, leastMax: 1.5 },
  {
    name: 'plain-200',
    what: 'baskets of 200 lines, nothing limited',
    rate: 120,
    load: { mix: plainBaskets([200]) },
    leastMax: 2,
  },
  {
    name: 'limited-20',
    what: 'baskets of 20 lines with one limited benefit, half of the limits the members’ own, half one for everyone',
    rate: 150,
    load: { mix: { ...plainMix, lines: [20], couponShare: 1 } },
    leastMax: null,
  },
  { name: 'visit-20', what: 'baskets of 20 lines and their sale events', rate: 150, load: { visits }, leastMax: null },
]

const turns = 3
const idleSeconds = 3
/** Warm-up of each kind, so that compilation is not counted. */
const warmSeconds = 12
/** Time after the last answer until the journal is in the ledger, in milliseconds. */
const settleMs = 1_000

export const scaleCases: readonly BenchCase[] = costKinds.map((kind) => ({
  name: `scale/cpu/${kind.name}`,
  run: (bench: Bench) => cpuCase(bench, kind),
}))

/** With one pricing thread after a warm-up. The figures of bench/costs.json are without the use of idle parts. */
async function* cpuCase(bench: Bench, { name, what, rate, load, leastMax }: CostKind): AsyncGenerator<Result> {
  const server = await bench.once('scale/cpu', () =>
    bench.start({ stores: 'real', catalogue: bench.catalogue, settings: { LOYALTY_WORKERS: '1' } }),
  )
  const stores = { redis: await bench.redis(), postgres: await bench.postgres() }
  const service = { server, stores }
  const loadFor = (part: string, seconds: number, answers: Load['answers'] = 'contract'): Load =>
    loadOf(bench, { name: `scale/cpu/${name}/${part}`, ...load, answers, stages: [{ rate, seconds, counted: true }] })
  await bench.load(server, loadFor('warm', warmSeconds))
  const idle = await cpuOf(service, () => sleep(idleSeconds * 1_000))
  const ratios: number[] = []
  if (leastMax !== null) {
    const least = { server: await bench.floor(), stores: await bench.floorStores() }
    const turn = (side: Side, part: string, answers: Load['answers']) =>
      cpuOf(side, () => bench.load(side.server, loadFor(part, bench.settings.seconds, answers)))
    await turn(least, 'warm least', 'anything')
    for (let at = 0; at < turns; at++) {
      const floor = await turn(least, `least ${at}`, 'anything')
      ratios.push((await turn(service, `turn ${at}`, 'contract')).all / floor.all)
    }
  }
  const walBefore = await walBytes(stores.postgres.url)
  const {
    used,
    tookMs,
    done: report,
  } = await cpuOf(service, () => bench.load(server, loadFor('counted', bench.settings.seconds)))
  const wal = (await walBytes(stores.postgres.url)) - walBefore
  const count = streamOf(report, 'basket').latency.count
  const cost = (part: keyof CpuOfParts) => Math.max(0, used[part] - (idle.used[part] * tookMs) / idle.tookMs) / count
  const figures = [
    ...(leastMax === null ? [] : [figure('of floor/least', middleOf(ratios), 'x')]),
    ...parts.map((part) => figure(part, cost(part), 'us')),
    figure(
      'all',
      parts.reduce((sum, part) => sum + cost(part), 0),
      'us',
    ),
    figure('postgresWal', wal / count, 'bytes'),
    figure('generator', (report.generatorCpu * 1e6) / rate, 'us'),
  ]
  const targets =
    leastMax === null ? [] : [target(`processor time <= ${leastMax} times floor/least`, middleOf(ratios) <= leastMax)]
  const note = `${rate}/s of ${what}; per ${load.visits ? 'visit' : 'request'}, idle time subtracted`
  yield resultOf(`scale/cpu/${name}`, streamOf(report, 'basket'), { report, figures, targets, note })
}

interface Side {
  readonly server: StartedServer
  readonly stores: Stores
}

/** Processor time, in microseconds, while something is done and until the journal is in the ledger. */
async function cpuOf<T>({ server: { pid }, stores: { redis, postgres } }: Side, work: () => Promise<T>) {
  const processes = { gateway: pid, redis: redis.pid, postgres: postgres.pid }
  await sleep(settleMs)
  const [before, beganMs] = [readCpu(processes), performance.now()]
  const done = await work()
  await sleep(settleMs)
  const used = cpuBetween(before, readCpu(processes), pid)
  const all = parts.reduce((sum, part) => sum + used[part], 0)
  return { done, used, all, tookMs: performance.now() - beganMs }
}

async function walBytes(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as bytes`
  await sql.end()
  return row!['bytes']
}
