import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { reconcile } from '../../store/postgres/counters/reconcile.js'
import { Dice } from '../support/dice.js'
import { aMember, aRecord, aSale, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { firstSeed, sized } from '../support/sized.js'
import { until } from '../support/until.js'
import { astrayOf, recount } from './ledger-checker.js'
import { aMergeTable } from './ledger-contract-merging.js'
import { aClaim, aLadder, giveBack } from './return-builders.js'
import { anEarning, aSpender, aValueCommand, holdings } from './value-builders.js'

// Databases start slowly where everything runs at once.
t.setTimeout(1_800_000)

const server = await startPostgres()
t.teardown(() => server.stop())

const url = await server.createDatabase()
const ledger = await createPostgresLedger({ url, connections: 8, expiryS: 1_800, idempotencyS: 86_400, saleMs: plenty })
const database = createPostgresSql(url, 2)
t.teardown(async () => {
  await ledger.close()
  await database.close()
})
const value = aMergeTable({ ledger })
const rule = await value.rule()
const other = await value.currency()

/** Two members, the first with a sale and a hold. */
async function aPair() {
  // In the order in which their accounts are locked.
  const [from, into] = [await value.enrol(), await value.enrol()].sort() as [string, string]
  const limitId = `limit-${randomUUID()}`
  const earning = anEarning([{ ...rule, per: 'amount', every: 50, sent: 50, all: 50 }])
  const want = (subject: string) => aWant({ limitId, subject, units: 3, maximum: 5 })
  return {
    from,
    into,
    want,
    record: (more: object = {}) => aRecord(ledger, { memberId: from, earning, ...more }),
    counters: () => ledger.counters.lookUp([from, into].map((subject) => ({ limitId, subject, period: '' }))),
    points: async (memberId: string) => (await value.sums(memberId, rule.currencyId)).available,
  }
}

/** Resolves when `count` statements wait for a lock. */
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

/** Holds the rows of a statement while `during` runs. */
async function hold(statement: ReturnType<typeof sql>, during: () => Promise<void>): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.run(statement)
    await during()
  })
}

await t.test('a basket that is confirmed while its member is merged holds of the other’s counter', async (t) => {
  const { from, into, want, record, counters, points } = await aPair()
  const open = record({ holds: [want(from)] })
  const calls: Promise<{ readonly kind: string }>[] = []
  // The merge has both members and waits for a counter of the other; then the basket comes.
  const before = record({ memberId: into, holds: [want(into)] })
  await ledger.calculations.confirm(before, plenty)
  await ledger.calculations.confirm(record({ holds: [{ ...want(from), units: 1 }] }), plenty)
  await hold(sql`select from limit_counter where subject = ${into} for update`, async () => {
    calls.push(value.merge(from, into))
    await untilWaiting(1)
    calls.push(ledger.calculations.confirm(open, plenty))
    await untilWaiting(2)
  })
  t.match(await Promise.all(calls), [{ kind: 'done' }, { kind: 'short' }], '3 and 1 are held, and 5 is the most')
  t.match(await counters(), [{ open: 0 }, { open: 4 }])
  const small = record({ holds: [{ ...want(from), units: 1 }] })
  t.match(await ledger.calculations.confirm(small, plenty), { kind: 'confirmed' })
  t.match(await counters(), [{ open: 0 }, { open: 5 }])
  await ledger.sales.record(aSale(small), eventBody)
  t.match(await counters(), [
    { open: 0, used: 0 },
    { open: 4, used: 1 },
  ])
  t.equal(await points(into), 1)
})

