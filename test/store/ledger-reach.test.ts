import t, { type Test } from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { Dice } from '../support/dice.js'
import { aMember, aRecord, aSale, eventBody, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aValueCommand } from './value-builders.js'

t.setTimeout(240_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty }
const writes = { effect: 'writes', withinMs: plenty } as const
const dayMs = 86_400_000

async function anEmptyLedger(t: Test): Promise<{ readonly ledger: Ledger; readonly database: Sql }> {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, ...options })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await database.close()
    await ledger.close()
  })
  return { ledger, database }
}

const firstDay = Date.UTC(2026, 0, 1)
const dayOf = (day: number) => new Date(firstDay + day * dayMs).toISOString().slice(0, 10)

interface Got {
  readonly memberId: string
  readonly benefits: readonly string[]
  readonly day: number
}

/** A sale of a basket that a member was given benefits for on a day. */
async function sell(ledger: Ledger, { memberId, benefits, day }: Got): Promise<void> {
  const gave = JSON.stringify(benefits.map((benefit) => [benefit, 10]))
  const record = aRecord(ledger, { memberId, gave, answeredAt: firstDay + (day + 0.5) * dayMs })
  await ledger.calculations.store([record])
  await ledger.sales.record(aSale(record), eventBody)
}

async function sumAll(ledger: Ledger): Promise<void> {
  for (let idle = 0; idle < 3; ) idle = (await ledger.reports.sum(100)) === 0 ? idle + 1 : 0
}

async function reachOf(ledger: Ledger, [from, until]: readonly [number, number], benefitId = '') {
  const filter = { days: { from: dayOf(from), until: dayOf(until) }, benefitId }
  return await ledger.reports.readReach(filter, { benefit: benefitId === '', day: false }, 100)
}

t.test('members of any stretch of days are counted exactly, whatever came late', async (t) => {
  const parts = await anEmptyLedger(t)
  const dice = new Dice(11)
  const days = 460
  const got: Got[] = []
  for (let count = 0; count < 160; count += 1) {
    got.push({ memberId: `m-${dice.below(12)}`, benefits: dice.some(['a', 'b']), day: dice.below(days) })
  }
  // As a POS reports: by day, but some a visit late.
  got.sort((left, right) => left.day - right.day)
  const late = got.findIndex(
    ({ memberId }, at) => at > 20 && got.slice(0, at).some((each) => each.memberId === memberId),
  )
  const [moved] = got.splice(late, 1)
  const next = got.findIndex(({ memberId, day }) => memberId === moved!.memberId && day > moved!.day)
  got.splice(next + 1, 0, moved!)
  for (const [at, each] of got.entries()) {
    await sell(parts.ledger, each)
    if (at % 25 === 0 || each === moved) await sumAll(parts.ledger)
  }
  await sumAll(parts.ledger)
  const due = (benefit: string, [from, until]: readonly [number, number]) =>
    new Set(
      got
        .filter(({ benefits, day }) => (benefit === '' || benefits.includes(benefit)) && day >= from && day <= until)
        .map(({ memberId }) => memberId),
    ).size
  for (let count = 0; count < 60; count += 1) {
    const from = dice.below(days)
    const range = [from, Math.min(days, from + dice.below(400))] as const
    const found = await reachOf(parts.ledger, range)
    for (const benefit of ['a', 'b']) {
      const { members = 0 } = found.find(({ benefitId }) => benefitId === benefit) ?? {}
      t.equal(members, due(benefit, range), `${benefit} ${range}`)
    }
    const filter = { days: { from: dayOf(range[0]), until: dayOf(range[1]) }, benefitId: '' }
    const [any] = await parts.ledger.reports.readReach(filter, { benefit: false, day: false }, 1)
    t.equal(any?.members ?? 0, due('', range), `any ${range}`)
  }
  const { day } = moved!
  const filter = { days: { from: dayOf(day), until: dayOf(day) }, benefitId: moved!.benefits[0]! }
  const byDay = await parts.ledger.reports.readReach(filter, { benefit: true, day: true }, 10)
  t.match(byDay, [{ benefitId: moved!.benefits[0], day: dayOf(day), members: due(moved!.benefits[0]!, [day, day]) }])
})

