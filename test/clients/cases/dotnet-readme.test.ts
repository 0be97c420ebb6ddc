import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startService, unhurried } from '../../e2e/service.js'
import { compileDotnet, dotnetOfClients, missing } from './runtimes.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')
t.setTimeout(180_000)

t.test(
  'the first basket of the README of pos-dotnet is priced',
  { skip: await missing(dotnetOfClients) },
  async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'pos-dotnet-'))
    const service = await startService({ env: unhurried })
    t.teardown(async () => {
      await service.stop()
      rmSync(scratch, { recursive: true })
    })
    const readme = readFileSync(join(root, 'clients', 'pos-dotnet', 'README.md'), 'utf8')
    const [, sample = ''] = /```csharp\n([\s\S]*?)```/.exec(readme) ?? []
    // A busy machine may take its time.
    const patient = sample.replace('"sales")', '"sales", new Times { AttemptMs = 10000, CapMs = 30000 })')
    t.not(patient, sample)
    writeFileSync(join(scratch, 'FirstBasket.cs'), patient)
    const program = compileDotnet(t, root, join(scratch, 'FirstBasket.cs'))
    const env = { ...process.env, LOYALTY_URL: service.url, LOYALTY_SECRET: service.secret }
    const { stdout } = await promisify(execFile)('mono', [program], { cwd: scratch, env })
    t.equal(stdout, 'applied 720\n')
  },
)