await t.test(
  'a sale that is recorded while its member is merged earns for the other, also its first value',
  async (t) => {
    for (const isFirst of [true, false]) {
      const { from, into, record, points } = await aPair()
      if (!isFirst) await value.adjust(from, rule.currencyId, 10)
      // For this one the merge waits, after it has the accounts of the old member in all currencies.
      for (const member of [from, into]) await value.adjust(member, other, 1)
      const sold = record()
      await ledger.calculations.store([sold])
      const calls: Promise<{ readonly kind: string }>[] = []
      await hold(sql`select from account where member_id = ${into} for update`, async () => {
        calls.push(value.merge(from, into))
        await untilWaiting(1)
        const late = record()
        calls.push(ledger.calculations.store([late]).then(() => ledger.sales.record(aSale(late), eventBody)))
        calls.push(ledger.sales.record(aSale(sold), eventBody))
        await untilWaiting(3)
      })
      t.match(await Promise.all(calls), [{ kind: 'done' }, { kind: 'recorded' }, { kind: 'recorded' }])
      t.equal(await points(into), isFirst ? 2 : 12, isFirst ? 'the first' : 'a later one')
      t.equal(await points(from), 0)
    }
  },
)

await t.test('a sale that is claimed while it is returned keeps nothing of what was returned', async (t) => {
  const memberId = await value.enrol()
  await value.adjust(memberId, rule.currencyId, 1)
  const count = { ...rule, per: 'amount', every: 50, sent: 100 } as const
  const record = aRecord(ledger, {
    memberId: null,
    status: 'member_not_found',
    loyaltyDiscountTotal: 0,
    netAfter: 1_000,
  })
  const { calculationId } = record
  await ledger.calculations.store([record])
  await ledger.sales.record(aSale(record), eventBody)
  await ledger.returns.storeLadder(calculationId, aLadder([[1_000, 100]], []))
  const ladder = aLadder([[1_000, 100]], [{ ...count, lines: [0] }])
  const counted = aClaim(anEarning([{ ...count, all: count.sent }]), ladder)
  const calls: Promise<{ readonly kind: string }>[] = []
  // The claim has the ladder and waits for the account; then the return comes, which finds no member yet.
  await hold(sql`select from account where member_id = ${memberId} for update`, async () => {
    calls.push(
      ledger.sales.claim(aValueCommand(), {
        member: { memberId },
        calculationId,
        counted,
        isMove: false,
        isDryRun: false,
      }),
    )
    await untilWaiting(1)
    calls.push(giveBack(ledger, { calculationId }, [[0, 1_000]]))
    await untilWaiting(2)
  })
  t.match(await Promise.all(calls), [
    { kind: 'done', given: [{ amount: 2 }] },
    { kind: 'done', refund: 100, takenBack: [{ amount: 2, debt: 0, forgiven: 0 }] },
  ])
  t.match(await value.sums(memberId, rule.currencyId), { available: 1 }, 'as before the sale')
})

await t.test('a transfer to a member that is being merged into the giver waits for the merge', async (t) => {
  const { from, into } = await aPair()
  await value.adjust(into, other, 1)
  const calls: Promise<{ readonly kind: string }>[] = []
  await hold(sql`select from member where member_id = ${from} for update`, async () => {
    calls.push(value.merge(from, into))
    await untilWaiting(1)
    calls.push(value.transfer({ from: into, to: from, currencyId: other, amount: 1 }))
    await untilWaiting(2)
  })
  t.match(await Promise.all(calls), [{ kind: 'done' }, { kind: 'unknown_member', place: 1 }])
})

