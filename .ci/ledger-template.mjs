// Packs the data folder of a new embedded ledger: initdb and the schema would take two seconds at the first start.
// It holds nothing specific to an installation.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

export async function buildLedgerTemplate(out) {
  const load = (...path) => import(pathToFileURL(join(out, 'store', ...path)).href)
  const { createPgliteSql } = await load('embedded', 'pglite-sql.js')
  const { migrate } = await load('postgres', 'schema', 'migrate.js')
  const packed = join(out, 'store', 'embedded', 'ledger-template.tar.gz')
  rmSync(packed, { force: true })
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-template-'))
  try {
    const sql = await createPgliteSql(folder)
    await migrate(sql)
    await sql.close()
    writeFileSync(packed, await dump(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function dump(folder) {
  const database = await PGlite.create(folder)
  // Template databases are two thirds of the files, and a ledger has a single database.
  await database.exec("update pg_database set datistemplate = false where datname in ('template0', 'template1')")
  for (const name of ['template0', 'template1']) await database.exec(`drop database ${name}`)
  const dump = await database.dumpDataDir('gzip')
  await database.close()
  return Buffer.from(await dump.arrayBuffer())
}
