import postgres from 'postgres'
import { plainMix } from '../load/draw-baskets.js'
import type { LoadReport } from '../load/run-load.js'
import type { ProbeReading } from '../probe/probe.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure, loadOf, resultOf, streamOf, target } from './bench-case.js'

const membersSeen = 20_000
const membersCached = 100_000
const memoryMaxMb = 260
const memoryWorkers = 1
/** A small machine compiles for some seconds; then a rate without refusals. */
const memoryWarmSeconds = 8
const memoryRate = 500
const memoryLong = 3

/** Memory of a gateway that has looked up many members. */
export const residentCase: BenchCase = { name: 'resident', run: memoryCase }

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
    note: `${memoryWorkers} thread, 1,000 benefits, about ${Math.round(seen)} members looked up, the rest counted with their heap`,
  })
}
