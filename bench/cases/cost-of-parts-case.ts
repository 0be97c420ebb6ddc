import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadReport } from '../load/run-load.js'
import { type Processes, processCpu, readCpu, sumOf } from '../probe/cpu-of-parts.js'
import { type ProfiledPart, profiledParts } from '../probe/part-of-frame.js'
import type { ThreadProfile } from '../probe/profile-threads.js'
import { flameGraph, splitProfile } from '../probe/split-profile.js'
import type { Bench, Stores } from '../run/bench.js'
import { benchFolder } from '../run/report.js'
import type { Result, TableRow } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { type BenchCase, figure, loadOf, plainBaskets, resultOf, streamOf, target } from './bench-case.js'
import { type LadderSize, ladderSizes, serviceKnee } from './ladder-cases.js'

/** Rows besides those of the profiled threads: other threads of the gateway, and the stores' servers. */
const otherRows = ['V8 and file threads', 'redis server', 'postgres server'] as const
type Row = ProfiledPart | (typeof otherRows)[number]
const rows: readonly Row[] = [...profiledParts, ...otherRows]

/** Two loads of each kind in turn, so that a slow moment of the machine meets all. */
const turns = 2
/** Largest processor time of a basket, against floor/least's at the same rate, by lines. */
const againstLeastMax: Readonly<Record<number, number>> = { 20: 1.5, 200: 2 }
const againstLeast = 'of floor/least'
/** Time after the last answer until the journal is in the ledger, in milliseconds. */
const settleMs = 1_000
/** Largest distance of the table's sum from the processor time measured without profiles. */
const gapMax = 0.05

/** Processor time of a basket by part, at half the knee: one table for both sizes, and a flame graph of each. */
export const costOfPartsCase: BenchCase = { name: 'gateway/cost', run: costOfParts }

async function* costOfParts(bench: Bench): AsyncGenerator<Result> {
  const columns: Column[] = []
  for (const size of ladderSizes) {
    const column = await measureColumn(bench, size.lines, await rateFor(bench, size))
    columns.push(column)
    const table = columns.length === ladderSizes.length ? tableOf(columns) : []
    yield { ...columnResult(column), ...(table.length > 0 ? { table } : {}) }
  }
}

interface Rate {
  readonly perSecond: number
  readonly chosen: string
}

async function rateFor(bench: Bench, size: LadderSize): Promise<Rate> {
  const knee = await serviceKnee(bench, size)
  if (knee > 0) return { perSecond: Math.round(knee / 2), chosen: "half of this run's knee" }
  return { perSecond: size.firstRate / 4, chosen: 'as no rate held in this run' }
}

interface Column {
  readonly lines: number
  readonly rate: Rate
  /** Microseconds per basket by row. */
  readonly micros: ReadonlyMap<Row, number>
  /** Microseconds per basket of all processes, by the `stat` of each. */
  readonly statMicros: number
  /** The same for floor/least and its stores. */
  readonly leastMicros: number
  readonly report: LoadReport
  readonly file: string
}

async function measureColumn(bench: Bench, lines: number, rate: Rate): Promise<Column> {
  const server = await bench.service()
  const least = await bench.floor('least')
  const ids = idsOf(server, { redis: await bench.redis(), postgres: await bench.postgres() })
  const leastIds = idsOf(least, await bench.leastStores())
  const run = async (on: StartedServer, name: string) => {
    const stages = [{ rate: rate.perSecond, seconds: bench.settings.seconds, counted: true }]
    const mix = plainBaskets([lines])
    const answers = on === least ? 'anything' : 'contract'
    return await bench.load(on, loadOf(bench, { name: `gateway/cost/${lines}/${name}`, mix, answers, stages }))
  }
  await run(server, 'warm')
  await run(least, 'least warm')
  const [total, leastTotal] = [noTotals(), noTotals()]
  const profiles: ThreadProfile[][] = []
  let report: LoadReport | null = null
  for (let turn = 0; turn < turns; turn += 1) {
    await countRun(leastTotal, leastIds, () => run(least, `least ${turn}`))
    report = await countRun(total, ids, () => run(server, `counted ${turn}`))
    profiles.push(await profileRun(server, () => run(server, `profiled ${turn}`)))
  }
  return {
    ...{ lines, rate, report: report! },
    micros: new Map([...splitCpu(total, profiles.flat())].map(([row, micros]) => [row, micros / total.baskets])),
    statMicros: total.statMicros / total.baskets,
    leastMicros: leastTotal.statMicros / leastTotal.baskets,
    file: writeFlameGraph(lines, profiles.at(-1)!),
  }
}

