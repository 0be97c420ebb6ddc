import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startService, unhurried } from '../../e2e/service.js'
import { compileJava, javaOfClients, missing } from './runtimes.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')
t.setTimeout(180_000)

t.test('the first basket of the README of pos-java is priced', { skip: await missing(javaOfClients) }, async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'pos-java-'))
  const service = await startService({ env: unhurried })
  t.teardown(async () => {
    await service.stop()
    rmSync(scratch, { recursive: true })
  })
  const readme = readFileSync(join(root, 'clients', 'pos-java', 'README.md'), 'utf8')
  const [, sample = ''] = /```java\n([\s\S]*?)```/.exec(readme) ?? []
  // A busy machine may take its time.
  const patient = sample
    .replace(
      'try (PosClient',
      'Times times = new Times(); times.attemptMs = 10_000; times.capMs = 30_000; try (PosClient',
    )
    .replace('Path.of("sales")', 'Path.of("sales"), times')
  t.not(patient, sample)
  writeFileSync(join(scratch, 'FirstBasket.java'), patient)
  const classes = compileJava(t, root, join(scratch, 'FirstBasket.java'))
  const env = { ...process.env, LOYALTY_URL: service.url, LOYALTY_SECRET: service.secret }
  const { stdout } = await promisify(execFile)('java', ['-cp', classes, 'FirstBasket'], { cwd: scratch, env })
  t.equal(stdout, 'applied 720\n')
})
