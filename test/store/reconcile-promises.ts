import type { Test } from 'tap'
import { type Sql, type Statement, sql } from '../../store/postgres/connection/sql.js'
import { type Difference, reconcile } from '../../store/postgres/counters/reconcile.js'
import { aCancellation, aRecord, aSale, aWant, eventBody, pass, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createLedger } from '../support/open-ledger.js'
import { until } from '../support/until.js'
import { done, giveBack, sellLines } from './return-builders.js'
import { anEarning, aSpender, aValueTable } from './value-builders.js'

const terms = { effect: 'writes', withinMs: plenty } as const
const always = { since: '2000-01-01T00:00:00Z', until: null }

/** Differences planted into a ledger where all agrees, the findings, and their repair. */
const plants: readonly (readonly [plant: Statement, undo: Statement, found: Found])[] = [
  [sql`update limit_counter set used = used + 1`, sql`update limit_counter set used = used - 1`, { differences: 1 }],
  [sql`update limit_counter set open = open + 3`, sql`update limit_counter set open = open - 3`, { differences: 1 }],
  [sql`update limit_counter set late = late + 1`, sql`update limit_counter set late = late - 1`, { differences: 1 }],
  [sql`update limit_counter set maximum = 1`, sql`update limit_counter set maximum = 100`, { differences: 1 }],
  [
    sql`update calculation set state = 'abandoned' where state = 'finalised'`,
    sql`update calculation set state = 'finalised' where state = 'abandoned' and net_after = 700`,
    { differences: 1, astray: 1 },
  ],
  [
    sql`update sale set status = 'failed' where status = 'applied' and paid_total = 700`,
    sql`update sale set status = 'applied' where status = 'failed'`,
    { differences: 1, astray: 1 },
  ],
  [
    sql`update reservation set state = 'late' where state = 'used'`,
    sql`update reservation r set state = 'used' from calculation c
      where c.calculation_id = r.calculation_id and c.state = 'finalised' and r.state = 'late'`,
    { differences: 0, astray: 1 },
  ],
]

interface Found {
  readonly differences: number
  readonly astray?: number
}

/** The same for accounts: the findings in `value`. */
const plantsOfValue: readonly (readonly [plant: Statement, undo: Statement, found: object])[] = [
  [
    sql`update lot set amount = amount + 1`,
    sql`update lot set amount = amount - 1`,
    {
      accountsAstray: 2,
      firstAstray: [
        { says: 8, due: 7 },
        { says: 4, due: 3 },
      ],
    },
  ],
  [sql`update account set debt = 2`, sql`update account set debt = 0`, { accountsAstray: 2 }],
  [
    sql`update entry set amount = amount + 1 where against = 'transferred' and amount > 0`,
    sql`update entry set amount = amount - 1 where against = 'transferred' and amount > 0`,
    { accountsAstray: 1, transfersAstray: 1 },
  ],
]

/** The same for rules: the findings in `earning`, and the number of differences that the service sees by itself. */
const plantsOfEarning: readonly (readonly [plant: Statement, undo: Statement, found: object, seen: number])[] = [
  [
    sql`update earned_total set given = given + 1`,
    sql`update earned_total set given = given - 1`,
    { earningAstray: 1, firstAstray: [{ ruleId: 'coffee', says: 3, due: 2 }] },
    1,
  ],
  [
    sql`update earned_total set total = total - 1`,
    sql`update earned_total set total = total + 1`,
    { earningAstray: 1, firstAstray: [{ ruleId: 'coffee', says: 2, due: 2 }] },
    1,
  ],
  [
    sql`update earned set taken = taken + 1`,
    sql`update earned set taken = taken - 1`,
    { earningAstray: 1, firstAstray: [{ ruleId: 'coffee', says: 2, due: 1 }] },
    1,
  ],
  [
    sql`update earned set returned = returned + 1`,
    sql`update earned set returned = returned - 1`,
    { earningAstray: 1, firstAstray: [{ ruleId: 'coffee', says: 2, due: 2 }] },
    1,
  ],
  [
    sql`update earned set given = given + 1`,
    sql`update earned set given = given - 1`,
    {
      earningAstray: 2,
      firstAstray: [
        { ruleId: '', says: 2, due: 3 },
        { ruleId: 'coffee', says: 2, due: 3 },
      ],
    },
    1,
  ],
  [
    sql`insert into value_rule (rule_id, currency_id, give, per, every) values ('coffee', 'stamps', 1, 'units', 2)`,
    sql`delete from value_rule where rule_id = 'coffee'`,
    { earningAstray: 1, firstAstray: [{ ruleId: 'coffee', says: 2, due: 2 }] },
    0,
  ],
]