function idsOf({ pid }: StartedServer, { redis, postgres }: Stores): Processes {
  return { gateway: pid, redis: redis.pid, postgres: postgres.pid }
}

/** Processor time of the runs without profiles, in microseconds: profiles themselves take 13 to 17 % more. */
interface Totals {
  /** By the kernel's id of each thread of the gateway. */
  readonly used: Map<number, number>
  readonly stores: Map<Row, number>
  statMicros: number
  baskets: number
}

function noTotals(): Totals {
  return { used: new Map(), stores: new Map(), statMicros: 0, baskets: 0 }
}

async function countRun(total: Totals, ids: Processes, run: () => Promise<LoadReport>): Promise<LoadReport> {
  await sleep(settleMs)
  const [before, statBefore] = [readCpu(ids), processCpu(ids)]
  const report = await run()
  await sleep(settleMs)
  const after = readCpu(ids)
  total.statMicros += processCpu(ids) - statBefore
  total.baskets += streamOf(report, 'basket').latency.count
  for (const [id, micros] of after.gateway) add(total.used, id, micros - (before.gateway.get(id) ?? 0))
  add(total.stores, 'redis server', after.redis - before.redis)
  add(total.stores, 'postgres server', after.postgres - before.postgres)
  return report
}

async function profileRun(server: StartedServer, run: () => Promise<unknown>): Promise<ThreadProfile[]> {
  await server.profile('start')
  await run()
  return [...(await server.profile('stop'))]
}

/** The processor time of each thread that runs JavaScript, split as its profiles are. */
function splitCpu({ used, stores }: Totals, profiles: readonly ThreadProfile[]): ReadonlyMap<Row, number> {
  const micros = new Map<Row, number>(stores)
  const others = new Map(used)
  for (const id of new Set(profiles.map(({ threadId }) => threadId))) {
    const sampled = new Map<Row, number>()
    for (const profile of profiles.filter(({ threadId }) => threadId === id)) {
      for (const [part, time] of splitProfile(profile)) add(sampled, part, time)
    }
    const [cpu, busy] = [used.get(id), sumOf(sampled)]
    // It began after the counted turns, or slept in the profiled ones.
    if (cpu === undefined || busy === 0) continue
    for (const [part, time] of sampled) add(micros, part, (cpu * time) / busy)
    others.delete(id)
  }
  add(micros, 'V8 and file threads', sumOf(others))
  return micros
}

function add<K>(sums: Map<K, number>, key: K, more: number): void {
  sums.set(key, (sums.get(key) ?? 0) + more)
}

function writeFlameGraph(lines: number, threads: readonly ThreadProfile[]): string {
  mkdirSync(benchFolder, { recursive: true })
  const file = join(benchFolder, `cost-${lines}.speedscope.json`)
  writeFileSync(file, flameGraph(`gateway, ${lines} lines`, threads))
  return file
}

function columnResult({ lines, rate, micros, statMicros, leastMicros, report, file }: Column): Result {
  const sum = sumOf(micros)
  const gap = sum / statMicros - 1
  const figures = [
    ...rows.map((row) => figure(row, micros.get(row) ?? 0, 'us')),
    figure('sum', sum, 'us'),
    figure('measured', statMicros, 'us'),
    figure('floor/least', leastMicros, 'us'),
    figure(againstLeast, statMicros / leastMicros, 'x'),
  ]
  const mostOfLeast = againstLeastMax[lines]!
  const text = `the sum is within ${gapMax * 100} % of the processes' processor time (${(gap * 100).toFixed(1)} %)`
  const note = `${rate.perSecond}/s, ${rate.chosen}; flame graph of the gateway in ${file}`
  return resultOf(`gateway/cost/${lines}`, streamOf(report, 'basket'), {
    ...{ report, figures, note },
    targets: [
      target(`processor time <= ${mostOfLeast} times floor/least`, statMicros <= mostOfLeast * leastMicros),
      target(text, Math.abs(gap) <= gapMax),
    ],
  })
}

function tableOf(columns: readonly Column[]): readonly TableRow[] {
  const row = (name: string, value: (column: Column) => number): TableRow => ({
    name,
    cells: columns.flatMap((column) => [
      figure(`${column.lines} lines`, value(column), 'us'),
      figure('', (100 * value(column)) / sumOf(column.micros), '%'),
    ]),
  })
  return [
    ...rows.map((name) => row(name, ({ micros }) => micros.get(name) ?? 0)),
    row('sum', ({ micros }) => sumOf(micros)),
    row('measured', ({ statMicros }) => statMicros),
    row('floor/least', ({ leastMicros }) => leastMicros),
  ]
}
