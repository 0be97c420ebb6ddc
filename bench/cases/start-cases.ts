import postgres from 'postgres'
import { everydayMix, plainMix } from '../load/draw-baskets.js'
import { everydayVisits } from '../load/plan-load.js'
import type { LoadReport } from '../load/run-load.js'
import type { ProbeReading } from '../probe/probe.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import {
  type BenchCase,
  figure,
  loadOf,
  measureLoad,
  resultOf,
  stagesOf,
  streamOf,
  target,
  within,
} from './bench-case.js'
import { serverFigures } from './gateway-cases.js'

const readyMaxMs = 2_000
const firstAnswers = 100
const firstRate = 50

/** The history of `mixed`: that of a large retailer. */
const versions = 10_000
const membersStored = 200_000
const membersMeant = 1_000_000
const counters = 100_000

const membersSeen = 20_000
const membersCached = 100_000
const memoryMaxMb = 300
const memoryWorkers = 4
/** Four threads on a small machine compile for some seconds; then a rate without refusals. */
const memoryWarmSeconds = 8
const memoryRate = 500
const memoryLong = 3

export const startCases: readonly BenchCase[] = [
  { name: 'cold', run: coldCase },
  { name: 'mixed', run: mixedCase },
  { name: 'resident', run: memoryCase },
]

/** From process start to the first answers, embedded: with an empty data folder, then with the same one again. */
async function* coldCase(bench: Bench): AsyncGenerator<Result> {
  const settings = { LOYALTY_DATA: bench.folder('cold') }
  for (const at of ['first', 'second'] as const) {
    const service = await bench.start({ stores: 'embedded', catalogue: { kind: 'sample' }, settings })
    const name = `cold/${at}-start`
    const load = loadOf(bench, {
      name,
      catalogue: { kind: 'sample' },
      mix: { ...plainMix, lines: [8] },
      arrivals: 'fixed',
      stages: [{ rate: firstRate, seconds: firstAnswers / firstRate, counted: true }],
    })
    const report = await bench.load(service, load)
    await bench.release(service)
    const figures = [figure('ready after', service.startMs, 'ms')]
    const targets = [target(`ready within ${readyMaxMs / 1000} s`, service.startMs <= readyMaxMs)]
    const where = at === 'first' ? 'an empty folder' : 'the folder of the start before'
    const note = `embedded stores in ${where}, the first ${firstAnswers} answers`
    yield resultOf(name, streamOf(report, 'basket'), { report, figures, targets, note })
  }
}

async function* mixedCase(bench: Bench): AsyncGenerator<Result> {
  const catalogue = { ...bench.catalogue, members: membersStored }
  const databaseUrl = await (await bench.postgres()).createDatabase()
  const settings = { DATABASE_URL: databaseUrl }
  const founded = await bench.start({ stores: 'real', catalogue, settings })
  await bench.release(founded)
  const filledMs = await fillDatabase(databaseUrl)
  const service = await bench.start({ stores: 'real', catalogue, settings })
  const load = loadOf(bench, {
    name: 'mixed',
    catalogue,
    mix: everydayMix,
    visits: everydayVisits,
    stages: stagesOf(50, bench.settings.seconds * 3),
  })
  const measured = await measureLoad(bench, service, load)
  await bench.release(service)
  const stream = streamOf(measured.report, 'basket')
  const figures = [
    ...serverFigures(measured),
    figure('ready after', service.startMs, 'ms'),
    figure('filled in', filledMs / 1000, 's'),
  ]
  const targets = within(stream.latency, { p95: 5, p99: 10, p999: 25 })
  const note = `50 visits a second on ${versions} programme versions (small ones before the present), ${membersStored} members (of ${membersMeant} meant: scaled down), ${counters} counters of past periods`
  yield resultOf('mixed', stream, { report: measured.report, figures, targets, note })
}

