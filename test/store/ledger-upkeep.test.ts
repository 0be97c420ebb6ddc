import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { lockFolder } from '../../store/embedded/folder.js'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import { withSample } from '../../store/postgres/calculations/ledger-clock.js'
import { bodyDaysDefault, completeOptions } from '../../store/postgres/connection/options.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { dropPartitions, ensurePartitions } from '../../store/postgres/upkeep/retention.js'
import { aRecord, aSale, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import { createEmbeddedLedger, createLedger } from '../support/open-ledger.js'
import { until } from '../support/until.js'
import { recount } from './ledger-checker.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

const options = { expiryS: 1_800, idempotencyS: 86_400 }
const terms = { effect: 'writes', withinMs: plenty } as const

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-upkeep-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

// The test counts days: within a minute of midnight it waits for the new one.
await until(
  () => Date.now() % 86_400_000,
  (ms) => ms < 86_340_000,
)

const database = await createPgliteSql(await aFolder())
const ledger = await createLedger(database, options)
t.teardown(() => ledger.close())

await t.test('day partitions are created early and dropped whole, and their answers are outlived', async (t) => {
  const days = async () => {
    const rows = await database.run<{ day: string }>(
      sql`select c.relname::text as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'calculation_body'::regclass order by 1`,
      terms,
    )
    return rows.map(({ day }) => day)
  }
  t.equal((await days()).length, 2, 'at a start today and tomorrow; the first round makes a week')
  await ensurePartitions(database, 9)
  await ensurePartitions(database, 9)
  t.equal((await days()).length, 10)
  const record = aRecord(ledger, { requestedAt: 'body dropped' })
  await ledger.calculations.store([record])
  t.equal(await dropPartitions(database, 0), 0, 'today stays')
  t.match(await ledger.calculations.findAnswer(record.calculationId), { kind: 'stored' })
  t.equal(await dropPartitions(database, -1), 1)
  t.same(await ledger.calculations.findAnswer(record.calculationId), { kind: 'outlived' })
  t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'recorded', discrepancies: [] })
  await ensurePartitions(database, 0)
  t.equal((await days()).length, 10)
})

await t.test('a body is stored at least as long as its answer is repeated', async (t) => {
  t.equal(completeOptions({ ...options, bodyDays: 0 }).bodyDays, 2)
  t.equal(completeOptions(options).bodyDays, bodyDaysDefault)
  t.equal(completeOptions({ ...options, bodyDays: 14, idempotencyS: 10 * 86_400 }).bodyDays, 14)
  t.equal(completeOptions({ ...options, bodyDays: 14, idempotencyS: 20 * 86_400 }).bodyDays, 21)
})

await t.test('only clock comparisons that contradict the last one are forgotten', async (t) => {
  const first = { offset: 1_000, roundTripMs: 10 }
  const near = { offset: 1_008, roundTripMs: 2 }
  const set = { offset: 61_000, roundTripMs: 2 }
  t.same(withSample([first], near), [first, near])
  t.same(withSample([first, near], set), [set])
  const many = Array.from({ length: 20 }, () => near).reduce<readonly (typeof near)[]>(withSample, [])
  t.equal(many.length, 8)
})

await t.test('the checker finds each planted fault', async (t) => {
  const record = aRecord(ledger, { holds: [aWant()] })
  await ledger.calculations.confirm(record, plenty)
  const unknown = aRecord(ledger)
  await ledger.sales.record(aSale(unknown), eventBody)
  await ledger.calculations.store([unknown])
  t.same(await recount(database), [])
  const plants = [
    [sql`update limit_counter set open = open + 1`, sql`update limit_counter set open = open - 1`],
    [sql`update limit_counter set maximum = 0`, sql`update limit_counter set maximum = 10`],
    [
      sql`update calculation set state = 'expired' where state = 'open'`,
      sql`update calculation set state = 'open' where state = 'expired'`,
    ],
    [
      sql`update calculation set state = 'open' where state = 'finalised'`,
      sql`update calculation set state = 'finalised' where not confirmed`,
    ],
    [sql`update sale set discrepancies = '{unknown_calculation}'`, sql`update sale set discrepancies = '{}'`],
    [sql`delete from calculation_body`, null],
  ] as const
  for (const [plant, undo] of plants) {
    await database.run(plant, terms)
    t.not((await recount(database)).length, 0, plant.text)
    if (!undo) continue
    await database.run(undo, terms)
    t.same(await recount(database), [], undo.text)
  }
})

await t.test('only one process at a time has a data folder', async (t) => {
  const folder = await aFolder()
  const unlock = await lockFolder(join(folder, 'ledger'))
  await t.rejects(createEmbeddedLedger({ folder, ...options }), { message: /in use by another process/ })
  await unlock()
  const again = await lockFolder(join(folder, 'ledger'))
  await again()
})

await t.test('acknowledged writes of the embedded ledger survive kill -9, in order without gaps', async (t) => {
  const folder = await aFolder()
  const acknowledged = await killedWhileWriting(folder)
  t.ok(acknowledged.length > 20, `${acknowledged.length} written before the kill`)
  const ledger = await createEmbeddedLedger({ folder, ...options, readMs: plenty })
  t.teardown(() => ledger.close())
  for (const calculationId of acknowledged)
    t.match(await ledger.calculations.findAnswer(calculationId), { kind: 'stored' })
  t.same(await ledger.calculations.findAnswer(randomUUID()), { kind: 'unknown' })
})

/** Kills a process that confirms without end, and resolves to the GUIDs that it had reported as confirmed. */
function killedWhileWriting(folder: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'confirm-without-end.js'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
    if (output.split('\n').length > 40) child.kill('SIGKILL')
  })
  return new Promise((resolve) => {
    // A line that was cut off was not acknowledged.
    child.once('close', () => resolve(output.split('\n').slice(0, -1)))
  })
}