/** The same for returns. */
const plantsOfReturns: readonly (readonly [plant: Statement, found: object])[] = [
  [sql`update sale_return set refund = 49`, { returnsAstray: 1, firstAstray: [{ what: 'refund', says: 49, due: 50 }] }],
  [
    sql`update sale_return set refund = 101`,
    { returnsAstray: 1, firstAstray: [{ what: 'refund', says: 101, due: 50 }] },
  ],
  [
    sql`update sale_return set lines = '[[0,3000]]'`,
    {
      returnsAstray: 2,
      firstAstray: [
        { what: 'quantity', says: 3_000, due: 2_000 },
        { what: 'refund', says: 50, due: 100 },
      ],
    },
  ],
  [
    sql`update sale_return set taken_back = '[{"currencyId":"stamps","amount":2,"debt":0,"forgiven":0}]'`,
    { returnsAstray: 1, firstAstray: [{ what: 'stamps', says: -2, due: 0 }] },
  ],
]

/** The same for spending of calculations. */
const plantsOfSpending: readonly (readonly [plant: Statement, undo: Statement, found: object, seen: number])[] = [
  [
    sql`update lot set held = held - 1 where held > 0`,
    sql`update lot set held = held + 1 where held > 0`,
    { accountsAstray: 1, firstAstray: [{ calculationId: null, what: 'held 2, due 3; used 4, due 4' }] },
    1,
  ],
  [
    sql`update value_hold set state = 'late' where state = 'used'`,
    sql`update value_hold set state = 'used' where state = 'late'`,
    { holdsAstray: 1, firstAstray: [{ what: 'late of 4, due used; 4 in lots' }] },
    1,
  ],
  [
    sql`update entry set amount = amount - 1 where against = 'redeemed'`,
    sql`update entry set amount = amount + 1 where against = 'redeemed'`,
    { accountsAstray: 1 },
    1,
  ],
  [
    sql`update value_hold_part set place = -place`,
    sql`update value_hold_part set place = -place`,
    { holdsAstray: 1, firstAstray: [{ what: 'used of 4, due used; 4 in lots out of order' }] },
    0,
  ],
  [
    sql`update value_hold_part set amount = amount + 1 where place = 1`,
    sql`update value_hold_part set amount = amount - 1 where place = 1`,
    { holdsAstray: 2 },
    1,
  ],
]

