import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { request } from 'undici'
import { reasons } from '../engine/core/base/outcome.js'
import { failureReasons, saleSchema } from '../engine/wire/sale-schema.js'
import { type httpFaultStatuses, statusOfCode } from '../gateway/pos/errors.js'
import { missing, type Runtime } from './clients/cases/runtimes.js'
import { type RunningService, startService, unhurried } from './e2e/service.js'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'integration.md'), 'utf8')
/** Programs that the samples call from a shell. */
const tools: Runtime = {
  command: ['sh', '-c', 'openssl version && curl --version && awk "BEGIN{}"'],
  packages: 'openssl curl mawk',
}

/** The blocks of the page, in order. */
const blocks = [...page.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text: text! }))

/** Printed between the outputs of the shell blocks. */
const between = '\u001e'

/** The rows of the table whose head is this. */
function tableUnder(head: string): string[][] {
  const lines = page.split('\n')
  const at = lines.indexOf(head)
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'))
  return lines.slice(at + 2, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** True: a value has everything that is shown of it; arrays are shown whole. */
function shows(actual: unknown, shown: unknown): boolean {
  if (typeof shown !== 'object' || shown === null) return actual === shown
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(shown)) return false
  if (Array.isArray(shown) && (actual as unknown[]).length !== shown.length) return false
  return Object.entries(shown).every(([name, each]) => shows((actual as Record<string, unknown>)[name], each))
}

async function discrepanciesOf(service: RunningService): Promise<Record<string, string[]>> {
  const file = service.output.map((line) => /tokens of internal services in (.*)$/.exec(line)?.[1]).find(Boolean)!
  const reader = /^reader:(.*)$/m.exec(readFileSync(file, 'utf8'))![1]!
  const { body } = await request(`${service.internalUrl}/loyalty.v1.SaleService/ListDiscrepancies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${reader}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { sales = [] } = (await body.json()) as { sales?: { calculationId: string; discrepancies: string[] }[] }
  return Object.fromEntries(sales.map(({ calculationId, discrepancies }) => [calculationId, discrepancies]))
}

t.setTimeout(240_000)

t.test('every sample runs as printed, and is answered as shown', { skip: await missing(tools) }, async (t) => {
  const service = await startService({ env: unhurried })
  t.teardown(() => service.stop())
  const folder = t.testdir()
  mkdirSync(join(folder, '.data'))
  writeFileSync(join(folder, '.data', 'secret'), service.secret)
  const scripts = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text)
  t.match(scripts[0], 'http://127.0.0.1:8080', 'the address of `npm start`')
  const script = scripts.join(`\nprintf '${between}'\n`).replace('http://127.0.0.1:8080', service.url)
  const { stdout, stderr, status } = spawnSync('sh', ['-euc', script], { cwd: folder, encoding: 'utf8' })
  t.equal(status, 0, stderr)
  const outputs = stdout.split(between)
  t.equal(outputs.length, scripts.length)
  let shell = -1
  let compared = 0
  for (const { kind, text } of blocks) {
    if (kind === 'sh') shell++
    else {
      t.ok(shows(JSON.parse(outputs[shell]!), JSON.parse(text)), `${text}\nis shown, and this came:\n${outputs[shell]}`)
      compared++
    }
  }
  t.equal(compared, 8)
  t.equal(JSON.parse(readFileSync(join(folder, 'second.answer'), 'utf8')).status, 'applied')

  const wrongSum = readFileSync(join(folder, 'sale.json'), 'utf8')
    .replaceAll('6f1a01', '6f1a05')
    .replace('"transactionId": "4712"', '"transactionId": "4713"')
    .replace('"loyaltyDiscountTotal": 2900', '"loyaltyDiscountTotal": 3300')
  const basket = readFileSync(join(folder, 'basket.json'), 'utf8').replaceAll('6f1a01', '6f1a05')
  const key = /"calculationId": "([^"]+)"/.exec(wrongSum)![1]!
  t.equal((await service.send('/v1/pos/basket', basket, { key })).status, 200)
  t.equal((await service.send('/v1/pos/sale', wrongSum, { key })).status, 200)
  t.same(
    await discrepanciesOf(service),
    { [key]: ['DISCREPANCY_DISCOUNT_TOTAL_MISMATCH'] },
    'the sale of the page has none',
  )
})

t.test('what the page says of returned discounts, lost answers and members who are not there holds', async (t) => {
  const service = await startService({ env: unhurried })
  t.teardown(() => service.stop())
  const sample = JSON.parse(/cat > basket\.json <<'END'\n([\s\S]*?)END/.exec(page)![1]!)
  const post = async (path: string, body: typeof sample) => {
    const { status, json } = await service.send(path, JSON.stringify(body), { key: body.calculationId })
    return { status, json }
  }
  const ask = async (basket: object, more: object = {}) => {
    const sent = { ...sample, ...basket, calculationId: randomUUID(), ...more }
    return { sent, answer: (await post('/v1/pos/basket', sent)).json }
  }
  const end = async ({ calculationId, currency, context, totals }: typeof sample, more: object) => {
    const transactionId = randomUUID()
    const common = { calculationId, currency, context, occurredAt: '2026-11-23T12:00:20+01:00', transactionId }
    return await post('/v1/pos/sale', { ...common, paidTotal: totals.net, ...more })
  }
  const first = await ask({})
  const back = await ask(first.answer.basket)
  t.match(back.answer, { status: 'unchanged', reason: 'existing_discount_kept' })
  t.equal((await end(back.sent, { status: 'unchanged', loyaltyDiscountTotal: 2900 })).status, 400)
  t.equal((await end(back.sent, { status: 'unchanged' })).status, 200)

  const nobody = await ask(first.answer.basket, { loyaltyId: 'TEST-NOT-FOUND' })
  t.equal(nobody.answer.status, 'member_not_found')
  t.equal((await end(nobody.sent, { status: 'member_not_found', paidTotal: sample.totals.net })).status, 200)

  const afterLost = await ask({}, { supersedesCalculationId: randomUUID() })
  t.equal(afterLost.answer.status, 'applied', 'the superseded call never arrived')
  const left = await ask({}, { supersedesCalculationId: afterLost.sent.calculationId, loyaltyId: undefined })
  t.equal(left.answer.status, 'member_not_found')
  t.equal((await end(left.sent, { status: 'member_not_found' })).status, 200)
  const unused = await ask({})
  t.equal((await end(unused.sent, { status: 'failed', failureReason: 'pos_error' })).status, 200)

  const totals = { gross: 52, lineDiscount: 0, orderDiscount: 0, net: 52 }
  const lines = [{ lineId: '1', productId: 'cappuccino', quantity: 1, unitPrice: 52, noDiscount: false, totals }]
  t.equal((await ask({ lines, totals })).answer.status, 'applied', 'kroner for minor units')
  t.same(await discrepanciesOf(service), { [nobody.sent.calculationId]: ['DISCREPANCY_PAID_TOTAL_MISMATCH'] })
})

t.test('the staging data of the page is what `GET /` lists', async (t) => {
  const service = await startService({ env: unhurried })
  t.teardown(() => service.stop())
  for (const url of [service.url, service.internalUrl]) {
    const { staging } = (await (await request(url)).body.json()) as {
      staging: { loyaltyIds: string[]; venues: { venueId: string; baxIds: string[]; currency: string }[] }
    }
    const listed = staging.venues.map(({ venueId, baxIds, currency }) => [
      `\`${venueId}\``,
      baxIds.map((baxId) => `\`${baxId}\``).join(', '),
      currency,
    ])
    t.same(tableUnder('| venueId | baxId | currency |'), listed)
    for (const loyaltyId of staging.loyaltyIds) t.match(page, `\`${loyaltyId}\``)
  }
})

