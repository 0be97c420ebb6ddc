import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { signBody } from '../../../clients/pos-js/call.js'
import { newSecret, openSecrets, openTokens, type Secrets } from '../../../gateway/config/secrets.js'
import { createLog } from '../../../gateway/telemetry/log.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { watchFiles } from '../../../gateway/telemetry/watch-service.js'
import { until } from '../../support/until.js'
import { aCall, aListener } from '../pos/a-listener.js'
import { putContent, secretContents } from './secret-contents.js'

const log = createLog('silent')
const staging = { environment: 'staging', secretOverlapS: 600 } as const
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

/** Waits until the secrets are the given ones. */
async function becomes(t: Test, secrets: Secrets, expected: string[]): Promise<void> {
  t.same(
    await until(
      () => texts(secrets),
      (found) => found.join() === expected.join(),
    ),
    expected,
  )
}

const [old, next, env] = [newSecret(), newSecret(), newSecret()]

/** Secrets of a file that is read every few milliseconds. */
async function openFile(
  t: Test,
  content: string,
  more: {
    environment?: 'staging' | 'production'
    own?: string[]
    overlapS?: number
    nowMs?: () => number
  } = {},
) {
  const secretsFile = path.join(await aFolder(t), 'secrets')
  await writeFile(secretsFile, content)
  const records: { msg: string; reason?: string; line?: number; level: number }[] = []
  const recording = createLog(
    'info',
    new Writable({
      write(chunk, _encoding, done) {
        records.push(JSON.parse(String(chunk)))
        done()
      },
    }),
  )
  const { environment = 'staging', own = [], overlapS = 600, nowMs } = more
  const config = { environment, secrets: own, secretsFile, secretOverlapS: overlapS, dataFolder: 'x' }
  const secrets = await openSecrets(config, recording, { pollMs, ...(nowMs === undefined ? {} : { nowMs }) })
  t.teardown(() => secrets.close())
  return { secrets, secretsFile, records, write: (text: string | Buffer) => writeFile(secretsFile, text) }
}

/** Waits until the file is refused for a reason, or, with null, accepted. */
async function stands(t: Test, secrets: Secrets, reason: string | null): Promise<void> {
  const fault = () => secrets.state()!.fault
  t.equal(await until(fault, (found) => found === reason), reason)
}

t.test('the environment alone needs no file', async (t) => {
  const folder = path.join(await aFolder(t), 'none')
  const config = { ...staging, secrets: ['a', 'b'], secretsFile: null, dataFolder: folder }
  const secrets = await openSecrets(config, log)
  t.same(texts(secrets), ['a', 'b'])
  t.equal(secrets.file, null)
  t.equal(secrets.state(), null)
  await t.rejects(stat(folder), { code: 'ENOENT' })
})

t.test('on staging a secret is created, for its owner alone, and found again', async (t) => {
  const dataFolder = path.join(await aFolder(t), 'deep', 'data')
  const config = { ...staging, secrets: [], secretsFile: null, dataFolder }
  const [first, second] = await Promise.all([openSecrets(config, log), openSecrets(config, log)])
  const third = await openSecrets(config, log)
  for (const secrets of [first, second, third]) secrets.close()
  t.equal((await stat(first.file!)).mode & 0o777, 0o600)
  t.match(texts(first)[0], /^[0-9a-f]{64}$/)
  t.same(texts(second), texts(first))
  t.same(texts(third), texts(first))
  t.equal((await readFile(first.file!, 'utf8')).trim(), texts(first)[0])
})

t.test('a changed file takes effect, with the environment, and the old secret has its overlap', async (t) => {
  let nowMs = 0
  const { secrets, secretsFile, write } = await openFile(t, `${old}\n`, { own: [env], nowMs: () => nowMs })
  t.same(texts(secrets), [env, old])
  await write(`${old}\r\n\n  ${next} \n`)
  await becomes(t, secrets, [env, old, next])
  await writeFile(`${secretsFile}.next`, `${next}\n`)
  await rename(`${secretsFile}.next`, secretsFile)
  await becomes(t, secrets, [env, next, old])
  nowMs = 599_999
  t.same(texts(secrets), [env, next, old])
  nowMs = 600_000
  t.same(texts(secrets), [env, next])
})

