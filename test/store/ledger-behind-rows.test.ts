import t, { type Test } from 'tap'
import { StoreFault } from '../../store/fault.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { openLink } from '../faults/link.js'
import { Dice } from '../support/dice.js'
import { aMember, aRecord, aSale, aVenue, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { createBehindRows } from '../support/servers/errors-behind-rows.js'
import { startPostgres } from '../support/servers/start-postgres.js'

t.setTimeout(600_000)

const server = await startPostgres()
t.teardown(() => server.stop())

const reading = { effect: 'reads', withinMs: plenty } as const
const writing = { effect: 'writes', withinMs: plenty } as const

/** A database behind a proxy that cuts replies short on request. */
async function behindProxy(t: Test) {
  const behind = createBehindRows()
  const link = await openLink(server.port, new Dice(1), behind.translator)
  const direct = await server.createDatabase()
  t.teardown(() => link.close())
  return { behind, direct, url: direct.replace(`:${server.port}/`, `:${link.port}/`) }
}

/** The fault of a call, or its result; any other rejection fails the test. */
async function faultOr<T>(call: Promise<T>): Promise<T | StoreFault> {
  return await call.catch((error: unknown) => {
    if (error instanceof StoreFault) return error
    throw error
  })
}

for (const state of ['57014', '53200']) {
  for (const terms of [reading, writing]) {
    t.test(`after ${state} behind rows, the next result of a connection that ${terms.effect} is its own`, async (t) => {
      const { behind, url } = await behindProxy(t)
      const database = createPostgresSql(url, 1)
      t.teardown(() => database.close())
      behind.decide = () => ({ rows: 2, state })
      const cut = await faultOr(database.run(sql`select n from generate_series(1, 5) n`, terms))
      t.match(cut, { name: 'StoreFault', kind: 'busy' })
      behind.decide = () => null
      t.same(await database.run(sql`select 7 as n`, terms), [{ n: 7 }])
    })
  }
}

t.test('a connection is replaced only where rows came before the error', async (t) => {
  const { behind, url } = await behindProxy(t)
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  const pid = async () => (await database.run<{ pid: number }>(sql`select pg_backend_pid() as pid`, reading))[0]!.pid
  const first = await pid()
  await database.run(
    sql`
      do $$ begin
        create function too_late() returns table (n integer) language plpgsql as $f$
        begin
          return query select 1;
          raise exception 'too late' using errcode = 'LY001';
        end $f$;
      end $$`,
    writing,
  )
  for (let round = 0; round < 3; round += 1) {
    await t.rejects(database.run(sql`select * from too_late()`, writing), { code: 'LY001' })
    await t.rejects(database.run(sql`select 1 / 0`, reading), { code: '22012' })
  }
  t.equal(await pid(), first, 'a confirmation that is too late costs no new connection: its rows are collected first')
  behind.decide = () => ({ rows: 1, state: '57014' })
  t.equal(await faultOr(database.run(sql`select 1`, reading)).then(String), 'StoreFault: ledger: busy')
  behind.decide = () => null
  t.not(await pid(), first)
})

t.test('enrolled members are found or not looked up, whatever fails behind rows meanwhile', async (t) => {
  const { behind, url } = await behindProxy(t)
  const ledger = await createPostgresLedger({ url, connections: 2, expiryS: 1_800, idempotencyS: 86_400 })
  t.teardown(() => ledger.close())
  const facts = await enrol(ledger)
  const dice = new Dice(7)
  behind.decide = () => (dice.chance(0.3) ? { rows: 1, state: dice.pick(['57014', '53200']) } : null)
  for (let round = 0; round < 150; round += 1) await everyCall(t, ledger, facts)
  t.ok(behind.count > 50, `${behind.count} replies were cut short`)
})

t.test('a result cancelled behind rows never precedes another result', async (t) => {
  const database = createPostgresSql(await server.createDatabase(), 2)
  const operator = createPostgresSql(server.url, 1)
  t.teardown(() => Promise.all([database.close(), operator.close()]))
  let cancelled = 0
  let over = false
  const cancelling = (async () => {
    while (!over) await cancelAll(operator)
  })()
  const slow = sql`select n, pg_sleep(0.002)::text as slept from generate_series(1, 12) n`
  for (let round = 0; cancelled < 20 && round < 2_000; round += 1) {
    const rows = await faultOr(database.run<{ n: number }>(slow, reading))
    if (rows instanceof StoreFault) cancelled += 1
    const next = await faultOr(database.run(sql`select 7 as n`, reading))
    if (!(next instanceof StoreFault)) t.same(next, [{ n: 7 }])
  }
  over = true
  await cancelling
  t.ok(cancelled >= 20, `${cancelled} statements were cancelled`)
})

t.test('calls of a ledger whose statements are constantly cancelled are right or refused', async (t) => {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, connections: 2, expiryS: 1_800, idempotencyS: 86_400 })
  const operator = createPostgresSql(server.url, 1)
  t.teardown(() => Promise.all([ledger.close(), operator.close()]))
  const facts = await enrol(ledger)
  let over = false
  const cancelling = (async () => {
    while (!over) await cancelAll(operator)
  })()
  for (let round = 0; round < 150; round += 1) await everyCall(t, ledger, facts)
  over = true
  await cancelling
})

