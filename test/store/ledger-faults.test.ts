import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import t, { type Test } from 'tap'
import { StoreFault } from '../../store/fault.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { freePort } from '../support/free-port.js'
import { aRecord, aSale, aWant, eventBody, pass, plenty, readState } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import { recount } from './ledger-checker.js'

// Databases start slowly where everything runs at once.
t.setTimeout(1_800_000)

const server = await startPostgres({ settings: { max_connections: '30' } })
t.teardown(() => server.stop())

/** Time enough to send a statement on a busy machine, and not yet that after which a stuck connection is renewed. */
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: 800, saleMs: 2_000 }
const terms = { effect: 'writes', withinMs: plenty } as const

/** A ledger with a database of its own, and another way into that database. */
async function open(t: Test, more: { connections?: number; url?: (url: string) => string } = {}) {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({
    ...options,
    connections: more.connections ?? 4,
    url: more.url?.(url) ?? url,
  })
  const database = createPostgresSql(url, 2)
  t.teardown(async () => {
    await ledger.close()
    await database.close()
  })
  return { ledger, database }
}

/** How a call failed. */
async function faultOf(call: Promise<unknown>): Promise<{ kind: string }> {
  const kind = await call.then(
    () => 'no fault',
    (error: unknown) => (error instanceof StoreFault ? error.kind : String(error)),
  )
  return { kind }
}

function nullInDoubt(error: unknown): null {
  if (error instanceof StoreFault && error.kind === 'in_doubt') return null
  throw error
}

function backendsOf(database: Sql): Promise<readonly { pid: number }[]> {
  return database.run(
    sql`select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`,
    terms,
  )
}

/** Blocks writes to a table while `during` runs; with `access exclusive` reads too. */
async function lockTable(
  database: Sql,
  lock: 'calculation in exclusive' | 'reservation in exclusive' | 'calculation in access exclusive',
  during: () => Promise<void>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.runScript(`lock table ${lock} mode`)
    await during()
  })
}

