import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '../../gateway/log.js'
import { openSecrets, openTokens, type Secrets } from '../../gateway/secrets.js'
import { until } from '../until.js'

const log = createLog('silent')
const pollMs = 10
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function aFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'loyalty-secrets-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

function texts(secrets: Secrets): string[] {
  return secrets.active().map((secret) => Buffer.from(secret).toString())
}

/** Waits until the secrets are the given ones; fails the test where they do not become so. */
async function becomes(t: Test, secrets: Secrets, expected: string[]): Promise<void> {
  t.same(
    await until(
      () => texts(secrets),
      (found) => found.join() === expected.join(),
    ),
    expected,
  )
}

t.test('the environment alone needs no file', async (t) => {
  const folder = path.join(await aFolder(t), 'none')
  const secrets = await openSecrets({ secrets: ['a', 'b'], secretsFile: null, dataFolder: folder }, log)
  t.same(texts(secrets), ['a', 'b'])
  t.equal(secrets.file, null)
  await t.rejects(stat(folder), { code: 'ENOENT' })
})

t.test('on staging one is made, for its owner alone, and found again', async (t) => {
  const dataFolder = path.join(await aFolder(t), 'deep', 'data')
  const config = { secrets: [], secretsFile: null, dataFolder }
  const [first, second] = await Promise.all([openSecrets(config, log), openSecrets(config, log)])
  const third = await openSecrets(config, log)
  for (const secrets of [first, second, third]) secrets.close()
  t.equal((await stat(first.file!)).mode & 0o777, 0o600)
  t.match(texts(first)[0], /^[0-9a-f]{64}$/)
  t.same(texts(second), texts(first))
  t.same(texts(third), texts(first))
  t.equal((await readFile(first.file!, 'utf8')).trim(), texts(first)[0])
})

t.test('a changed file is taken, with what the environment holds', async (t) => {
  const secretsFile = path.join(await aFolder(t), 'secrets')
  await writeFile(secretsFile, 'old\n')
  const secrets = await openSecrets({ secrets: ['env'], secretsFile, dataFolder: 'x' }, log, pollMs)
  t.teardown(() => secrets.close())
  t.same(texts(secrets), ['env', 'old'])
  await writeFile(secretsFile, 'old\r\n\n  new \n')
  await becomes(t, secrets, ['env', 'old', 'new'])
  await writeFile(`${secretsFile}.next`, 'new\n')
  await rename(`${secretsFile}.next`, secretsFile)
  await becomes(t, secrets, ['env', 'new'])
})

t.test('an empty, missing, binary or oversized file leaves the last good secrets', async (t) => {
  const secretsFile = path.join(await aFolder(t), 'secrets')
  await writeFile(secretsFile, 'good\n')
  const secrets = await openSecrets({ secrets: [], secretsFile, dataFolder: 'x' }, log, pollMs)
  t.teardown(() => secrets.close())
  const rows = ['', '\n \n', Buffer.from([0xff, 0xfe, 0x0a]), 'a\0b\n', 'x\n'.repeat(17), `${'y'.repeat(70_000)}\n`]
  for (const row of rows) {
    await writeFile(secretsFile, row)
    await pause(6 * pollMs)
    t.same(texts(secrets), ['good'], JSON.stringify(row.slice(0, 10)))
  }
  await rm(secretsFile)
  await pause(6 * pollMs)
  t.same(texts(secrets), ['good'])
  await writeFile(secretsFile, 'better\n')
  await becomes(t, secrets, ['better'])
})

t.test('a file that looks half-written is waited for, and taken when it stays as it is', async (t) => {
  const secretsFile = path.join(await aFolder(t), 'secrets')
  await writeFile(secretsFile, 'good\n')
  const secrets = await openSecrets({ secrets: [], secretsFile, dataFolder: 'x' }, log, 10 * pollMs)
  t.teardown(() => secrets.close())
  await writeFile(secretsFile, 'good\nne')
  await pause(40 * pollMs)
  t.same(texts(secrets), ['good'])
  await writeFile(secretsFile, 'good\nnew\n')
  await becomes(t, secrets, ['good', 'new'])
  await writeFile(secretsFile, 'new')
  await becomes(t, secrets, ['new'])
})

t.test('a file without a final line feed may stay without one', async (t) => {
  const secretsFile = path.join(await aFolder(t), 'secrets')
  await writeFile(secretsFile, 'one')
  const secrets = await openSecrets({ secrets: [], secretsFile, dataFolder: 'x' }, log, pollMs)
  t.teardown(() => secrets.close())
  await writeFile(secretsFile, 'one\ntwo')
  await becomes(t, secrets, ['one', 'two'])
})

t.test('tokens come from the environment, or on staging one a role is made', async (t) => {
  const dataFolder = await aFolder(t)
  const given = [{ role: 'admin', token: 'x' }] as const
  t.same(await openTokens({ tokens: given, dataFolder }), { tokens: given, file: null })
  const made = await openTokens({ tokens: [], dataFolder })
  t.match(made.tokens, [
    { role: 'reader', token: /^[0-9a-f]{64}$/ },
    { role: 'admin', token: /^[0-9a-f]{64}$/ },
  ])
  t.equal((await stat(made.file!)).mode & 0o777, 0o600)
  t.same(await openTokens({ tokens: [], dataFolder }), made)
})

t.test('a folder that cannot be written to is named in one clear line', async (t) => {
  const file = path.join(await aFolder(t), 'file')
  await writeFile(file, '')
  for (const dataFolder of [file, path.join(file, 'below'), '/proc/no-file', '/proc/no/such/file']) {
    await t.rejects(openTokens({ tokens: [], dataFolder }), { message: /^LOYALTY_DATA: cannot write in .*file/ })
  }
})
