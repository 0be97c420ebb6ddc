import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startService, unhurried } from '../../e2e/service.js'
import { missing, pythonOfClients } from './runtimes.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const folder = join(root, 'clients', 'pos-python')
t.setTimeout(180_000)

t.test(
  'the first basket of the README of pos-python is priced',
  { skip: await missing(pythonOfClients) },
  async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'pos-python-'))
    const service = await startService({ env: unhurried })
    t.teardown(async () => {
      await service.stop()
      rmSync(scratch, { recursive: true })
    })
    const [, sample = ''] = /```python\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? []
    // A busy machine may take its time.
    const patient = sample
      .replace('import PosClient,', 'import CallTimes, PosClient,')
      .replace('queue_folder=', 'times=CallTimes(10, 30), queue_folder=')
    t.not(patient, sample)
    writeFileSync(join(scratch, 'first_basket.py'), patient)
    const env = { ...process.env, LOYALTY_URL: service.url, LOYALTY_SECRET: service.secret, PYTHONPATH: folder }
    const { stdout } = await promisify(execFile)('python3', ['-B', 'first_basket.py'], { cwd: scratch, env })
    t.equal(stdout, 'applied 720\n')
  },
)
