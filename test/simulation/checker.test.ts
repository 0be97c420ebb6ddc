import t from 'tap'
import { recount } from './checker.js'
import {
  type AccountRow,
  type CalculationRow,
  type CounterRow,
  type EntryRow,
  emptyTables,
  type HoldRow,
  type ReservationRow,
  type SaleRow,
  type Tables,
} from './transactions.js'
import { accountsAstray, createDebtWitness, earningAstray, livingSpends, spendingAstray } from './value-checks.js'
import { accountOf } from './value-functions.js'

/** A ledger in which one calculation holds two of three units. */
function tablesWith(change: {
  readonly counter?: Partial<CounterRow>
  readonly reservation?: Partial<ReservationRow>
  readonly calculation?: Partial<CalculationRow>
}): Tables {
  const counter = { limitId: 'a', subject: '', period: '', used: 0, open: 2, late: 0, maximum: 3, ...change.counter }
  const reservation: ReservationRow = {
    calculationId: 'one',
    counter: 'a',
    units: 2,
    heldUntilMs: 1_000,
    state: 'open',
    ...change.reservation,
  }
  const calculation: CalculationRow = {
    calculationId: 'one',
    supersedes: null,
    venueId: 'v1',
    memberId: 'm1',
    earning: null,
    status: 'applied',
    answeredAtMs: 0,
    expiresAtMs: 1_000,
    state: 'open',
    confirmed: true,
    replayed: false,
    digest: Buffer.alloc(0),
    packed: Buffer.alloc(0),
    ...change.calculation,
  }
  return {
    ...emptyTables(),
    calculations: new Map([['one', calculation]]),
    counters: new Map([['a', counter]]),
    reservations: new Map([['one a', reservation]]),
  }
}

t.test('a recount of consistent tables finds nothing', async (t) => {
  t.same(recount(tablesWith({})), [])
})

const faults = {
  'counts more than is held': { counter: { open: 3 } },
  'counts less than is held': { counter: { open: 1 } },
  'counts use that nothing stands for': { counter: { used: 1 } },
  'passes its maximum': { counter: { maximum: 1 } },
  'is negative': { counter: { open: -2 }, reservation: { units: -2 } },
  'is held by what is superseded': { calculation: { state: 'superseded' } },
  'is used by what is abandoned': {
    counter: { open: 0, used: 2 },
    reservation: { state: 'used' },
    calculation: { state: 'abandoned' },
  },
} as const

for (const [name, change] of Object.entries(faults)) {
  t.test(`a recount reports a counter that ${name}`, async (t) => {
    t.ok(recount(tablesWith(change)).length > 0)
  })
}

/** A ledger in which one sale was charged, used 2 of 5 stamps and earned 1, and another calculation holds 3. */
function valueWith(change: {
  readonly account?: Partial<AccountRow>
  readonly used?: Partial<HoldRow>
  readonly open?: Partial<HoldRow>
  readonly sale?: Partial<SaleRow>
  readonly entries?: readonly EntryRow[]
}) {
  const account = accountOf('m1', 'stamps')
  const used: HoldRow = { calculationId: 'one', account, amount: 2, heldUntilMs: 1_000, state: 'used', ...change.used }
  const open: HoldRow = { ...used, calculationId: 'two', amount: 3, state: 'open', ...change.open }
  const calculation = tablesWith({}).calculations.get('one')!
  const sale: SaleRow = {
    calculationId: 'one',
    status: 'applied',
    result: 'recorded',
    discrepancies: [],
    recordedAtMs: 0,
    digest: Buffer.alloc(0),
    body: Buffer.alloc(0),
    ...change.sale,
  }
  const entries = [
    { cause: 'opening', account, amount: 5 },
    { cause: 'spending:one', account, amount: -2 },
    { cause: 'calculation:one', account, amount: 1 },
    ...(change.entries ?? []),
  ]
  const row = { memberId: 'm1', currencyId: 'stamps', available: 1, held: 3, debt: 0, total: 800, ...change.account }
  const tables: Tables = {
    ...emptyTables(),
    calculations: new Map([
      ['one', { ...calculation, state: 'finalised' }],
      ['two', { ...calculation, calculationId: 'two' }],
    ]),
    accounts: new Map([[account, row]]),
    holds: new Map([
      ['one', used],
      ['two', open],
    ]),
    sales: new Map([['one', sale]]),
    entries: new Map(entries.map((entry, at) => [String(at), entry])),
  }
  const base = { sent: 1_000, returned: 800 }
  const answers = new Map([
    ['one', { spends: { stamps: 2 }, base }],
    ['two', { spends: { stamps: 3 }, base }],
  ])
  return [...accountsAstray(tables), ...spendingAstray(tables, answers), ...earningAstray(tables, answers)]
}

t.test('a recount of consistent value finds nothing', async (t) => {
  t.same(valueWith({}), [])
})

const account = accountOf('m1', 'stamps')
const valueFaults = {
  'an account that has more than its entries': { account: { available: 2 } },
  'an overdrawn account': { account: { available: -1, held: 5 } },
  'what is held and no hold says so': { account: { held: 2, available: 2 } },
  'a total that no sale makes': { account: { total: 1_600 } },
  'a sale that earned twice': {
    account: { available: 2 },
    entries: [{ cause: 'calculation:one', account, amount: 1 }],
  },
  'a sale that spent twice': { account: { available: -1 }, entries: [{ cause: 'spending:one', account, amount: -2 }] },
  'a hold that was released although its sale was charged': { used: { state: 'released' } },
  'a hold that was used by a sale that failed': { sale: { status: 'failed' } },
  'a hold that was used without a sale': { open: { state: 'used' } },
  'less held than the answer spends': { open: { amount: 2 }, account: { held: 2, available: 2 } },
} as const

for (const [name, change] of Object.entries(valueFaults)) {
  t.test(`a recount reports ${name}`, async (t) => {
    t.ok(valueWith(change).length > 0)
  })
}

t.test('debt is only of a late use', async (t) => {
  const [debts, late, row] = [createDebtWitness(), createDebtWitness(), { memberId: 'm1', currencyId: 'stamps' }]
  const owing = { ...row, available: 0, held: 0, debt: 2, total: 0 }
  const tables: Tables = { ...emptyTables(), accounts: new Map([[account, owing]]) }
  t.equal(debts.committed(tables).length, 1)
  t.same(debts.committed(tables), [], 'reported once')
  const hold: HoldRow = { calculationId: 'one', account, amount: 2, heldUntilMs: 0, state: 'late' }
  t.same(late.committed({ ...tables, holds: new Map([['one', hold]]) }), [])
})

t.test('answers that live spend no more than the member ever had', async (t) => {
  const { calculations } = tablesWith({})
  const entries = new Map([['0', { cause: 'opening', account, amount: 5 }]])
  const tables: Tables = { ...emptyTables(), calculations, entries }
  t.same(livingSpends(tables, [['one', { spends: { stamps: 5 } }]]), [])
  t.equal(livingSpends(tables, [['one', { spends: { stamps: 6 } }]]).length, 1)
})
