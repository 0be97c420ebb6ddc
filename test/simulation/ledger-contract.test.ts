import t from 'tap'
import type { Ledger } from '../../store/ledger.js'
import { createPosCalculations } from '../../store/postgres/calculations/pos-calculations.js'
import { faultFromError } from '../../store/postgres/connection/faults.js'
import { completeOptions } from '../../store/postgres/connection/options.js'
import type { Sql, Statement } from '../../store/postgres/connection/sql.js'
import { createCounterLookUp } from '../../store/postgres/counters/look-up-counters.js'
import { createSingleLookUps } from '../../store/postgres/look-ups.js'
import { createPosSales } from '../../store/postgres/sales/pos-sales.js'
import { createGateways } from '../../store/postgres/upkeep/gateways.js'
import { expiryPromises } from '../store/ledger-contract-expiry.js'
import { gatewayPromises } from '../store/ledger-contract-gateways.js'
import { limitPromises } from '../store/ledger-contract-limits.js'
import { racePromises } from '../store/ledger-contract-races.js'
import { endedHoldPromises } from '../store/ledger-contract-spending.js'
import { usedHoldPromises } from '../store/ledger-contract-spent-sales.js'
import { Dice } from '../support/dice.js'
import { workOf } from './postgres-link.js'
import { simulatedValue } from './simulated-value.js'
import { createDatabase, type Tables } from './transactions.js'
import type { VirtualTime } from './virtual-time.js'

/** Virtual time's face on real time. */
const time: Pick<VirtualTime, 'nowMs' | 'after'> = {
  get nowMs() {
    return performance.now()
  },
  after(delayMs, owner, happen) {
    const timer = setTimeout(() => owner.alive && happen(), delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}
const ledgerNowMs = () => Math.round(Date.now())
const simulated = createDatabase(time, new Dice(1), () => {})

const value = simulatedValue(simulated.tables, ledgerNowMs)

/** The simulated Postgres over a connection on which nothing is lost. */
const link: Sql = {
  run: <Row>(statement: Statement, { effect }: { effect: 'reads' | 'writes' }) =>
    new Promise<readonly Row[]>((resolve, reject) => {
      simulated.begin(
        workOf({ ledgerNowMs, planted: new Set(), time }, statement),
        (rows) => resolve(rows as readonly Row[]),
        (error) => reject(faultFromError(error, effect === 'writes' ? 'writing' : 'reading')),
      )
    }),
  transaction: () => Promise.reject(new Error('the simulated Postgres is migrated')),
  close: async () => {},
}

function openLedger(seconds: { readonly expiryS: number; readonly idempotencyS: number }): Ledger {
  const options = completeOptions({ ...seconds, readMs: 60_000, saleMs: 60_000 })
  const clock = { now: ledgerNowMs, learn: () => false, close: () => {} }
  const lookUps = createSingleLookUps(link, options)
  return {
    clock: clock.now,
    ...value,
    calculations: { ...value.calculations, ...createPosCalculations(link, { clock, lookUps }, options) },
    sales: createPosSales(link, options),
    counters: createCounterLookUp(link, options),
    gateways: createGateways(link),
  } as unknown as Ledger
}

/** What the suites look up, and put in place, beside the ledger's methods. */
const database: Sql = {
  ...link,
  async run<Row>({ text, values }: Statement) {
    const statement = statements.find(([start]) => text.trim().startsWith(start))
    if (statement === undefined) throw new Error(`no such look into the simulated tables: ${text}`)
    return statement[1](simulated.tables, String(values[0])) as readonly Row[]
  },
}

type Look = (tables: Tables, id: string) => readonly unknown[]

const statements: readonly (readonly [start: string, look: Look])[] = [
  ['select state::text from calculation', ({ calculations }, id) => [calculations.get(id)].filter((row) => row)],
  ['select to_json(discrepancies)', ({ sales }, id) => [sales.get(id)].filter((row) => row)],
  [
    'with c as',
    ({ calculations, reservations, holds }, id) => {
      calculations.set(id, { ...calculations.get(id)!, expiresAtMs: ledgerNowMs() })
      for (const [key, row] of reservations) {
        if (row.calculationId === id && row.state === 'open')
          reservations.set(key, { ...row, heldUntilMs: ledgerNowMs() })
      }
      for (const [key, row] of holds) {
        if (row.calculationId === id && row.state === 'open') holds.set(key, { ...row, heldUntilMs: ledgerNowMs() })
      }
      return []
    },
  ],
  [
    'delete from gateway',
    ({ gateways }) => {
      gateways.clear()
      return []
    },
  ],
  ['update gateway set held_until =', (tables, id) => moved(tables, id, { untilMs: ledgerNowMs() - 1_000 })],
  [
    "update gateway set held_since = held_since - interval '10 seconds'",
    (tables, id) => moved(tables, id, { byMs: 10_000 }),
  ],
  [
    "update gateway set held_since = held_since - interval '1 minute'",
    (tables) => {
      for (const [id, { heldUntilMs }] of tables.gateways)
        moved(tables, id, { byMs: 60_000, untilMs: heldUntilMs - 60_000 })
      return []
    },
  ],
]

function moved({ gateways }: Tables, id: string, { byMs = 0, untilMs }: { byMs?: number; untilMs?: number }): [] {
  const row = gateways.get(id)!
  gateways.set(id, { ...row, heldSinceMs: row.heldSinceMs - byMs, heldUntilMs: untilMs ?? row.heldUntilMs })
  return []
}

const subject = {
  ledger: openLedger({ expiryS: 1_800, idempotencyS: 86_400 }),
  hasty: openLedger({ expiryS: 1, idempotencyS: 1 }),
  database,
}

// The simulation models no money, no lots, no bodies and no end of an answer: the suites of answers and sales are for the real ledgers.
await t.test('limits of the simulated Postgres', (t) => limitPromises(t, subject))
await t.test('holds of value', (t) => endedHoldPromises(t, subject))
await t.test('sales that use value', (t) => usedHoldPromises(t, subject))
await t.test('expiry', (t) => expiryPromises(t, subject))
await t.test('gateways', (t) => gatewayPromises(t, subject))
await t.test('races', (t) => racePromises(t, subject))
