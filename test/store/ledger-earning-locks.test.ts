import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import { anEarning, holdings } from './earning-builders.js'
import { aMember, aRecord, aSale, aWant, digestOf, eventBody, plenty } from './ledger-builders.js'
import { recount } from './ledger-checker.js'

// Databases start slowly where everything runs at once.
t.setTimeout(300_000)

const server = await startPostgres()
t.teardown(() => server.stop())

const url = await server.createDatabase()
const ledger = await createPostgresLedger({ url, connections: 4, expiryS: 1_800, idempotencyS: 86_400, saleMs: plenty })
const database = createPostgresSql(url, 2)
t.teardown(async () => {
  await ledger.close()
  await database.close()
})

async function untilWaiting(count: number): Promise<void> {
  await until(
    () =>
      database.run<{ pid: number }>(
        sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        { effect: 'reads', withinMs: plenty },
      ),
    ({ length }) => length === count,
  )
}

/** Holds the accounts of a member while `during` runs. */
async function holdAccounts(memberId: string, during: () => Promise<void>): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.run(sql`select account_id from account where member_id = ${memberId} for update`)
    await during()
  })
}

await t.test('a member is forgotten while a calculation joins the sale that came before it', async (t) => {
  const member = aMember()
  const { memberId } = member
  const command = (call: string) => ({ requestId: randomUUID(), digest: digestOf('x'), call, actor: 'test' })
  await ledger.members.store(command('MemberService/UpsertMembers'), [member])
  const ids = { memberId, loyaltyId: member.loyaltyIds[0]!, earning: anEarning([{}]) }
  const before = aRecord(ledger, ids)
  await ledger.calculations.store([before])
  await ledger.sales.record(aSale(before), eventBody)
  const record = aRecord(ledger, { ...ids, holds: [aWant()] })
  t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'unknown_calculation' })

  const calls: Promise<{ readonly kind: string }>[] = []
  await holdAccounts(memberId, async () => {
    calls.push(ledger.members.forget(command('MemberService/ForgetMember'), memberId, []))
    await untilWaiting(1)
    calls.push(ledger.calculations.confirm(record, plenty))
    await untilWaiting(2)
  })
  t.match(await Promise.all(calls), [{ kind: 'done' }, { kind: 'confirmed' }])
  t.same(await holdings(database, memberId), {})
  t.same(
    (await recount(database)).filter((fault) => !fault.endsWith('has no body')),
    [],
  )
})
