import t, { type Test } from 'tap'
import type { Ledger } from '../../store/ledger.js'
import { completeOptions } from '../../store/postgres/connection/options.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import type { Sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { createPosSales } from '../../store/postgres/sales/pos-sales.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aRecord, aSale, eventBody, plenty } from './ledger-builders.js'

t.setTimeout(120_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty }

async function openLedgers(t: Test, count: number) {
  const url = await server.createDatabase()
  const ledgers: Ledger[] = []
  for (let at = 0; at < count; at += 1) ledgers.push(await createPostgresLedger({ url, ...options }))
  const database = createPostgresSql(url, 2)
  t.teardown(async () => {
    await database.close()
    await Promise.all(ledgers.map((ledger) => ledger.close()))
  })
  return { ledgers, database }
}

/** Everything behind a place, a few at a time, as a watcher reads it. */
async function readOn(ledger: Ledger, after: number): Promise<{ readonly ids: string[]; readonly place: number }> {
  const ids: string[] = []
  let place = after
  for (;;) {
    const placed = await ledger.sales.place(3)
    const sales = await ledger.sales.readFeed(place, 2)
    ids.push(...sales.map(({ calculationId }) => calculationId))
    place = sales.at(-1)?.feedPlace ?? place
    if (placed === 0 && sales.length === 0) return { ids, place }
  }
}

t.test('a sale that was begun before others and committed after them is not missed', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const ledger = ledgers[0]!
  const [late, early] = [aSale(aRecord(ledger)), aSale(aRecord(ledger))]
  let commit = (): void => {}
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve
  })
  let written = (): void => {}
  const isWritten = new Promise<void>((resolve) => {
    written = resolve
  })
  const writing = database.transaction(async (transaction) => {
    const within = { run: (statement: Parameters<Sql['run']>[0]) => transaction.run(statement) } as unknown as Sql
    await createPosSales(within, completeOptions(options)).record(late, eventBody)
    written()
    await mayCommit
  })
  await isWritten
  await ledger.sales.record(early, eventBody)
  const before = await readOn(ledger, 0)
  t.same(before.ids, [early.calculationId])
  commit()
  await writing
  t.same((await readOn(ledger, before.place)).ids, [late.calculationId])
  t.same((await readOn(ledger, 0)).ids, [early.calculationId, late.calculationId])
})

t.test('while several gateways write and give out places, no watcher misses a sale or sees one twice', async (t) => {
  const { ledgers } = await openLedgers(t, 3)
  // Twelve writers, each one sale after the other: more at once would only wait for connections.
  const writers = ledgers.flatMap((ledger) =>
    Array.from({ length: 4 }, () => ({ ledger, events: Array.from({ length: 25 }, () => aSale(aRecord(ledger))) })),
  )
  let writing = true
  const written = Promise.all(
    writers.map(async ({ ledger, events }) => {
      for (const event of events) await ledger.sales.record(event, eventBody)
    }),
  ).finally(() => {
    writing = false
  })
  const watchers = ledgers.map(async (ledger) => {
    const seen: string[] = []
    let place = 0
    for (let last = false; ; ) {
      const read = await readOn(ledger, place)
      seen.push(...read.ids)
      place = read.place
      if (last) return seen
      last = !writing
    }
  })
  await written
  const ids = writers.flatMap(({ events }) => events.map(({ calculationId }) => calculationId)).toSorted()
  // Whoever had the lock last may have left places that the others read only now.
  const rest = await Promise.all(watchers)
  const { ids: order } = await readOn(ledgers[0]!, 0)
  t.same(order.toSorted(), ids)
  for (const seen of rest) t.same(seen, order.slice(0, seen.length))
})
