import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { StoreFault } from '../../store/fault.js'
import { outageMs } from '../../store/postgres/connection/attempts.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aWant, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger, type Ledger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'

t.setTimeout(600_000)

const server = await startPostgres()
t.teardown(() => server.stop())

/** As in the gateway; `changes` lists the openings and closings of its circuit. */
async function openLedger(t: Test) {
  const url = await server.createDatabase()
  const options = {
    url,
    connections: 4,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: 20_000,
    saleMs: 20_000,
    hangMs: 5_000,
  }
  const changes: boolean[] = []
  const ledger = await createPostgresLedger({ ...options, breaker: { onChange: (open) => changes.push(open) } })
  t.teardown(() => ledger.close())
  return { ledger, changes, url }
}

function faultOf(call: Promise<unknown>): Promise<StoreFault | null> {
  return call.then(
    () => null,
    (error: unknown) => {
      if (error instanceof StoreFault) return error
      throw error
    },
  )
}

/** Frequent statements of upkeep and calls. */
function ask(ledger: Ledger) {
  return Promise.all([ledger.ping(), ledger.changes.since(0), ledger.counters.lookUp([aWant()])].map(faultOf))
}

t.test(
  'backends that are terminated all the time are no outage: what reads is answered, no circuit opens',
  async (t) => {
    const { ledger, changes } = await openLedger(t)
    const operator = createPostgresSql(server.url, 1)
    t.teardown(() => operator.close())
    let over = false
    let terminated = 0
    const terminating = (async () => {
      while (!over) {
        const rows = await operator.run(
          sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'loyalty' and pid <> pg_backend_pid() and state is not null`,
          { effect: 'writes', withinMs: plenty },
        )
        terminated += rows.length
        await sleep(20)
      }
    })()
    const kinds = new Set<string>()
    const untilMs = performance.now() + 2 * outageMs
    while (performance.now() < untilMs || terminated < 100) {
      const record = aRecord(ledger, { holds: [aWant()] })
      const [answer, reply] = await Promise.all([
        faultOf(ledger.calculations.findAnswer(record.calculationId)),
        faultOf(ledger.calculations.confirm(record, 20_000)),
      ])
      t.equal(answer, null, 'a look-up is repeated on another connection')
      if (reply !== null) kinds.add(`${reply.kind} ${reply.lasting}`)
    }
    over = true
    await terminating
    t.same(changes, [], 'the circuit stays closed')
    t.strictSame(
      [...kinds].filter((kind) => kind !== 'in_doubt false'),
      [],
      'a write in doubt is the only fault',
    )
  },
)

t.test('a full disk is an outage of what needs room, though other writes go on', async (t) => {
  const { ledger, changes, url } = await openLedger(t)
  const operator = createPostgresSql(url, 1)
  t.teardown(() => operator.close())
  const terms = { effect: 'writes', withinMs: plenty } as const
  const script = `do $do$ begin
    create function no_room() returns trigger language plpgsql as
      $f$ begin raise exception 'could not extend file' using errcode = '53100'; end $f$;
    create trigger no_room before insert on calculation for each row execute function no_room();
  end $do$`
  await operator.run({ text: script, values: [] }, terms)
  const report = { gatewayId: randomUUID(), usesCache: true, flushedThrough: 0, wishes: true }
  const fullAtMs = performance.now()
  const last = await until(
    async () => {
      await ledger.gateways.meet(report)
      await ledger.calculations.expire(10)
      return await faultOf(ledger.calculations.confirm(aRecord(ledger, { holds: [aWant()] }), 20_000))
    },
    (fault) => fault?.lasting === true || performance.now() - fullAtMs > 10 * outageMs,
  )
  t.match(last, { kind: 'full', lasting: true })
  t.same(changes, [], 'and the circuit stays closed')
})

t.test('a server that is gone is an outage after seconds, and none before or after', async (t) => {
  const { ledger, changes } = await openLedger(t)
  await ask(ledger)
  await server.kill()
  const goneAtMs = performance.now()
  const first = await until(
    () => ask(ledger),
    (faults) => faults.some((fault) => fault?.lasting === true),
  )
  t.ok(performance.now() - goneAtMs >= outageMs, `after ${Math.round(performance.now() - goneAtMs)} ms`)
  t.ok(first.some((fault) => fault?.lasting === true))
  t.same(changes, [true])
  t.match(await ask(ledger), Array(3).fill({ kind: 'unreachable', lasting: true }))
  await server.restart()
  t.same(
    await until(
      () => ask(ledger),
      (faults) => faults.every((fault) => fault === null),
    ),
    [null, null, null],
  )
  t.same(changes, [true, false])
})

t.test('an address that closes every connection is an outage after seconds, like a server that is gone', async (t) => {
  const proxy = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => proxy.close())
  const { port } = proxy.address() as AddressInfo
  const database = createPostgresSql(`postgres://postgres@127.0.0.1:${port}/postgres`, 1)
  t.teardown(() => database.close())
  const write = () => faultOf(database.run(sql`select 1`, { effect: 'writes', withinMs: 10_000 }))
  t.match(await write(), { kind: 'unreachable', lasting: false })
  const fault = await until(write, (fault) => fault?.lasting === true)
  t.match(fault, { kind: 'unreachable', lasting: true })
})

t.test('a server that is only restarted is no outage', async (t) => {
  const { ledger } = await openLedger(t)
  await ask(ledger)
  await server.kill()
  t.match(await ask(ledger), Array(3).fill({ kind: 'unreachable', lasting: false }))
  await server.restart()
  await until(
    () => ask(ledger),
    (faults) => faults.every((fault) => fault === null),
  )
  await server.kill()
  t.match(await ask(ledger), Array(3).fill({ lasting: false }), 'the time of the last one does not count')
  await server.restart()
})