t.test('the tables have every status, reason and error of the contract', async (t) => {
  const first = (head: string) => tableUnder(head).map(([cell]) => cell!.replaceAll('`', ''))
  t.same(first('| status | when | with it |'), saleSchema.properties.status.enum)
  t.same(first('| failureReason | when |'), failureReasons)
  const seen = first('| you see | it means | do |').join('\n')
  for (const [code, status] of Object.entries(statusOfCode)) t.match(seen, new RegExp(`${status} ${code}\\b`), code)
  for (const status of [404, 405, 413, 415] satisfies (typeof httpFaultStatuses)[number][])
    t.match(seen, String(status))
  const named = [...seen.matchAll(/^unchanged, (\w+)$/gm)].map(([, reason]) => reason)
  t.same(named, reasons, 'the reasons, from least to most')
})

t.test('the sums of the receipt add up', async (t) => {
  const rows = tableUnder('| line | gross | your discount | loyalty discount | net |').map((cells) =>
    cells.slice(1).map((cell) => Number(/(\d+)\**$/.exec(cell)?.[1] ?? 0)),
  )
  const [total, ...lines] = rows.reverse()
  for (const [gross, own, loyalty, net] of rows) t.equal(gross! - own! - loyalty!, net)
  for (const at of [0, 1, 2, 3])
    t.equal(
      lines.reduce((sum, line) => sum + line[at]!, 0),
      total![at],
    )
})