await t.test('a member is forgotten while a calculation joins the sale that came before it', async (t) => {
  const member = aMember()
  const { memberId } = member
  await ledger.members.store(aValueCommand(), [member])
  const ids = { memberId, loyaltyId: member.loyaltyIds[0]!, earning: anEarning([{}]) }
  const before = aRecord(ledger, ids)
  await ledger.calculations.store([before])
  await ledger.sales.record(aSale(before), eventBody)
  const record = aRecord(ledger, { ...ids, holds: [aWant()] })
  t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'unknown_calculation' })

  const calls: Promise<{ readonly kind: string }>[] = []
  await hold(sql`select from account where member_id = ${memberId} for update`, async () => {
    calls.push(ledger.members.forget(aValueCommand(), memberId, []))
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

for (const seed of Array.from({ length: sized(1, 10) }, (_, at) => firstSeed + at)) {
  await t.test(
    `merges, sales, baskets that spend, claims, transfers and forgetting at once lose nothing and leave nothing behind: seed ${seed}`,
    (t) => manyAtOnce(t, new Dice(seed)),
  )
}

async function manyAtOnce(t: Test, dice: Dice): Promise<void> {
  const members = await Promise.all(Array.from({ length: 16 }, () => value.enrol()))
  const { currencyId } = rule
  for (const memberId of members) await value.adjust(memberId, currencyId, 9)
  const limitId = `limit-${randomUUID()}`
  const earning = anEarning([{ ...rule, per: 'amount', every: 50, sent: 30, returned: 70, all: 70 }])
  const member = () => dice.pick(members)
  const holds = (memberId: string) => [aWant({ limitId, subject: memberId, units: 1, maximum: 1_000 })]
  async function sell(isHeld: boolean): Promise<unknown> {
    const memberId = member()
    const record = aRecord(ledger, { memberId, earning, holds: isHeld ? holds(memberId) : [] })
    if (isHeld) await ledger.calculations.confirm(record, plenty)
    else await ledger.calculations.store([record])
    return await ledger.sales.record(aSale(record), eventBody)
  }
  /** Two baskets of one member that want most of its value; some of their sales are failed or never come. */
  async function spend(): Promise<unknown> {
    const memberId = member()
    const records = [4, 7].map((amount) => aSpender(ledger, { memberId, currencyId, amount }, { earning }))
    const replies = await Promise.all(records.map((record) => ledger.calculations.confirm(record, plenty)))
    const confirmed = records.filter((_, at) => replies[at]!.kind === 'confirmed')
    const status = dice.pick(['applied', 'applied', 'failed', null] as const)
    if (status === null) return
    return await Promise.all(confirmed.map((record) => ledger.sales.record(aSale(record, { status }), eventBody)))
  }
  async function claim(): Promise<unknown> {
    const record = aRecord(ledger, { memberId: null, status: 'member_not_found' })
    await ledger.calculations.store([record])
    await ledger.sales.record(aSale(record), eventBody)
    const asked = {
      member: { memberId: member() },
      calculationId: record.calculationId,
      counted: aClaim(earning, aLadder([[1_000, 100]], [])),
      ...{ isMove: false, isDryRun: false },
    }
    return await ledger.sales.claim(aValueCommand(), asked)
  }
  const changes: readonly (() => Promise<unknown>)[] = [
    () => sell(true),
    () => sell(false),
    spend,
    claim,
    () => value.transfer({ from: member(), to: member(), currencyId, amount: 1 }),
    () => value.adjust(member(), currencyId, 2),
    () => value.merge(member(), member()),
    () => value.merge(member(), member(), { isDryRun: true }),
  ]
  const running = Array.from({ length: sized(320, 1_600) }, (_, at) => changes[at % changes.length]!())
  for (const memberId of members.slice(0, 2)) running.push(ledger.members.forget(aValueCommand(), memberId, []))
  const failed = (await Promise.allSettled(running)).filter(({ status }) => status === 'rejected')
  t.same(failed, [])
  t.same(
    (await recount(database)).filter((fault) => !fault.endsWith('has no body')),
    [],
  )
  const found = await reconcile(database, { since: '2000-01-01', until: null }, () => {})
  t.same(astrayOf(found), [])
  t.ok(found.spending.holds > 0 && found.earning.totals > 0)
  t.same(await stranded(), [])
}

/** Value left with members that were merged into others. */
async function stranded(): Promise<readonly unknown[]> {
  return await database.run(
    sql`
      select a.member_id, l.amount from lot l join account a on a.account_id = l.account_id
      where a.member_id in (select member_id from merged_member)
      union all
      select k.subject, k.open + k.used from limit_counter k where k.subject in (select member_id from merged_member)
      union all
      select a.member_id, t.given from earned_total t join account a on a.account_id = t.account_id
      where a.member_id in (select member_id from merged_member)`,
    { effect: 'reads', withinMs: plenty },
  )
}
