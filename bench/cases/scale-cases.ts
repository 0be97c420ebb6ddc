import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import { plainMix } from '../load/draw-baskets.js'
import { everydayVisits, type Load } from '../load/plan-load.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { type CpuOfParts, cpuBetween, type Processes, parts, readCpu } from '../scale/cpu-of-parts.js'
import { type BenchCase, type CaseLoad, figure, loadOf, plainBaskets, resultOf, streamOf } from './bench-case.js'
import { climb } from './ladder-cases.js'

interface CostKind {
  readonly name: string
  readonly what: string
  readonly rate: number
  readonly load: Partial<CaseLoad>
}

/** A basket and its sale, each once: the sale's cost is this minus the basket's. */
const visits = { ...everydayVisits, thinkMs: 400, changedShare: 0, cancelledShare: 0, failedShare: 0, repeatedShare: 0 }

export const costKinds: readonly CostKind[] = [
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

/** Processes, and pricing threads of each. */
export const layouts = [
  { processes: 1, threads: 1 },
  { processes: 1, threads: 2 },
  { processes: 2, threads: 1 },
  { processes: 2, threads: 2 },
  { processes: 4, threads: 1 },
] as const
export type Layout = { readonly processes: number; readonly threads: number }
const idleSeconds = 3
/** Warm-up of each kind, so that compilation is not counted. */
const warmSeconds = 12
/** Time after the last answer until the journal is in the ledger, in milliseconds. */
const settleMs = 1_000
export const kneeOf = { lines: 20, firstRate: 200, p99: 50 }

export const scaleCases: readonly BenchCase[] = [
  ...costKinds.map((kind) => ({ name: `scale/cpu/${kind.name}`, run: (bench: Bench) => cpuCase(bench, kind) })),
  ...layouts.map((layout) => ({
    name: `scale/layout/${layoutText(layout)}`,
    run: (bench: Bench) => layoutCase(bench, layout),
  })),
]

/** Cost of one request to each part, in microseconds of processor time and in bytes. */
export interface RequestCost extends CpuOfParts {
  readonly redisIn: number
  readonly redisOut: number
  /** Scripts run by Redis. */
  readonly redisScripts: number
  readonly postgresWal: number
  /** The load generator, on the same cores here but not in production. */
  readonly generator: number
}

async function* cpuCase(bench: Bench, kind: CostKind): AsyncGenerator<Result> {
  const { cost, idle, report } = await measureCost(bench, kind)
  const sum = parts.reduce((total, part) => total + cost[part], 0)
  const figures = [
    ...parts.map((part) => figure(part, cost[part], 'us')),
    figure('all', sum, 'us'),
    figure('redis scripts', cost.redisScripts, ''),
    figure('redis in', cost.redisIn, 'bytes'),
    figure('redis out', cost.redisOut, 'bytes'),
    figure('postgres wal', cost.postgresWal, 'bytes'),
  ]
  const idleText = parts.map((part) => `${part} ${(idle[part] / 1000).toFixed(1)}`).join(', ')
  const note = `${kind.rate}/s of ${kind.what}; per ${kind.load.visits ? 'visit' : 'request'}, idle time subtracted (ms a second: ${idleText})`
  yield resultOf(`scale/cpu/${kind.name}`, streamOf(report, 'basket'), { report, figures, note })
}

/** Measures with one pricing thread after a warm-up, and subtracts what the parts use while idle. */
export async function measureCost(bench: Bench, { name, rate, load }: CostKind) {
  const server = await bench.once('scale/cpu', () =>
    bench.start({ stores: 'real', catalogue: bench.catalogue, settings: { LOYALTY_WORKERS: '1' } }),
  )
  const [redis, postgres] = [await bench.redis(), await bench.postgres()]
  const processes: Processes = { gateway: server.pid, redis: redis.pid, postgres: postgres.pid }
  const loadFor = (part: string, seconds: number): Load =>
    loadOf(bench, { name: `scale/cpu/${name}/${part}`, ...load, stages: [{ rate, seconds, counted: true }] })
  await bench.load(server, loadFor('warm', warmSeconds))
  await sleep(settleMs)
  const bytes = await openByteCounters(redis.url, postgres.url)
  const atRest = readCpu(processes)
  await sleep(idleSeconds * 1000)
  const idle = scaled(cpuBetween(atRest, readCpu(processes), server.pid), 1 / idleSeconds)
  const [before, bytesBefore, beganMs] = [readCpu(processes), await bytes.read(), performance.now()]
  const report = await bench.load(server, loadFor('counted', bench.settings.seconds))
  await sleep(settleMs)
  const used = cpuBetween(before, readCpu(processes), server.pid)
  const [bytesAfter, seconds] = [await bytes.read(), (performance.now() - beganMs) / 1000]
  await bytes.close()
  const count = streamOf(report, 'basket').latency.count
  const busy = Object.fromEntries(parts.map((part) => [part, Math.max(0, used[part] - idle[part] * seconds) / count]))
  const moved = Object.fromEntries(
    Object.entries(bytesAfter).map(([key, value]) => [key, (value - bytesBefore[key as keyof Bytes]) / count]),
  )
  const generator = (report.generatorCpu * 1e6) / rate
  return { cost: { ...busy, ...moved, generator } as unknown as RequestCost, idle, report }
}

function scaled(cpu: CpuOfParts, factor: number): CpuOfParts {
  return Object.fromEntries(parts.map((part) => [part, cpu[part] * factor])) as unknown as CpuOfParts
}

type Bytes = Pick<RequestCost, 'redisIn' | 'redisOut' | 'redisScripts' | 'postgresWal'>

async function openByteCounters(redisUrl: string, postgresUrl: string) {
  const redis = new Redis(redisUrl)
  const sql = postgres(postgresUrl, { max: 1 })
  return {
    async read(): Promise<Bytes> {
      const info = `${await redis.info('stats')}\n${await redis.info('commandstats')}`
      const number = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0)
      const [row] = await sql`select (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as bytes`
      return {
        redisIn: number(/^total_net_input_bytes:(\d+)/m),
        redisOut: number(/^total_net_output_bytes:(\d+)/m),
        redisScripts: number(/^cmdstat_evalsha:calls=(\d+)/m),
        postgresWal: row!['bytes'],
      }
    },
    async close() {
      redis.disconnect()
      await sql.end()
    },
  }
}

/** Such as `2x1`: processes by pricing threads of each. */
export function layoutText({ processes, threads }: Layout): string {
  return `${processes}x${threads}`
}

async function* layoutCase(bench: Bench, layout: Layout): AsyncGenerator<Result> {
  yield (await measureKnee(bench, layout)).result
}

export async function measureKnee(bench: Bench, layout: Layout) {
  const { processes, threads } = layout
  const settings = { LOYALTY_PROCESSES: String(processes), LOYALTY_WORKERS: String(threads) }
  const server: StartedServer = await bench.start({ stores: 'real', catalogue: bench.catalogue, settings })
  const name = `scale/layout/${layoutText(layout)}`
  const stages = [{ rate: 300, seconds: 8 * processes * threads, counted: true }]
  await bench.load(server, loadOf(bench, { name: `${name}/warm`, stages }))
  const climbed = await climb(bench, kneeOf, { server, kind: 'service', name })
  await bench.release(server)
  return climbed
}