t.test('a revoked secret ends when the file is read', async (t) => {
  const { secrets, write } = await openFile(t, `${old}\n${next}\n`)
  await write(`${next}\nrevoked:${old}\n`)
  await becomes(t, secrets, [next])
})

t.test('an invalid file keeps the last good secrets, and is reported once, without its content', async (t) => {
  let nowMs = 0
  const { secrets, secretsFile, records, write } = await openFile(t, `${old}\n`, { nowMs: () => nowMs })
  const rows: [string | Buffer, string][] = [
    ['', 'empty'],
    ['<html>502 Bad Gateway\n', 'not_secrets'],
    ['\n \n', 'empty'],
    [Buffer.from([0xff, 0xfe, 0x0a]), 'not_secrets'],
    [`${`${next}\n`.repeat(2_000)}`, 'too_large'],
    [`${old.slice(0, 30)}\n`, 'not_whole'],
    [`${old}\n${next.slice(0, 30)}`, 'not_whole'],
  ]
  for (const [row, reason] of rows) {
    await write(row)
    await stands(t, secrets, reason)
    t.same(texts(secrets), [old], reason)
  }
  await rm(secretsFile)
  await stands(t, secrets, 'unreadable')
  nowMs = 90_000
  await pause(6 * pollMs)
  t.same(secrets.state(), { goodAgeS: 90, fault: 'unreadable' })
  t.same(texts(secrets), [old])
  t.same(
    records.map(({ level, reason }) => [level, reason]),
    [...rows.map(([, reason]) => reason).filter((reason, at, all) => reason !== all[at - 1]), 'unreadable'].map(
      (reason) => [40, reason],
    ),
    'one record for each change of the reason',
  )
  t.notMatch(JSON.stringify(records), new RegExp(`html|${old.slice(0, 20)}|${next.slice(0, 20)}`))
  await write(`${next}\n`)
  await becomes(t, secrets, [next, old])
  await stands(t, secrets, null)
  t.equal(secrets.state()!.goodAgeS, 0)
})

t.test('on production a file with a weak secret is refused whole, and an error names the line, once', async (t) => {
  const { secrets, records, write } = await openFile(t, `${old}\n`, { environment: 'production' })
  const weak = 'x'.repeat(23)
  await write(`${old}\n${next}\n${weak}\n`)
  await stands(t, secrets, 'too_short')
  t.same(texts(secrets), [old], 'the weak one does not count, and the good ones of before stay')
  await write(`${weak}\n`)
  await until(
    () => records.length,
    (count) => count === 2,
  )
  await pause(6 * pollMs)
  t.same(texts(secrets), [old])
  t.match(records, [
    { level: 50, reason: 'too_short', line: 3, msg: /line 3 .*fewer than 24 characters/ },
    { level: 50, reason: 'too_short', line: 1 },
  ])
  t.equal(records.length, 2)
  t.notMatch(JSON.stringify(records), weak)
  await write(`${old}\n${next}\n`)
  await becomes(t, secrets, [old, next])
  await stands(t, secrets, null)
})

t.test('a file without a final line feed is accepted, after a longer wait', async (t) => {
  const { secrets, write } = await openFile(t, old)
  await write(`${old}\n${next}`)
  await becomes(t, secrets, [old, next])
})

t.test('a file without a valid secret prevents the start', async (t) => {
  const secretsFile = path.join(await aFolder(t), 'secrets')
  const config = { ...staging, secrets: [], secretsFile, dataFolder: 'x' }
  for (const content of ['', 'short\n', '<html>\n', `revoked:${old}\n`]) {
    await writeFile(secretsFile, content)
    await t.rejects(openSecrets(config, log), { message: /^signing secrets: expected 1 to 16, one a line/ })
  }
})