t.test('members who come again on one day after different pauses all count, summed one at a time', async (t) => {
  const { ledger } = await anEmptyLedger(t)
  for (const [memberId, day] of [
    ['anna', 1],
    ['ben', 3],
    ['anna', 8],
    ['ben', 8],
  ] as const) {
    await sell(ledger, { memberId, benefits: ['a'], day })
    await sumAll(ledger)
  }
  for (const from of [4, 8]) t.match(await reachOf(ledger, [from, 8]), [{ benefitId: 'a', members: 2 }], `from ${from}`)
  t.match(await reachOf(ledger, [1, 8]), [{ benefitId: 'a', members: 2 }])
})

t.test('only baskets that were charged so count, and each member once a day', async (t) => {
  const parts = await anEmptyLedger(t)
  const { ledger } = parts
  for (let count = 0; count < 3; count += 1) await sell(parts.ledger, { memberId: 'anna', benefits: ['a'], day: 5 })
  const nobody = aRecord(ledger, { memberId: null, gave: '[["a",10]]' })
  const cancelled = aRecord(ledger, { memberId: 'ben', gave: '[["a",10]]' })
  await ledger.calculations.store([nobody, cancelled])
  await ledger.sales.record(aSale(nobody), eventBody)
  const none = { paidTotal: null, loyaltyDiscountTotal: null, transactionId: null }
  await ledger.sales.record(aSale(cancelled, { status: 'cancelled', ...none }), eventBody)
  await sumAll(ledger)
  t.match(await reachOf(ledger, [0, 399]), [{ benefitId: 'a', members: 1 }])
  const top = await ledger.reports.readTopMembers('a', 9)
  t.same(top, [{ memberId: 'anna', redemptions: 3, lastDay: dayOf(5) }], 'with each basket')
  t.ok((await ledger.reports.reachSince()) > 0)
})

t.test('a merged member goes on as one, and of a forgotten one nothing is left but the count', async (t) => {
  const parts = await anEmptyLedger(t)
  const { ledger, database } = parts
  const members = ['anna', 'ben'].map((memberId) => aMember({ memberId }))
  await ledger.members.store(aValueCommand(), members)
  await sell(parts.ledger, { memberId: 'anna', benefits: ['a'], day: 3 })
  await sell(parts.ledger, { memberId: 'ben', benefits: ['a'], day: 4 })
  await sumAll(ledger)
  await sell(parts.ledger, { memberId: 'ben', benefits: ['a'], day: 4 })
  await sumAll(ledger)
  const top = async () =>
    (await ledger.reports.readTopMembers('a', 9)).map(({ memberId, redemptions }) => [memberId, redemptions])
  t.same(await top(), [
    ['ben', 2],
    ['anna', 1],
  ])
  await ledger.members.merge(aValueCommand(), {
    from: { memberId: 'anna' },
    into: { memberId: 'ben' },
    venueLimits: [],
    isDryRun: false,
  })
  t.same(await top(), [['ben', 3]])
  await sell(parts.ledger, { memberId: 'ben', benefits: ['a'], day: 5 })
  await sumAll(ledger)
  t.match(await reachOf(ledger, [3, 5], 'a'), [{ members: 2 }], 'as they were counted')
  t.match(await reachOf(ledger, [4, 5], 'a'), [{ members: 1 }])
  await ledger.members.forget(aValueCommand(), 'ben', [])
  const left = await database.run(sql`select from benefit_member m where m.member_id in ('anna', 'ben')`, writes)
  t.equal(left.length, 0)
  t.match(await reachOf(ledger, [3, 5], 'a'), [{ members: 2 }])
})

t.test('a year of 20 benefits answers from its daily counts', async (t) => {
  const { ledger, database } = await anEmptyLedger(t)
  await database.run(
    sql`
      insert into benefit_reach (benefit_id, day, first, again)
      select 'benefit-' || b, '2025-06-01'::date + d, 3, array(select 2 from generate_series(1, least(d, 400)))
      from generate_series(0, 730) d, generate_series(1, 20) b`,
    writes,
  )
  await database.run({ text: 'analyze benefit_reach', values: [] }, writes)
  const read = () =>
    ledger.reports.readReach(
      { days: { from: '2026-05-01', until: '2027-04-30' }, benefitId: '' },
      { benefit: true, day: false },
      100,
    )
  const found = await read()
  t.equal(found.length, 20)
  const beganMs = performance.now()
  await read()
  t.comment(`${(performance.now() - beganMs).toFixed(0)} ms`)
})