async function cancelAll(operator: Sql): Promise<void> {
  await operator.run(
    sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where application_name = 'loyalty' and state = 'active' and pid <> pg_backend_pid()`,
    writing,
  )
}

interface Enrolled {
  readonly cards: readonly string[]
  readonly venueId: string
}

async function enrol(ledger: Ledger): Promise<Enrolled> {
  const members = Array.from({ length: 3 }, () => aMember())
  const venue = aVenue()
  await ledger.programmes.publishFile({ document: '{}', benefits: '[]', venues: [venue], members })
  return { cards: members.map(({ loyaltyIds }) => loyaltyIds[0]!), venueId: venue.venueId }
}

/** All calls of a basket and a sale at once; each answer is right, or a StoreFault. */
async function everyCall(t: Test, ledger: Ledger, { cards, venueId }: Enrolled): Promise<void> {
  const record = aRecord(ledger, { holds: [aWant()] })
  const names = Array.from({ length: 4 }, () => aWant())
  const [answer, confirmed, counters, programme, changes, venue, ...members] = await Promise.all([
    faultOr(ledger.calculations.findAnswer(record.calculationId)),
    faultOr(ledger.calculations.confirm(record, 1_000)),
    faultOr(ledger.counters.lookUp(names)),
    faultOr(ledger.programmes.newest()),
    faultOr(ledger.changes.since(0)),
    faultOr(ledger.venues.lookUp(venueId)),
    ...cards.map((card) => faultOr(ledger.members.lookUp(card))),
  ])
  const sale = await faultOr(ledger.sales.record(aSale(record), eventBody))
  const isRight = (what: unknown, right: boolean, name: string) =>
    what instanceof StoreFault || right || t.fail(`${name}: ${JSON.stringify(what)}`)
  for (const [at, member] of members.entries()) {
    isRight(member, !(member instanceof StoreFault) && member?.loyaltyIds[0] === cards[at], 'member')
  }
  isRight(venue, !(venue instanceof StoreFault) && venue?.venueId === venueId, 'venue')
  isRight(programme, !(programme instanceof StoreFault) && programme?.version === 1, 'programme')
  isRight(changes, !(changes instanceof StoreFault) && changes.revision > 0, 'changes')
  isRight(counters, !(counters instanceof StoreFault) && counters.length === names.length, 'counters')
  isRight(answer, !(answer instanceof StoreFault) && ['stored', 'unknown'].includes(answer.kind), 'answer')
  const kinds = ['confirmed', 'too_late']
  isRight(confirmed, !(confirmed instanceof StoreFault) && kinds.includes(confirmed.kind), 'confirm')
  isRight(sale, !(sale instanceof StoreFault) && 'kind' in sale, 'sale')
}
