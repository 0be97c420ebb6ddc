import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { readCases } from '../../../clients/check-pos/cases.js'
import { stepPath } from '../../../clients/check-pos/play-service.js'
import type { PosBasket } from '../../../clients/pos-js/basket.js'
import { certificateFiles } from '../../gateway/config/a-certificate.js'
import { until } from '../../support/until.js'
import { sellAsAsked } from './sell-as-asked.js'
import { type CallingFault, createRepeatingLibrary, createSmallPos } from './small-pos.js'

const main = join(import.meta.dirname, '..', '..', '..', 'clients', 'lps', 'main.js')
const secret = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const { basket } = readCases()

t.test('it says what to do, what holds, and writes JUnit and a page', async (t) => {
  const { code, out, err, junit, page, wasServed } = await checked(t, null)
  t.equal(code, 0)
  t.match(err, /Point the POS at http:\/\/127\.0\.0\.1:\d+ with the secret c0ffee/)
  t.match(err, /Step 1 of 3, line-discount: .*\n {2}Ring up two different products/)
  t.match(out, /^holds {3}line-discount: .*\nholds {3}unchanged: /)
  t.match(err, /3 of 3 steps hold/)
  t.match(junit, /tests="3" failures="0"/)
  t.match(page, /<title>POS check: 3 of 3 steps hold/)
  t.match(page, /The run is over, at \d{4}-.*: 3 of 3 steps hold/)
  t.ok(wasServed, 'the POS got end, and stopped by it')
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
  const child = spawn(process.execPath, [main, 'check-pos', '--listen', '127.0.0.1:0', '--away', '0', '--end', '0.5'])
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
  t.match(err, /0 of 0 steps hold\n.* For 0\.5 s, GET \/check-pos\/step is answered with "end"/)
})

t.test('of one rule it prints 20 lines a step, and how many more there are', async (t) => {
  const many = (url: string): Promise<void> => {
    const small = createSmallPos({ url, secret }, 10_000, null)
    const calculate = async (sent: PosBasket) => {
      for (let more = 0; more < 23; more++) await small.calculate({ ...sent, calculationId: randomUUID() })
      return small.calculate(sent)
    }
    return sellAsAsked(url, { ...small, calculate }, { basket, fault: null })
  }
  const { code, out, junit, page } = await checkedBy(t, many, ['unchanged'])
  t.equal(code, 1)
  for (const text of [out, junit, page]) t.equal(text.match(/no sale event came for/g)?.length, 20)
  t.match(out, /one-event: and 3 more\n/)
  t.match(junit, /one-event: and 3 more"/)
  t.match(page, /<b>one-event<\/b>: and 3 more/)
  t.equal(page.match(/: basket; answered/g)?.length, 20)
  t.match(page, /<li>and 5 more<\/li>/)
})

t.test('it prints what a cut on a new connection cannot show', async (t) => {
  const sold = (url: string): Promise<void> => {
    const send = createRepeatingLibrary({ keepsConnections: false })
    return sellAsAsked(url, createSmallPos({ url, secret, send }, 10_000, null), { basket, fault: null })
  }
  const { out, page } = await checkedBy(t, sold, ['cut'])
  t.match(out, /holds {3}cut: .*\n {8}note: basket-once: the POS opened a connection/)
  t.match(page, /<li>basket-once: the POS opened a connection/)
})

function checked(t: Test, fault: CallingFault | null) {
  const sold = (url: string) =>
    sellAsAsked(url, createSmallPos({ url, secret }, 10_000, fault), { basket, fault: null })
  return checkedBy(t, sold, ['unchanged', 'line-discount', '503'])
}

async function checkedBy(t: Test, sell: (url: string) => Promise<void>, names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'lps-check-pos-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [junit, page] = [join(folder, 'pos.xml'), join(folder, 'pos.html')]
  const steps = names.flatMap((name) => ['--step', name])
  const times = ['--quiet', '0.1', '--attempt-ms', '10000', '--wait', '30']
  const words = ['check-pos', '--listen', '127.0.0.1:0', '--secret', secret, ...times, ...steps]
  const child = spawn(process.execPath, [main, ...words, '--junit', junit, '--page', page])
  t.teardown(() => child.kill('SIGKILL'))
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
  const url = await until(
    () => /at (http:\S+) with/.exec(err)?.[1],
    (address) => address !== undefined || isOver,
  )
  await sell(url!)
  const wasServed = !isOver
  child.kill('SIGINT')
  return {
    code: await ended,
    wasServed,
    out,
    err,
    junit: readFileSync(junit, 'utf8'),
    page: readFileSync(page, 'utf8'),
  }
}
