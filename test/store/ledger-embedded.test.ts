import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import { ledgerContract } from './ledger-contract.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

const folder = await mkdtemp(join(tmpdir(), 'loyalty-ledger-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

await t.test('the ledger embedded', async (t) => {
  await ledgerContract(t, await createPgliteSql(folder))
})
