import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { plenty } from '../support/ledger-builders.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { ledgerContract } from './ledger-contract.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

const server = await startPostgres()
t.teardown(() => server.stop())

await t.test('the ledger on real Postgres', async (t) => {
  await ledgerContract(t, createPostgresSql(await server.createDatabase(), undefined, plenty))
})
