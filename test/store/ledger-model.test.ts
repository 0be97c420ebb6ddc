import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import type { PosCalculations } from '../../store/ledger/calculations.js'
import type { Ledger } from '../../store/ledger.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import type { Sql } from '../../store/postgres/connection/sql.js'
import { reconcile } from '../../store/postgres/counters/reconcile.js'
import { createLedger } from '../../store/postgres/ledger.js'
import { fc } from '../support/seeded.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { sized } from '../support/sized.js'
import { plenty } from './ledger-builders.js'
import { recount } from './ledger-checker.js'
import { aReal, steps } from './model/ledger-steps.js'
import { ReferenceLedger } from './model/reference-ledger.js'

// Databases start slowly on a busy machine.
t.setTimeout(400_000)

const runsEmbedded = sized(60, 100)
const runsReal = sized(40, 400)
const stepsMax = 40

interface Seen {
  readonly states: ReadonlySet<string>
  readonly words: ReadonlySet<string>
}

/** Runs sequences of baskets, changed baskets, sales, expiry and late events; rejects where the ledger deviates from the model. */
async function follow(ledger: Ledger, database: Sql, runs: number): Promise<Seen> {
  const [states, words] = [new Set<string>(), new Set<string>()]
  const property = fc.asyncProperty(fc.commands(steps, { maxCommands: stepsMax, size: 'max' }), async (commands) => {
    const model = new ReferenceLedger()
    await fc.asyncModelRun(() => ({ model, real: aReal(ledger, database) }), commands)
    for (const { state } of model.calculations.values()) states.add(state)
    for (const { discrepancies } of model.sales.values()) for (const word of discrepancies) words.add(word)
  })
  await fc.assert(property, { numRuns: runs, endOnFailure: true })
  return { states, words }
}

async function followsModel(t: Test, database: Sql, runs: number): Promise<Ledger> {
  const ledger = await createLedger(database, { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty })
  t.teardown(() => ledger.close())
  const { states, words } = await follow(ledger, database, runs)
  // A branch that was never reached has not been tested.
  t.same([...states].sort(), ['abandoned', 'expired', 'finalised', 'open', 'superseded'])
  t.same([...words].sort(), [
    'late_event',
    'limit_exceeded',
    'paid_total_mismatch',
    'status_mismatch',
    'superseded',
    'unknown_calculation',
    'venue_mismatch',
  ])
  t.same(await recount(database), [])
  const found = await reconcile(database, { since: '2000-01-01', until: null }, () => {})
  t.match(found, { differences: 0, reservationsAstray: 0 })
  return ledger
}

await t.test('the embedded ledger agrees with its model, and a ledger with a mistake does not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-model-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const database = await createPgliteSql(folder)
  const ledger = await followsModel(t, database, runsEmbedded)
  const mistaken: readonly Partial<PosCalculations>[] = [
    { confirm: (record, ms) => ledger.calculations.confirm({ ...record, supersedesCalculationId: null }, ms) },
    {
      store: (records) => ledger.calculations.store(records.map((each) => ({ ...each, venueId: 'venue-9' }))),
    },
    { expire: async () => 0 },
    { withdraw: async () => 'withdrawn' },
  ]
  const wrongLedgers: readonly Ledger[] = [
    ...mistaken.map((mistake) => ({ ...ledger, calculations: { ...ledger.calculations, ...mistake } })),
    {
      ...ledger,
      sales: { ...ledger.sales, record: (event, body) => ledger.sales.record({ ...event, status: 'applied' }, body) },
    },
  ]
  for (const wrong of wrongLedgers) await t.rejects(follow(wrong, database, runsEmbedded))
})

await t.test('the ledger on real Postgres agrees with its model', async (t) => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  await followsModel(t, createPostgresSql(await server.createDatabase(), 2), runsReal)
})
