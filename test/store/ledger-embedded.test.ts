import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import type { Sql } from '../../store/postgres/connection/sql.js'
import { ledgerContract } from './ledger-contract.js'
import { reconcilePromises } from './reconcile-promises.js'
import { reconcileSumsPromises } from './reconcile-sums-promises.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

async function anEmptyDatabase(): Promise<Sql> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-ledger-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return await createPgliteSql(folder)
}

await t.test('the ledger embedded', async (t) => ledgerContract(t, await anEmptyDatabase()))
await t.test('reconciling embedded', async (t) => reconcilePromises(t, await anEmptyDatabase()))
await t.test('reconciling sums embedded', async (t) => reconcileSumsPromises(t, await anEmptyDatabase()))
