// Makes the file from which an embedded ledger starts: what Postgres's initdb would make, which takes a second and a half. Made again
// only for another version of PGlite. One argument: the out dir, default dist.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, process.argv[2] ?? 'dist', 'store', 'embedded')
const template = join(folder, 'ledger-template.tar.gz')
const madeBy = `${template}.version`
const { version } = JSON.parse(
  readFileSync(join(root, 'node_modules', '@electric-sql', 'pglite', 'package.json'), 'utf8'),
)

if (!existsSync(template) || !existsSync(madeBy) || readFileSync(madeBy, 'utf8') !== version) {
  mkdirSync(folder, { recursive: true })
  rmSync(madeBy, { force: true })
  const database = await PGlite.create()
  const dump = await database.dumpDataDir('gzip')
  await database.close()
  writeFileSync(template, Buffer.from(await dump.arrayBuffer()))
  writeFileSync(madeBy, version)
}
