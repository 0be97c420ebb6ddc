import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ledgerTemplate } from '../../store/embedded/ledger-template.js'

t.test('an empty folder starts from what the build has packed, one that is used is left as it is', async (t) => {
  const folder = t.testdir({})
  t.ok(((await ledgerTemplate(folder))?.size ?? 0) > 1_000_000, 'the build packs one')
  t.ok(await ledgerTemplate(join(folder, 'not-there-yet')))
  writeFileSync(join(folder, 'PG_VERSION'), '17')
  t.equal(await ledgerTemplate(folder), null)
})
