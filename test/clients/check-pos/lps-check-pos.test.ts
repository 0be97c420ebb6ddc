import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readCases } from '../../../clients/check-pos/cases.js'
import { stepPath } from '../../../clients/check-pos/play-service.js'
import { certificateFiles } from '../../gateway/config/a-certificate.js'
import { until } from '../../support/until.js'
import { sellAsAsked } from './sell-as-asked.js'
import { type CallingFault, createSmallPos } from './small-pos.js'

const main = join(import.meta.dirname, '..', '..', '..', 'clients', 'lps', 'main.js')
const secret = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const { basket } = readCases()

t.test('it says what to do, what holds, and writes JUnit and a page', async (t) => {
  const { code, out, err, junit, page } = await checked(t, null)
  t.equal(code, 0)
  t.match(err, /Point the POS at http:\/\/127\.0\.0\.1:\d+ with the secret c0ffee/)
  t.match(err, /Step 1 of 3, line-discount: .*\n {2}Ring up two different products/)
  t.match(out, /^holds {3}line-discount: .*\nholds {3}unchanged: /)
  t.match(err, /3 of 3 steps hold/)
  t.match(junit, /tests="3" failures="0"/)
  t.match(page, /<title>POS check: 3 of 3 steps hold/)
  t.notMatch(page, /https?:\/\//, 'the page loads nothing')
})

t.test('what is broken stands under its name in all three', async (t) => {
  const { code, out, junit, page } = await checked(t, 'has one request id')
  t.equal(code, 1)
  t.match(out, /BROKEN {2}503: .*/)
  t.match(out, /broken rules: request-id\n/)
  t.match(junit, /failures="[23]".*/)
  t.match(junit, /message="request-id: X-Request-Id [0-9a-f-]{36} came before/)
  t.match(page, /<b>request-id<\/b>: X-Request-Id/)
})

t.test('it speaks HTTPS with a certificate', async (t) => {
  const { certFile, keyFile, cert } = await certificateFiles(t)
  const words = ['check-pos', '--listen', '127.0.0.1:0', '--cert', certFile, '--key', keyFile, '--step', 'unchanged']
  const child = spawn(process.execPath, [main, ...words])
  t.teardown(() => child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (part) => {
    err += part
  })
  const address = await until(
    () => /at (https:\S+) with/.exec(err)?.[1],
    (url) => url !== undefined,
  )
  const next = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${address}${stepPath}`, { ca: cert }, resolve).on('error', reject)
  })
  t.match(await json(next), { do: 'pay', step: 'unchanged' })
})

t.test('stopped before the first sale, it has judged nothing', async (t) => {
  const child = spawn(process.execPath, [main, 'check-pos', '--listen', '127.0.0.1:0', '--away', '0'])
  t.teardown(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let err = ''
  child.stderr.on('data', (part) => {
    err += part
  })
  await until(
    () => err,
    (text) => text.includes('Step 1 of'),
  )
  child.kill('SIGINT')
  t.equal(await ended, 2)
  t.match(err, /0 of 0 steps hold/)
})

async function checked(t: Test, fault: CallingFault | null) {
  const folder = mkdtempSync(join(tmpdir(), 'lps-check-pos-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [junit, page] = [join(folder, 'pos.xml'), join(folder, 'pos.html')]
  const steps = ['unchanged', 'line-discount', '503'].flatMap((name) => ['--step', name])
  const words = ['check-pos', '--listen', '127.0.0.1:0', '--secret', secret, '--quiet', '0.1', '--wait', '30']
  const child = spawn(process.execPath, [
    main,
    ...words,
    ...steps,
    '--attempt-ms',
    '10000',
    '--junit',
    junit,
    '--page',
    page,
  ])
  let [out, err, isOver] = ['', '', false]
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  void ended.then(() => {
    isOver = true
  })
  const address = () => /at (http:\S+) with/.exec(err)?.[1]
  while (address() === undefined && !isOver) await sleep(20)
  const url = address()!
  const pos = createSmallPos({ url, secret }, 10_000, fault)
  await sellAsAsked(url, pos, { basket, fault: null, isOver: () => isOver })
  return { code: await ended, out, err, junit: readFileSync(junit, 'utf8'), page: readFileSync(page, 'utf8') }
}
