import t, { type Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import { completeOptions } from '../../store/postgres/connection/options.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { createPosSales } from '../../store/postgres/sales/pos-sales.js'
import { pruneEvents } from '../../store/postgres/upkeep/retention.js'
import { aRecord, aSale, eventBody, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aMemberId, anEarning, aValueTable, aWebhook, finish, readEvents, takeDue } from './value-builders.js'

t.setTimeout(120_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, hangMs: plenty, saleMs: plenty }
const terms = { effect: 'writes', withinMs: plenty } as const

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

async function anEarningSale(ledger: Ledger, memberId = aMemberId()) {
  const record = aRecord(ledger, { memberId, earning: anEarning([{}]) })
  await ledger.calculations.store([record])
  return aSale(record)
}

const causesOf = (events: readonly { readonly body: string }[]) =>
  events.map(({ body }) => (JSON.parse(body) as { readonly cause: string }).cause.replace('calculation:', ''))

/** Records a sale in a transaction of its own, which commits when the function returned is called. */
async function recordLate(database: Sql, late: SaleEvent): Promise<() => Promise<void>> {
  let [commit, written] = [() => {}, () => {}]
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve
  })
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
  return async () => {
    commit()
    await writing
  }
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

t.test('the event of a sale that was begun before others and committed after them is not missed', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const ledger = ledgers[0]!
  const [late, early] = [await anEarningSale(ledger), await anEarningSale(ledger)]
  const commit = await recordLate(database, late)
  await ledger.sales.record(early, eventBody)
  const before = await readEvents(ledger, 0)
  t.same(causesOf(before), [early.calculationId])
  await commit()
  t.same(causesOf(await readEvents(ledger, before.at(-1)!.place!)), [late.calculationId])
})

t.test('while several gateways write and give out places, no reader misses an event or sees one twice', async (t) => {
  const { ledgers } = await openLedgers(t, 3)
  const writers = ledgers.flatMap((ledger) => [0, 1, 2].map(() => ({ ledger, memberId: aMemberId() })))
  let writing = true
  const recorded: string[] = []
  const written = Promise.all(
    writers.map(async ({ ledger, memberId }) => {
      for (let count = 0; count < 20; count += 1) {
        const sale = await anEarningSale(ledger, memberId)
        await ledger.sales.record(sale, eventBody)
        recorded.push(sale.calculationId)
      }
    }),
  ).finally(() => {
    writing = false
  })
  const readers = ledgers.map(async (ledger) => {
    const seen: Awaited<ReturnType<typeof readEvents>>[number][] = []
    for (let last = false; ; ) {
      seen.push(...(await readEvents(ledger, seen.at(-1)?.place ?? 0)))
      if (last) return seen
      last = !writing
    }
  })
  await written
  const all = await Promise.all(readers)
  const whole = await readEvents(ledgers[0]!, 0)
  t.same(causesOf(whole).toSorted(), recorded.toSorted())
  t.same(
    whole.map(({ place }) => place),
    whole.map((_, at) => at + 1),
  )
  for (const seen of all) t.same(seen, whole.slice(0, seen.length))
})

t.test('two gateways that deliver at once take every event once, and each member in order', async (t) => {
  const { ledgers } = await openLedgers(t, 2)
  const [one, other] = ledgers as [Ledger, Ledger]
  const webhookId = await aWebhook(one)
  const members = [aMemberId(), aMemberId(), aMemberId()]
  const sold: string[] = []
  for (let count = 0; count < 10; count += 1) {
    for (const memberId of members) {
      const sale = await anEarningSale(one, memberId)
      await one.sales.record(sale, eventBody)
      sold.push(sale.calculationId)
    }
  }
  const delivered: { readonly memberId: string | null; readonly body: string }[] = []
  const deliver = async (ledger: Ledger) => {
    for (let idle = 0; idle < 3; ) {
      const due = await takeDue(ledger, webhookId, 2)
      idle = due.length === 0 ? idle + 1 : 0
      for (const each of due) {
        delivered.push(each)
        await finish(ledger, each)
      }
    }
  }
  await Promise.all([deliver(one), deliver(other)])
  t.same(causesOf(delivered).toSorted(), sold.toSorted())
  for (const memberId of members) {
    const own = causesOf(delivered.filter((each) => each.memberId === memberId))
    t.same(
      own,
      sold.filter((id) => own.includes(id)),
    )
  }
})

t.test('old events go with their deliveries, but the last of the feed and what is pending stay', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const ledger = ledgers[0]!
  const value = aValueTable(ledger)
  const [memberId, currencyId] = [await value.enrol(), await value.currency()]
  const webhookId = await aWebhook(ledger)
  for (const amount of [1, 2, 3, 4]) await value.adjust(memberId, currencyId, amount)
  await finish(ledger, (await takeDue(ledger, webhookId))[0]!)
  await database.run(sql`update event set at = at - interval '31 days'`, terms)
  t.equal(await pruneEvents(database, 30), 1)
  t.same(await ledger.events.feedEnds(), { first: 2, last: 4 })
  for (;;) {
    const [due] = await takeDue(ledger, webhookId)
    if (due === undefined) break
    await finish(ledger, due)
  }
  t.equal(await pruneEvents(database, 30, 1), 1)
  t.equal(await pruneEvents(database, 30), 1)
  t.equal(await pruneEvents(database, 30), 0)
  t.same(await ledger.events.feedEnds(), { first: 4, last: 4 })
  const left = await ledger.webhooks.listDeliveries(webhookId, null, { after: null, limit: 10 })
  t.match(left, [{ event: { place: 4 } }])
  await value.adjust(memberId, currencyId, 5)
  t.match(await readEvents(ledger, 4), [{ place: 5 }])
})

t.test('a sale that was begun before others and committed after them is not missed', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const ledger = ledgers[0]!
  const [late, early] = [aSale(aRecord(ledger)), aSale(aRecord(ledger))]
  const commit = await recordLate(database, late)
  await ledger.sales.record(early, eventBody)
  const before = await readOn(ledger, 0)
  t.same(before.ids, [early.calculationId])
  await commit()
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
  // The last holder of the lock may have left places that the others read only now.
  const rest = await Promise.all(watchers)
  const { ids: order } = await readOn(ledgers[0]!, 0)
  t.same(order.toSorted(), ids)
  for (const seen of rest) t.same(seen, order.slice(0, seen.length))
})