/** `reconcile` and the ledger's own recount, against an empty database. */
export async function reconcilePromises(t: Test, database: Sql): Promise<void> {
  const shared: Sql = { ...database, close: async () => {} }
  const options = { idempotencyS: 86_400, readMs: plenty, saleMs: plenty, recountPauseMs: 0 }
  const ledger = await createLedger(shared, { ...options, expiryS: 1_800 })
  const hasty = await createLedger(shared, { ...options, expiryS: 1 })
  t.teardown(async () => {
    await ledger.close()
    await hasty.close()
    await database.close()
  })
  const wanted = await fill(ledger, hasty)

  async function look() {
    const differences: Difference[] = []
    const found = await reconcile(database, always, (difference) => void differences.push(difference))
    t.equal(found.differences, differences.length)
    return { found, differences }
  }

  await t.test('counts records by state, status and kind, with the largest discrepancy of each', async (t) => {
    const { found, differences } = await look()
    t.same(differences, [])
    t.match(found, { differences: 0, reservationsAstray: 0, counters: 1, salesWithoutCalculation: 1 })
    t.same(found.calculations, [
      { state: 'abandoned', count: 1, withoutSale: 0 },
      { state: 'expired', count: 2, withoutSale: 1 },
      { state: 'finalised', count: 3, withoutSale: 0 },
      { state: 'open', count: 1, withoutSale: 1 },
      { state: 'superseded', count: 1, withoutSale: 1 },
    ])
    t.same(
      found.sales.map(({ status, result, count }) => `${status} ${result} ${count}`),
      ['applied recorded 4', 'applied unknown_calculation 1', 'cancelled recorded 1'],
    )
    t.same(
      found.discrepancies.map(({ kind, count, largest }) => [kind, count, largest.amount, largest.calculationId]),
      [
        ['late_event', 1, 800, wanted.late],
        ['paid_total_mismatch', 2, 60, wanted.largest],
        ['unknown_calculation', 1, 800, wanted.unknown],
      ],
    )
  })

  await t.test('a period holds what was answered and recorded in it', async (t) => {
    const nobody = await reconcile(database, { since: '2000-01-01', until: '2000-01-02' }, () => {})
    t.same([nobody.calculations, nobody.sales, nobody.discrepancies], [[], [], []])
    t.equal(nobody.counters, 1, 'counters are recounted whatever the period')
  })

  await t.test('every planted difference of accounts is found by both', async (t) => {
    const value = aValueTable(ledger)
    const [from, to, currencyId] = [await value.enrol(), await value.enrol(), await value.currency()]
    await value.adjust(from, currencyId, 10)
    await value.transfer({ from, to, currencyId, amount: 3 })
    const sound = { accounts: 2, accountsAstray: 0, firstAstray: [], transfersAstray: 0 }
    t.same((await look()).found.value, sound)
    t.match(await nextRound(ledger), { differences: 0, accounts: 2, found: [] })
    for (const [plant, undo, found] of plantsOfValue) {
      await database.run(plant, terms)
      t.match((await look()).found.value, found, plant.text)
      t.match(await nextRound(ledger), { differences: 2, found: [/^account \d+ of currency-/, /^account/] }, plant.text)
      await database.run(undo, terms)
    }
    t.same((await look()).found.value, sound)
  })

  await t.test('every planted difference of earning is found', async (t) => {
    const record = aRecord(ledger, { memberId: 'member-who-earns', earning: anEarning([{ sent: 2 }]) })
    await ledger.calculations.store([record])
    await ledger.sales.record(aSale(record), eventBody)
    const sound = { totals: 1, earningAstray: 0, firstAstray: [] }
    t.same((await look()).found.earning, sound)
    for (const [plant, undo, found, seen] of plantsOfEarning) {
      await database.run(plant, terms)
      t.match((await look()).found.earning, found, plant.text)
      t.equal((await nextRound(ledger)).differences, seen, plant.text)
      await database.run(undo, terms)
    }
    t.same((await look()).found.earning, sound)
  })

  await t.test('every planted difference is found, by reconcile and by the recount of the service', async (t) => {
    t.match(await nextRound(ledger), { differences: 0, counters: 1, passedOver: 0, found: [] })
    for (const [plant, undo, { differences, astray = 0 }] of plants) {
      await database.run(plant, terms)
      const { found } = await look()
      t.match(found, { differences, reservationsAstray: astray }, plant.text)
      // The maximum is only looked at by reconcile.
      const recounted = plant.text.includes('maximum') ? 0 : differences
      t.match(await nextRound(ledger), { differences: recounted, found: { length: recounted } }, plant.text)
      await database.run(undo, terms)
      t.match((await look()).found, { differences: 0, reservationsAstray: 0 }, undo.text)
    }
  })

  await t.test('a difference names its counter and both sums', async (t) => {
    await database.run(sql`update limit_counter set used = used + 1`, terms)
    const { differences } = await look()
    t.match(differences, [
      { limitId: wanted.limitId, says: { used: 2, open: 1, late: 1 }, due: { used: 1, open: 1, late: 1 } },
    ])
    const { found } = await nextRound(ledger)
    t.same(found, [`${wanted.limitId}||: open 1, used 2, late 1; by the records open 1, used 1, late 1`])
    await database.run(sql`update limit_counter set used = used - 1`, terms)
  })

  await t.test('more differences than a page are all handed on', async (t) => {
    await database.run(
      sql`insert into limit_counter (limit_id, subject, period, used, maximum)
        select 'many', number, '', 1, 9 from generate_series(1, 1200) number`,
      terms,
    )
    t.equal((await look()).differences.length, 1_200)
    await database.run(sql`delete from limit_counter where limit_id = 'many'`, terms)
  })

  await t.test('the recount goes on where it stopped, waits its pause, and counts discrepancies by kind', async (t) => {
    const patient = await createLedger(shared, { ...options, expiryS: 1_800, recountPauseMs: 3_600_000 })
    t.teardown(() => patient.close())
    const before = await patient.counters.recount()
    t.equal((await patient.counters.recount()).endedAtS, before.endedAtS, 'somebody has just been at it')
    t.same(before.discrepancies, { late_event: 1, paid_total_mismatch: 2, unknown_calculation: 1 })
    await database.run(sql`update recount set next_counter = 1000000`, terms)
    // A round takes several slices on a busy machine.
    const slices: Recounted[] = []
    await until(
      async () => slices.push(await ledger.counters.recount()),
      () => slices.at(-1)!.counters === 0,
    )
    t.equal(slices.at(-1)!.counters, 0)
    t.same(
      slices.flatMap(({ found }) => found),
      [],
    )
    t.match(await nextRound(ledger), { counters: 1 })
  })

  await spendingAndReturnPromises(t, { ledger, database, look })
}

