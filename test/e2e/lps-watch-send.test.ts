import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import { aReceiver, verified } from '../gateway/background/a-receiver.js'
import { until } from '../support/until.js'
import { lpsFolder, lpsMain } from './run-lps.js'
import { startService } from './service.js'

const { run: lps, write } = lpsFolder(t)

const tokens = 'reader:token-of-a-reader,admin:token-of-an-admin'
const service = await startService({ env: { LOYALTY_DEADLINE_MS: '10000', LOYALTY_TOKENS: tokens } })
t.teardown(() => service.stop())
const here = ['--url', service.url, '--secret', service.secret]

t.setTimeout(180_000)

const totals = { gross: 900, lineDiscount: 0, orderDiscount: 0, net: 900 }
const context = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: 'pos-2', channel: 'pos' }

function aBasket(noDiscount: unknown = false) {
  const line = { lineId: '1', productId: 'cinnamon-bun', quantity: 2, unitPrice: 450, noDiscount, totals }
  const ids = { calculationId: randomUUID(), loyaltyId: 'TEST-20-PERCENT', requestedAt: '2026-11-21T10:00:00Z' }
  return { ...ids, currency: 'NOK', context, lines: [line], totals }
}

t.test('tail shows what a POS gets, and what was wrong, but not who bought', async (t) => {
  const watching = tail(t, '--count', '2')
  const failing = tail(t, '--count', '1', '--failed', '--pos', 'pos-2', '--json')
  await Promise.all([watching.begun, failing.begun])
  const good = aBasket()
  await service.send('/v1/pos/basket', JSON.stringify(good))
  const bad = aBasket('perhaps')
  await service.send('/v1/pos/basket', JSON.stringify(bad))
  const [first, second] = (await watching.ended).trim().split('\n')
  const time = /^\d\d:\d\d:\d\d\.\d{3} {2}basket {2}/
  t.match(first, time)
  t.match(first, new RegExp(`200  applied .* ms  oslo-cafe/pos-2  ${good.calculationId}$`))
  t.match(second, new RegExp(`400  refused .* ${bad.calculationId}  invalid_request lines\\[0\\]\\.noDiscount$`))
  const failed = JSON.parse(await failing.ended)
  t.match(failed, { endpoint: 'basket', status: 400, field: 'lines[0].noDiscount', venueId: 'oslo-cafe' })
  t.notMatch(`${first}${second}${JSON.stringify(failed)}`, 'TEST-20')
})

t.test('tail needs a token', async (t) => {
  t.match(await lps('tail', '--internal', service.internalUrl, '--token', 'none'), {
    code: 2,
    err: /rejects this token/,
  })
})

t.test('send reports an answer, a refusal, and one too late for a POS', async (t) => {
  const file = write('basket.json', aBasket())
  const { code, out } = await lps('send', file, ...here, '--late', '600')
  t.equal(code, 0)
  t.match(out, /body out after \d+ ms, its second half 600 ms late/)
  t.match(
    out,
    /answered 200 after \d+ ms, [\d.]+ ms of it at the service\n {2}status applied\n {2}to be charged: 720 of 900/,
  )
  t.match(out, /a POS waits 500 ms for a basket: it has given up/)
  t.match(await lps('send', file, ...here), { code: 0, out: /a repeat: the stored answer/ })
  const fresh = await lps('send', file, ...here, '--fresh')
  t.match(fresh, { code: 0, out: /to be charged: 720/ })
  t.notMatch(fresh.out, /a repeat/)
  const bad = write('bad.json', aBasket('perhaps'))
  t.match(await lps('send', bad, ...here), {
    code: 1,
    out: /invalid_request: .*\n {2}lines\[0\]\.noDiscount: expected /,
  })
})

