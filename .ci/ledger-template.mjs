// Builds the data folder of a new embedded ledger: initdb and the schema would take two seconds at the first start.
// It holds nothing specific to an installation. Rebuilt for another version of PGlite or another schema. One
// argument: the out dir, default dist.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const store = join(root, process.argv[2] ?? 'dist', 'store')
const template = join(store, 'embedded', 'ledger-template.tar.gz')
const madeOf = `${template}.version`
const version = versionOf(join(store, 'postgres', 'schema'))

if (!existsSync(template) || !existsSync(madeOf) || readFileSync(madeOf, 'utf8') !== version) {
  rmSync(madeOf, { force: true })
  rmSync(template, { force: true })
  writeFileSync(template, await pack())
  writeFileSync(madeOf, version)
}

function versionOf(schema) {
  const pglite = readFileSync(join(root, 'node_modules', '@electric-sql', 'pglite', 'package.json'), 'utf8')
  const hash = createHash('sha256')
    .update(JSON.parse(pglite).version)
    .update(readFileSync(fileURLToPath(import.meta.url)))
  const files = readdirSync(schema, { recursive: true }).filter((file) => file.endsWith('.sql'))
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(schema, file)))
  return hash.digest('hex')
}

async function pack() {
  const load = (...path) => import(pathToFileURL(join(store, ...path)).href)
  const [{ createPgliteSql }, { migrate }] = [
    await load('embedded', 'pglite-sql.js'),
    await load('postgres', 'schema', 'migrate.js'),
  ]
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-template-'))
  try {
    const sql = await createPgliteSql(folder)
    await migrate(sql)
    await sql.close()
    const database = await PGlite.create(folder)
    // Template databases are two thirds of the files, and a ledger has a single database.
    await database.exec("update pg_database set datistemplate = false where datname in ('template0', 'template1')")
    for (const name of ['template0', 'template1']) await database.exec(`drop database ${name}`)
    const dump = await database.dumpDataDir('gzip')
    await database.close()
    return Buffer.from(await dump.arrayBuffer())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