await t.test('a database that is not there is notified at once, at the start', async (t) => {
  const url = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`
  t.match(await faultOf(createPostgresLedger({ ...options, url })), { kind: 'unreachable' })
})

await t.test('a call that waits for a lock is over in its own time, and its statement ends', async (t) => {
  const { ledger, database } = await open(t)
  const record = aRecord(ledger, { holds: [aWant()] })
  await lockTable(database, 'calculation in exclusive', async () => {
    // The server's word may come too late on a busy machine: that call ends in doubt, and the next one is asked.
    const confirmed = () => ledger.calculations.confirm(record, 2_000).catch(nullInDoubt)
    t.same(await until(confirmed, (reply) => reply !== null), { kind: 'too_late' })
    t.equal((await faultOf(ledger.sales.record(aSale(record), eventBody))).kind, 'in_doubt')
    const waiting = await until(
      () => backendsOf(database),
      ({ length }) => length === 0,
    )
    t.same(waiting, [], 'nothing waits any more on the server')
  })
  await lockTable(database, 'calculation in access exclusive', async () => {
    t.equal((await faultOf(ledger.calculations.findAnswer(record.calculationId))).kind, 'timeout')
  })
  t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
  t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'recorded' })
  t.same(await recount(database), [])
})

await t.test(
  'connections that are cut under their calls put writes in doubt, and the next call is served',
  async (t) => {
    const { ledger, database } = await open(t)
    const records = Array.from({ length: 4 }, () => aRecord(ledger, { holds: [aWant()] }))
    await lockTable(database, 'calculation in exclusive', async () => {
      const calls = records.map((record) => faultOf(ledger.calculations.confirm(record, plenty)))
      while ((await backendsOf(database)).length < calls.length) await pass(ledger, 20)
      for (const { pid } of await backendsOf(database)) {
        await database.run(sql`select pg_terminate_backend(${pid}::integer)`, terms)
      }
      t.same(
        (await Promise.all(calls)).map(({ kind }) => kind),
        Array(4).fill('in_doubt'),
      )
    })
    for (const { calculationId } of records) t.equal(await ledger.calculations.withdraw(calculationId), 'unknown')
    for (const record of records) t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
  },
)

await t.test('a withdrawal waits for the confirmation that is still under way', async (t) => {
  const { ledger, database } = await open(t)
  const record = aRecord(ledger, { holds: [aWant()] })
  let confirmed: Promise<unknown> | null = null
  await lockTable(database, 'reservation in exclusive', async () => {
    confirmed = ledger.calculations.confirm(record, plenty).catch(() => {})
    while ((await backendsOf(database)).length < 1) await pass(ledger, 20)
    const withdrawn = faultOf(ledger.calculations.withdraw(record.calculationId))
    t.equal((await withdrawn).kind, 'in_doubt', 'it does not say unknown while nobody can know')
  })
  await confirmed
  t.not(await ledger.calculations.withdraw(record.calculationId), 'replayed')
  t.match(await ledger.counters.lookUp(record.holds), [{ open: 0 }])
})

await t.test('a successor waits for the confirmation that is still under way, and supersedes it', async (t) => {
  const { ledger, database } = await open(t)
  const old = aRecord(ledger, { holds: [aWant()] })
  const fresh = aRecord(ledger, { supersedesCalculationId: old.calculationId })
  const calls: Promise<unknown>[] = []
  await lockTable(database, 'reservation in exclusive', async () => {
    for (const record of [old, fresh]) {
      calls.push(ledger.calculations.confirm(record, plenty))
      while ((await backendsOf(database)).length < calls.length) await pass(ledger, 20)
    }
  })
  t.same(await Promise.all(calls), [{ kind: 'confirmed' }, { kind: 'confirmed' }])
  t.equal(await readState(database, old.calculationId), 'superseded')
  t.match(await ledger.counters.lookUp(old.holds), [{ open: 0 }])
})

await t.test('a server that hangs costs each call its own time, and is used again when it goes on', async (t) => {
  let proxy: Proxy | null = null
  const url = await server.createDatabase()
  proxy = await startProxy(server.port)
  t.teardown(() => proxy?.close())
  const ledger = await createPostgresLedger({
    ...options,
    connections: 2,
    url: url.replace(`:${server.port}`, `:${proxy.port}`),
  })
  t.teardown(() => ledger.close())
  await ledger.ping()
  proxy.hold(true)
  for (let call = 0; call < 6; call += 1) {
    const { kind } = await faultOf(ledger.calculations.findAnswer(aRecord(ledger).calculationId))
    t.match(kind, /^(timeout|unreachable)$/)
  }
  const { kind } = await until(
    () => faultOf(ledger.ping()),
    ({ kind }) => kind === 'unreachable',
  )
  t.equal(kind, 'unreachable', 'with every connection stuck nobody waits')
  const clock = ledger.clock()
  proxy.hold(false)
  t.ok(await comesBack(ledger))
  t.ok(ledger.clock() > clock, 'its clock went on')
})

await t.test('a server that dies and comes back is used again without a restart of ours', async (t) => {
  const { ledger, database } = await open(t)
  const record = aRecord(ledger, { holds: [aWant()] })
  await ledger.calculations.confirm(record, plenty)
  await server.kill()
  const calls = [
    ledger.ping(),
    ledger.calculations.confirm(aRecord(ledger), plenty),
    ledger.calculations.store([aRecord(ledger)]),
  ]
  for (const { kind } of await Promise.all(calls.map(faultOf))) t.match(kind, /^(unreachable|in_doubt)$/)
  const { kind } = await faultOf(ledger.sales.record(aSale(record), eventBody))
  t.equal(kind, 'unreachable', 'nothing was sent')
  await server.restart()
  t.ok(await comesBack(ledger))
  t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'recorded', discrepancies: [] })
  t.same(await recount(database), [])
})

await t.test('a server that takes no writes is full, still answers look-ups, and is connected to anew', async (t) => {
  const { ledger, database } = await open(t, { connections: 1 })
  const record = aRecord(ledger)
  await ledger.calculations.confirm(record, plenty)
  await database.run(sql`alter role current_user set default_transaction_read_only = on`, terms)
  await database.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`, terms)
  // The old connection, which may write, has a moment left.
  const { kind } = await until(
    () => faultOf(ledger.calculations.confirm(aRecord(ledger), plenty)),
    ({ kind }) => kind === 'full',
  )
  t.equal(kind, 'full')
  t.equal((await faultOf(ledger.sales.record(aSale(record), eventBody))).kind, 'full')
  t.equal(await ledger.programmes.newest(), null)
  await database.run(sql`select pg_reload_conf()`, terms)
  await database.transaction(async (transaction) => {
    await transaction.runScript(
      'set transaction read write; alter role current_user reset default_transaction_read_only',
    )
  })
  // A session keeps the setting that it began with.
  const later = aRecord(ledger)
  t.same(
    await until(
      () => ledger.calculations.confirm(later, plenty).catch(() => null),
      (reply) => reply !== null,
    ),
    { kind: 'confirmed' },
  )
})

function comesBack(ledger: Ledger): Promise<boolean> {
  const answers = () =>
    ledger.ping().then(
      () => true,
      () => false,
    )
  return until(answers, (there) => there)
}

interface Proxy {
  readonly port: number
  /** While held, no byte passes in either direction; connections stay open. */
  hold(held: boolean): void
  close(): void
}

/** A TCP proxy before the server: a hanging network, where stopping the server would only delay its bytes. */
async function startProxy(target: number): Promise<Proxy> {
  let held = false
  const sockets = new Set<ReturnType<typeof connect>>()
  const server: Server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => void (held || to.write(bytes)))
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hold: (value) => {
      held = value
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
