import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { startService, unhurried } from '../../e2e/service.js'
import {
  compileDotnet,
  compileGo,
  compileJava,
  dotnetOfClients,
  goOfClients,
  javaOfClients,
  missing,
  phpOfClients,
  pythonOfClients,
  type Runtime,
} from './runtimes.js'
import { printedBySample, wholeSample } from './whole-sample.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const clients = join(root, 'clients')
t.setTimeout(300_000)

interface Sample {
  readonly client: string
  readonly language: string
  readonly runtime: Runtime
  /** The file that it is written to. */
  readonly file: string
  /** A busy machine may take its time. */
  patient(sample: string): string
  command(t: Test, file: string): readonly [program: string, ...words: string[]]
}

const samples: readonly Sample[] = [
  {
    client: 'pos-python',
    language: 'python',
    runtime: pythonOfClients,
    file: 'first_basket.py',
    patient: (sample) =>
      sample
        .replace('import PosClient,', 'import CallTimes, PosClient,')
        .replace('queue_folder=', 'times=CallTimes(10, 30), queue_folder='),
    command: (_, file) => ['env', `PYTHONPATH=${join(clients, 'pos-python')}`, 'python3', '-B', file],
  },
  {
    client: 'pos-php',
    language: 'php',
    runtime: phpOfClients,
    file: 'first-basket.php',
    patient: (sample) =>
      `<?php spl_autoload_register(fn ($name) => require '${clients}/pos-php/src/' . basename(strtr($name, '\\\\', '/')) . '.php');\n${sample.replace(
        "'/sales')",
        "'/sales', new \\LoyaltyPartner\\Pos\\CallTimes(10000, 30000))",
      )}`,
    command: (_, file) => ['php', file],
  },
  {
    client: 'pos-go',
    language: 'go',
    runtime: goOfClients,
    file: 'main.go',
    patient: (sample) => sample.replace('pos.Times{}', 'pos.Times{Attempt: 10 * time.Second, Cap: 30 * time.Second}'),
    command: (t, file) => [compileGo(t, root, file)],
  },
  {
    client: 'pos-java',
    language: 'java',
    runtime: javaOfClients,
    file: 'FirstBasket.java',
    patient: (sample) =>
      sample
        .replace(
          'try (PosClient',
          'Times times = new Times(); times.attemptMs = 10_000; times.capMs = 30_000; try (PosClient',
        )
        .replace('Path.of("sales")', 'Path.of("sales"), times'),
    command: (t, file) => ['java', '-cp', compileJava(t, root, file), 'FirstBasket'],
  },
  {
    client: 'pos-dotnet',
    language: 'csharp',
    runtime: dotnetOfClients,
    file: 'FirstBasket.cs',
    patient: (sample) => sample.replace('"sales")', '"sales", new Times { AttemptMs = 10000, CapMs = 30000 })'),
    command: (t, file) => ['mono', compileDotnet(t, root, file)],
  },
]

const service = await startService({ env: unhurried })
t.teardown(() => service.stop())

for (const { client, language, runtime, file, patient, command } of samples) {
  t.test(
    `the README of ${client} sells a first basket and takes a piece back`,
    { skip: await missing(runtime) },
    async (t) => {
      const scratch = mkdtempSync(join(tmpdir(), `${client}-`))
      t.teardown(() => rmSync(scratch, { recursive: true }))
      const sample = wholeSample(client, language)
      t.not(patient(sample), sample)
      writeFileSync(join(scratch, file), patient(sample))
      const [program, ...words] = command(t, join(scratch, file))
      const env = { ...process.env, LOYALTY_URL: service.url, LOYALTY_SECRET: service.secret }
      const { stdout } = await promisify(execFile)(program, words, { cwd: scratch, env })
      t.equal(stdout, printedBySample)
    },
  )
}

t.test('the client for PHP finds its folder wherever it runs', { skip: await missing(phpOfClients) }, async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'pos-php-'))
  t.teardown(() => rmSync(scratch, { recursive: true, force: true }))
  const run = (folder: string, more: string) =>
    promisify(execFile)('php', [
      '-r',
      `require '${clients}/pos-php/src/SalePatience.php'; require '${clients}/pos-php/src/Service.php';
      require '${clients}/pos-php/src/SaleQueue.php';
      $queue = new LoyaltyPartner\\Pos\\SaleQueue(new LoyaltyPartner\\Pos\\Service('http://localhost', '${'s'.repeat(24)}'), '${folder}',
        new LoyaltyPartner\\Pos\\SalePatience()); ${more}`,
    ]).catch(({ stdout, stderr }) => stdout + stderr)
  t.match(await run('sales', ''), /queueFolder: expected an absolute path outside the web root, not sales/)
  const gone = join(scratch, 'gone')
  t.match(
    await run(join(gone, 'sales'), `system('rm -r ${gone}'); $queue->deliver(1);`),
    /deliver as the user that records/,
  )
})