/** Inserts the rows that the service would write: publishing 10,000 programmes one by one takes hours. */
async function fillDatabase(url: string): Promise<number> {
  const began = performance.now()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [newest] = await sql<{ version: number }[]>`select max(version) as version from programme_version`
    await sql`update programme_version set version = version + ${versions}::integer where version = ${newest!.version}`
    await sql`
      insert into programme_version (version, content_digest, document, benefits)
      select at, sha256(at::text::bytea), '{"venues":[],"members":[],"benefits":[]}', '[]'
      from generate_series(1, ${versions}::integer) as at`
    await storeMembers(sql, membersStored)
    await sql`
      insert into limit_counter (used, maximum, limit_id, subject, period)
      select 1, 3, 'limit-coupon-' || (at % 20), 'member-' || (at % ${membersStored}::integer), '2026-' || lpad((1 + at % 9)::text, 2, '0') || '-' || lpad((1 + at % 28)::text, 2, '0')
      from generate_series(1, ${counters}::integer) as at on conflict do nothing`
    await sql`analyze`
    return performance.now() - began
  } finally {
    await sql.end()
  }
}

/** Adds the catalogue's members that are not in the programme document, up to `count`. */
async function storeMembers(sql: postgres.Sql, count: number): Promise<void> {
  await sql`
    insert into member (member_id, body)
    select 'member-' || at, '{"tier":"gold","segments":["newsletter"],"blocked":false}'
    from generate_series(0, ${count - 1}::integer) as at on conflict do nothing`
  await sql`
    insert into member_loyalty_id (loyalty_id, member_id)
    select 'LOY-' || lpad(at::text, 7, '0'), 'member-' || at
    from generate_series(0, ${count - 1}::integer) as at on conflict do nothing`
}

async function* memoryCase(bench: Bench): AsyncGenerator<Result> {
  const catalogue = { ...bench.catalogue, members: membersSeen }
  const databaseUrl = await (await bench.postgres()).createDatabase()
  const settings = { LOYALTY_WORKERS: String(memoryWorkers), DATABASE_URL: databaseUrl }
  const service = await bench.start({ stores: 'real', catalogue, settings })
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  await storeMembers(sql, membersSeen)
  await sql.end()
  const load = (name: string, { rate, seconds, members }: Record<'rate' | 'seconds' | 'members', number>) =>
    loadOf(bench, {
      name,
      catalogue: { ...catalogue, members },
      mix: { ...plainMix, lines: [1] },
      stages: [{ rate, seconds, counted: true }],
      basketsDrawn: membersSeen,
    })
  await bench.load(service, load('resident/warm', { rate: memoryRate / 2, seconds: memoryWarmSeconds, members: 1 }))
  const before = await service.read({ collect: true })
  const seconds = bench.settings.seconds * memoryLong
  const report = await bench.load(service, load('resident', { rate: memoryRate, seconds, members: membersSeen }))
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const after = await service.read({ collect: true })
  await bench.release(service)
  yield memoryResult({ before, after, report, seen: membersCounted(report) })
}

/** Expected number of different members among random picks. */
function membersCounted(report: LoadReport): number {
  const { latency, errors } = streamOf(report, 'basket')
  return membersSeen * (1 - (1 - 1 / membersSeen) ** (latency.count - errors))
}

function memoryResult(what: {
  readonly before: ProbeReading
  readonly after: ProbeReading
  readonly report: LoadReport
  readonly seen: number
}): Result {
  const { before, after, report, seen } = what
  const perMember = Math.max(0, after.heap - before.heap) / seen
  const megabytes = (after.rss + perMember * Math.max(0, membersCached - seen)) / 2 ** 20
  return resultOf('resident', streamOf(report, 'basket'), {
    report,
    figures: [
      figure('resident', after.rss / 2 ** 20, 'MB'),
      figure(`resident with ${membersCached} members`, megabytes, 'MB'),
      figure('heap per member', perMember, 'bytes'),
    ],
    targets: [target(`resident with ${membersCached} members < ${memoryMaxMb} MB`, megabytes < memoryMaxMb)],
    note: `${memoryWorkers} threads, 1,000 benefits, about ${Math.round(seen)} members looked up, the rest counted with their heap`,
  })
}