t.test(
  'a start accepts what a running service accepts: revoked lines alone, beside secrets of the environment',
  async (t) => {
    const { secrets, write } = await openFile(t, `${old}\n`, { own: [env] })
    await write(`revoked:${old}\n`)
    await becomes(t, secrets, [env])
    const started = await openFile(t, `revoked:${old}\n`, { own: [old, env] })
    t.same(texts(started.secrets), [env])
  },
)

t.test('a file whose secret is a prefix of one of the environment prevents the start', async (t) => {
  await t.rejects(openFile(t, `${env.slice(0, 30)}\n`, { own: [env] }), {
    message: /beginning of a secret of LOYALTY_SECRETS/,
  })
})

t.test('the file and its refusal are in the metrics', async (t) => {
  const { secrets, write } = await openFile(t, `${old}\n`)
  const metrics = createMetrics()
  watchFiles(metrics, { secrets: () => secrets.state(), certificate: () => null })
  t.match(await metrics.text(), /^loyalty_file_good_age_seconds\{file="secrets"\} 0/m)
  t.notMatch(await metrics.text(), /loyalty_file_refused\{/)
  await write('<html>')
  await stands(t, secrets, 'not_secrets')
  t.match(await metrics.text(), /^loyalty_file_refused\{file="secrets",reason="not_secrets"\} 1$/m)
  await write(`${old}\n`)
  await stands(t, secrets, null)
  t.notMatch(await metrics.text(), /loyalty_file_refused\{/)
})

t.test(
  '17 kinds of content, written repeatedly under signed calls, refuse no call with the valid secret',
  async (t) => {
    const { secrets, secretsFile } = await openFile(t, `${next}\n${old}\n`)
    const server = await aListener(t, { secrets: () => secrets.active() })
    const contents = secretContents(old, next)
    const statuses = new Map<number, number>()
    let isOver = false
    const send = async () => {
      const body = JSON.stringify({ x: randomUUID() })
      const signed = { 'pos-signature': signBody(body, old, new Date()) }
      const headers = aCall(body, signed)
      const { statusCode, body: answer } = await request(`${server.origin}/v1/pos/basket`, {
        method: 'POST',
        headers,
        body,
      })
      await answer.dump()
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
    }
    const caller = async () => {
      while (!isOver) await send()
    }
    const callers = [caller(), caller(), caller()]
    for (let round = 0; round < 4 * contents.length; round += 1) {
      putContent(secretsFile, contents[round % contents.length]!)
      // Long enough for a content without a final line feed to settle.
      await pause((round < 2 * contents.length ? 16 : 4) * pollMs)
    }
    isOver = true
    await Promise.all(callers)
    t.same([...statuses.keys()], [200])
    t.ok(statuses.get(200)! > 100, `${statuses.get(200)} calls`)
  },
)

t.test('tokens come from the environment, or on staging one per role is created', async (t) => {
  const dataFolder = await aFolder(t)
  const given = [{ role: 'admin', token: 'x' }] as const
  t.same(await openTokens({ tokens: given, dataFolder }), { tokens: given, file: null })
  const made = await openTokens({ tokens: [], dataFolder })
  t.match(made.tokens, [
    { role: 'reader', token: /^[0-9a-f]{64}$/ },
    { role: 'support', token: /^[0-9a-f]{64}$/ },
    { role: 'marketing', token: /^[0-9a-f]{64}$/ },
    { role: 'admin', token: /^[0-9a-f]{64}$/ },
  ])
  t.equal((await stat(made.file!)).mode & 0o777, 0o600)
  t.same(await openTokens({ tokens: [], dataFolder }), made)
})

t.test('a folder without write access is named in one clear line', async (t) => {
  const file = path.join(await aFolder(t), 'file')
  await writeFile(file, '')
  for (const dataFolder of [file, path.join(file, 'below'), '/proc/no-file', '/proc/no/such/file']) {
    await t.rejects(openTokens({ tokens: [], dataFolder }), { message: /^LOYALTY_DATA: cannot write in .*file/ })
  }
})
