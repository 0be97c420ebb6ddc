import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { digestOf, pass, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'

// Databases start slowly on a busy machine.
t.setTimeout(120_000)

/** Members stored before. */
const storedMany = 100_000
const batch = 1_000
/** Rows that a batch may read in each table, for each of its members: some look-ups by key, never a table. */
const rowsPerMemberMax = 50
/** How long a session withholds its statistics, in milliseconds. */
const statisticsMs = 1_100

t.test('a batch of members reads only its own rows, however many are stored', async (t) => {
  const server = await startPostgres({ settings: { autovacuum: 'off' } })
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, expiryS: 1_800, idempotencyS: 86_400 })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await database.close()
    await ledger.close()
    await server.stop()
  })
  const store = (tier: string, from: number) =>
    ledger.members.store(
      { requestId: randomUUID(), digest: digestOf(tier), call: 'test', actor: 'test' },
      Array.from({ length: batch }, (_, at) => ({
        memberId: `member-${from + at}`,
        loyaltyIds: [`card-${from + at}`, `phone-${from + at}`],
        tier,
        segments: [],
      })),
    )
  async function rowsRead(): Promise<ReadonlyMap<string, number>> {
    // On every connection of internal services, so that each publishes its statistics.
    await pass(ledger, statisticsMs)
    await Promise.all([1, 2].map(() => ledger.members.findById('nobody')))
    const rows = await database.run<{ name: string; rows: number }>(
      sql`
        select relname::text as name, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint as rows
        from pg_stat_user_tables where relname in ('member', 'member_loyalty_id')`,
      { effect: 'reads', withinMs: plenty },
    )
    return new Map(rows.map(({ name, rows }) => [name, rows]))
  }

  await store('first', 0)
  await database.run(
    sql`
      insert into member (member_id, body)
      select 'member-' || n, '{}' from generate_series(${10 * batch}::integer, ${storedMany}::integer) n`,
    { effect: 'writes', withinMs: plenty },
  )
  await database.run(
    sql`
      insert into member_loyalty_id (loyalty_id, member_id)
      select kind || n, 'member-' || n
      from generate_series(${10 * batch}::integer, ${storedMany}::integer) n, unnest('{card-,phone-}'::text[]) kind`,
    { effect: 'writes', withinMs: plenty },
  )
  for (const [what, tier, from] of [
    ['new', 'gold', batch],
    ['the same', 'gold', batch],
    ['changed', 'silver', batch],
  ] as const) {
    const before = await rowsRead()
    await store(tier, from)
    const after = await rowsRead()
    t.equal(after.size, 2)
    for (const [table, rows] of after) {
      const read = rows - before.get(table)!
      t.ok(read <= rowsPerMemberMax * batch, `${what}: ${read} rows of ${table}`)
    }
  }
})

t.test('a batch of members with ids of merged ones takes about as long as one without', async (t) => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, expiryS: 1_800, idempotencyS: 86_400 })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await database.close()
    await ledger.close()
    await server.stop()
  })
  /** Milliseconds of the quicker one of two. */
  async function took(...tiers: readonly string[]): Promise<number> {
    const times: number[] = []
    for (const tier of tiers) {
      const beganMs = performance.now()
      await ledger.members.store(
        { requestId: randomUUID(), digest: digestOf(tier), call: 'test', actor: 'test' },
        Array.from({ length: batch }, (_, at) => ({
          ...{ memberId: `member-${at}`, loyaltyIds: [`card-${at}`], tier, segments: [] },
        })),
      )
      times.push(performance.now() - beganMs)
    }
    return Math.min(...times)
  }
  const write = (statement: ReturnType<typeof sql>) => database.run(statement, { effect: 'writes', withinMs: plenty })

  await took('new')
  const without = await took('gold', 'silver')
  await write(sql`insert into merged_member (member_id, into_id) select 'gone-' || member_id, member_id from member`)
  await write(sql`
    insert into merged_loyalty_id (loyalty_id, member_id, into_id)
    select 'gone-' || n || member_id, 'gone-' || member_id, member_id from member, generate_series(1, 3) n`)
  await write(
    sql`insert into member_loyalty_id (loyalty_id, member_id) select loyalty_id, into_id from merged_loyalty_id`,
  )
  const withMerged = await took('gold', 'silver')
  // Four times as many ids; it was 40 times as long.
  t.ok(withMerged < 12 * without, `${withMerged} and ${without} ms`)
})
