import t from 'tap'
import { recount } from './checker.js'
import type { CalculationRow, CounterRow, ReservationRow, Tables } from './transactions.js'

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
    calculations: new Map([['one', calculation]]),
    counters: new Map([['a', counter]]),
    reservations: new Map([['one a', reservation]]),
    sales: new Map(),
    gateways: new Map(),
    wishes: new Map(),
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