t.test('send cuts the connection, and shows that the sale is recorded once', async (t) => {
  const basket = aBasket()
  await service.send('/v1/pos/basket', JSON.stringify(basket))
  const { calculationId, loyaltyId, currency } = basket
  const sale = { calculationId, loyaltyId, currency, context, occurredAt: '2026-11-21T10:01:00Z', status: 'cancelled' }
  const { code, out } = await lps('send', write('sale.json', sale), ...here, '--cut')
  t.equal(code, 0)
  t.match(out, /cut after \d+ ms: a POS cannot know/)
  t.match(out, /sent again, with the same key and bytes\n[\s\S]*answered 200 [\s\S]*result recorded/)
  t.match(out, /the service had (not )?taken the first/)
  const again = aBasket()
  await service.send('/v1/pos/basket', JSON.stringify(again))
  const paid = { ...sale, calculationId: again.calculationId, status: 'applied', transactionId: '1', paidTotal: 720 }
  t.match(await lps('send', write('sale.json', paid), ...here), { code: 0, out: /result recorded$/m })
  const lines = [{ lineId: '1', quantity: 1 }]
  const occurredAt = '2026-11-22T10:01:00Z'
  const returned = { returnId: randomUUID(), calculationId: again.calculationId, lines, occurredAt, context }
  t.match(await lps('send', write('return.json', returned), ...here), { code: 0, out: /result recorded, refund 360$/m })
})

t.test('send reports a service that closes the connection, and one that is not there', async (t) => {
  const closing = createServer((socket) => socket.once('data', () => socket.destroy()))
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve))
  const { port } = closing.address() as { port: number }
  const file = write('basket.json', aBasket())
  const where = ['--url', `http://127.0.0.1:${port}`, '--secret', 's']
  t.match(await lps('send', file, ...where), { code: 1, out: /connected after [\s\S]*no answer after \d+ ms/ })
  await new Promise((resolve) => closing.close(resolve))
  t.match(await lps('send', file, ...where), { code: 1, out: /no answer after \d+ ms: .*ECONNREFUSED/ })
  t.match(await lps('send', file, ...where, '--late', 'long'), { code: 2, err: /--late: expected milliseconds/ })
  t.match(await lps('send', write('odd.json', []), ...where), { code: 2, err: /expected a JSON object/ })
})

t.test('sign prints the headers alone where it is asked to', async (t) => {
  const basket = aBasket()
  const { out } = await lps('sign', write('basket.json', basket), '--headers', '--secret', 's')
  const [type, key, signature, end] = out.split('\n')
  t.same([type, key, end], ['Content-Type: application/json', `Idempotency-Key: ${basket.calculationId}`, ''])
  t.match(signature, /^POS-Signature: t=\d+,v1=[0-9a-f]{64}$/)
})

t.test('webhook test sends a signed sample, and says what the service does with the answer', async (t) => {
  const secret = Buffer.alloc(32, 9)
  let status = 204
  const receiver = await aReceiver(t, (response) => void response.writeHead(status, { 'retry-after': '30' }).end())
  const named = ['--secret', `whsec_${secret.toString('base64')}`]
  const test = (...words: readonly string[]) => lps('webhook', 'test', ...words)
  t.match(await test(receiver.url, ...named), {
    code: 0,
    out: /answered 204: delivered, after \d+ ms/,
    err: /By default CreateWebhook expects an https:\/\/ URL/,
  })
  const [received] = receiver.received
  t.match(verified(received!, secret), { type: 'value.earned', data: { amount: 120, currencyId: 'points' } })
  for (const [answer, words] of [
    [503, /answered 503: not delivered; nothing is sent for 30 s, as it asks/],
    [500, /answered 500: not delivered; it is sent again/],
    [301, /answered 301: a redirect is not followed; it is sent again/],
    [410, /answered 410: the service disables such a webhook/],
  ] as const) {
    status = answer
    t.match(await test(receiver.url, ...named), { code: 1, out: words })
  }
  receiver.close()
  const made = await test(receiver.url)
  t.match(made, { code: 1, out: /secret whsec_\S{44}\n {2}no answer: ECONNREFUSED; it is sent again/ })
  t.match(await test('crm.example'), { code: 2, err: /expected a URL/ })
  t.match(await test(receiver.url, '--secret', 'x'), { code: 2, err: /--secret: expected whsec_ and base64/ })
})

/** A running `lps tail`. */
function tail(t: Test, ...words: readonly string[]): { begun: Promise<unknown>; ended: Promise<string> } {
  const where = ['--internal', service.internalUrl, '--token', 'token-of-a-reader']
  const child: ChildProcess = spawn(process.execPath, [lpsMain, 'tail', ...where, ...words])
  t.teardown(() => child.kill())
  let [out, err] = ['', '']
  child.stdout!.on('data', (part) => {
    out += part
  })
  child.stderr!.on('data', (part) => {
    err += part
  })
  const begun = until(
    () => err,
    (text) => text.includes('watching'),
  )
  return { begun, ended: new Promise((resolve) => child.once('close', () => resolve(out))) }
}