async function spendingAndReturnPromises(
  t: Test,
  {
    ledger,
    database,
    look,
  }: {
    readonly ledger: Ledger
    readonly database: Sql
    readonly look: () => Promise<{ readonly found: Awaited<ReturnType<typeof reconcile>> }>
  },
): Promise<void> {
  await t.test('every planted difference of spending is found', async (t) => {
    const value = aValueTable(ledger)
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    await value.adjust(memberId, currencyId, 10)
    await value.adjust(memberId, currencyId, 1, { expiresAt: ledger.clock() + 86_400_000 })
    const [used, open] = [4, 3].map((amount) => aSpender(ledger, { memberId, currencyId, amount }))
    for (const record of [used!, open!]) await ledger.calculations.confirm(record, plenty)
    await ledger.sales.record(aSale(used!), eventBody)
    const sound = { holds: 2, holdsAstray: 0, accountsAstray: 0, firstAstray: [] }
    t.same((await look()).found.spending, sound)
    t.match(await nextRound(ledger), { differences: 0 })
    for (const [plant, undo, found, seen] of plantsOfSpending) {
      await database.run(plant, terms)
      t.match((await look()).found.spending, found, plant.text)
      t.equal((await nextRound(ledger)).differences, seen, plant.text)
      await database.run(undo, terms)
    }
    t.same((await look()).found.spending, sound)
  })

  await t.test('every planted difference of returns is found', async (t) => {
    const record = await sellLines(ledger, null, { lines: [[2_000, 100]], rules: [] })
    done(await giveBack(ledger, record, [[0, 1_000]]))
    const sound = { returns: 1, returnsAstray: 0, firstAstray: [] }
    for (const [plant, found] of plantsOfReturns) {
      t.same((await look()).found.returns, sound)
      await database.run(plant, terms)
      t.match((await look()).found.returns, found, plant.text)
      const undo = sql`update sale_return set refund = 50, lines = '[[0,1000]]', taken_back = '[]'`
      await database.run(undo, terms)
    }
    t.same((await look()).found.returns, sound)
  })
}

type Recounted = Awaited<ReturnType<Ledger['counters']['recount']>>

/** Recounts until a round has ended that began after this call, with the findings of its slices. */
async function nextRound(ledger: Ledger) {
  const found = new Set<string>()
  const slice = async () => {
    const recounted = await ledger.counters.recount()
    for (const line of recounted.found) found.add(line)
    return recounted
  }
  const { endedAtS } = await slice()
  let last = await slice()
  while (last.endedAtS === endedAtS) last = await slice()
  return { ...last, found: [...found] }
}

/** One calculation of each kind on one counter, each in its state. */
async function fill(ledger: Ledger, hasty: Ledger) {
  const want = aWant({ maximum: 100 })
  const limited = (overrides = {}) => aRecord(ledger, { holds: [want], ...overrides })
  const [used, open, superseded, cancelled] = [limited({ netAfter: 700 }), limited(), limited(), limited()]
  const [late, expired] = [limited(), limited()]
  for (const record of [used, open, superseded, cancelled]) await ledger.calculations.confirm(record, plenty)
  for (const record of [late, expired]) await hasty.calculations.confirm(record, plenty)
  const [better, worse] = [aRecord(ledger, { supersedesCalculationId: superseded.calculationId }), aRecord(ledger)]
  await ledger.calculations.store([better, worse])
  await pass(hasty, 1_000)
  await hasty.calculations.expire(10)
  await ledger.sales.record(aSale(used), eventBody)
  await ledger.sales.record(aSale(late), eventBody)
  await ledger.sales.record(aCancellation(cancelled), eventBody)
  await ledger.sales.record(aSale(better, { paidTotal: 803 }), eventBody)
  await ledger.sales.record(aSale(worse, { paidTotal: 740 }), eventBody)
  const unknown = aRecord(ledger)
  await ledger.sales.record(aSale(unknown), eventBody)
  return {
    limitId: want.limitId,
    late: late.calculationId,
    largest: worse.calculationId,
    unknown: unknown.calculationId,
  }
}
