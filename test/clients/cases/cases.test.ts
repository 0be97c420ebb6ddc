import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  type AnswerInCase,
  type BasketCase,
  basketInCase,
  type Json,
  type ReturnCase,
  readCases,
  type SaleCase,
  type ScriptedAnswer,
} from '../../../clients/check-pos/cases.js'
import { giveAnswer } from '../../../clients/check-pos/play-service.js'
import type { PosBasket } from '../../../clients/pos-js/basket.js'
import { until } from '../../support/until.js'
import { createFakeService, type FakeService, type Seen } from '../fake-service.js'
import { clients, type Driver, drive } from './drivers.js'

const secret = '00ff-a secret that is text: blåbær'
/** Half a second, on a busy machine. */
const attemptMs = 1_500

t.setTimeout(300_000)

const cases = readCases()

t.test('each case says what it proves, and the description names each field', (t) => {
  const all = [...cases.baskets, ...cases.sales, ...cases.returns]
  for (const { name, proves } of all) t.match(proves, /^[`A-Z0-9].*\.$/, name)
  t.equal(new Set(all.map(({ proves }) => proves)).size, all.length)
  const answers = [...cases.baskets.map(({ answer }) => answer ?? {}), ...cases.sales.flatMap(({ answers }) => answers)]
  const expected = ['net', 'requests', 'attempts', 'pauseMs']
  for (const field of new Set([...answers.flatMap((answer) => Object.keys(answer)), ...expected, 'step']))
    t.ok(cases.description.includes(`\`${field}\``), field)
  for (const half of ['silence', 'drip', 'cut']) t.ok(cases.description.includes(`\`${half}\``), half)
  t.end()
})

for (const { name: client, skip, command } of await clients()) {
  t.test(`the client ${client} does with every answer what the cases say`, { skip }, async (t) => {
    const words = command(t)
    const driver = drive(words)
    t.teardown(() => driver.end())
    for (const one of cases.baskets) await t.test(one.name, (t) => basketCase(t, driver, one))
    for (const one of cases.sales) await t.test(`a sale: ${one.name}`, (t) => saleCase(t, driver, one))
    for (const one of cases.returns) await t.test(`a return: ${one.name}`, (t) => returnCase(t, driver, one))
    await t.test('amounts beyond 2^31 are charged', (t) => largeCase(t, driver))
    await t.test('a sale that was left on disk is sent by the next run', (t) => leftCase(t, driver))
    await t.test('a sale is sent by the run after a crash', (t) => crashCase(t, driver, drive(words)))
  })
}

async function basketCase(t: Test, driver: Driver, { answer, expect }: BasketCase): Promise<void> {
  const scripted = answer === null ? [] : [scriptedAnswer(answer)]
  const { status, reason, failureReason, net, requests } = expect
  const { basket, prices } = cases
  const { answered, seen } = await asked(t, driver, scripted, { basket, prices })
  t.match(answered, {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(failureReason === undefined ? {} : { failureReason }),
  })
  const charged: PosBasket = status === 'applied' ? JSON.parse(scripted[0]!.body).basket : basket
  t.same(answered['charged'], charged, 'the basket to charge')
  if (net !== undefined) t.equal(charged.totals.net, net)
  t.equal(seen.length, requests ?? 1, 'requests')
  sentRight(t, seen, { path: '/v1/pos/basket', key: basket.calculationId, body: basket })
}

async function saleCase(t: Test, driver: Driver, { answers, expect }: SaleCase): Promise<void> {
  const sale = aSale()
  const scripted = answers.map((answer) => scriptedAnswer(answer, sale.calculationId))
  const { answered, seen, folder } = await asked(t, driver, scripted, { sale })
  const { end, attempts, pauseMs } = expect
  t.match(answered, { end, attempts, waiting: 0 })
  t.equal(seen.length, attempts)
  t.same(readdirSync(folder), end === 'taken' ? [] : [`${sale.calculationId}.json.${end}`])
  if (pauseMs !== undefined) t.ok(seen[1]!.atMs - seen[0]!.atMs >= pauseMs, `a pause of ${pauseMs} ms`)
  sentRight(t, seen, { path: '/v1/pos/sale', key: sale.calculationId, body: sale })
}

async function returnCase(t: Test, driver: Driver, { answer, expect }: ReturnCase): Promise<void> {
  const { lines, context } = cases.basket
  const returned = {
    ...{
      returnId: randomUUID(),
      calculationId: cases.basket.calculationId,
      occurredAt: '2026-11-22T11:01:00Z',
      context,
    },
    lines: [
      { lineId: lines[0]!.lineId, quantity: 1 },
      { lineId: lines[1]!.lineId, quantity: 0.355 },
    ],
  }
  const { json, text, change: _, more: __, ...how } = answer ?? {}
  const body = text ?? JSON.stringify({ returnId: returned.returnId, ...json })
  const { answered, seen } = await asked(t, driver, answer === null ? [] : [{ ...how, body }], { returned })
  t.match(answered, { result: null, refund: null, ...expect })
  t.equal(seen.length, answer === null ? 0 : 1, 'it is sent once')
  sentRight(t, seen, { path: '/v1/pos/return', key: returned.returnId, body: returned })
}

function aSale() {
  const { context, currency } = cases.basket
  return {
    calculationId: randomUUID(),
    status: 'unchanged',
    currency,
    occurredAt: '2026-11-21T11:01:00Z',
    context,
  }
}

/** A POS without `int64` would not read them. */
async function largeCase(t: Test, driver: Driver): Promise<void> {
  const [line] = cases.basket.lines
  const totals = { gross: 9_000_000_000, lineDiscount: 0, orderDiscount: 0, net: 9_000_000_000 }
  const sent = { ...cases.basket, lines: [{ ...line!, unitPrice: 4_500_000_000, totals }], totals }
  const added = {
    ...line!,
    lineId: '2',
    productId: 'gold',
    quantity: 1,
    unitPrice: 3_000_000_000,
    addedByLoyalty: true,
  }
  const free = { gross: 3_000_000_000, lineDiscount: 3_000_000_000, orderDiscount: 0, net: 0 }
  const discounts = [{ type: 'percentage', percentage: 100, amount: 3_000_000_000, text: 'Free' }]
  const lines = [...sent.lines, { ...added, discounts, totals: free }]
  const basket = { ...sent, lines, totals: { ...free, gross: 12_000_000_000, net: 9_000_000_000 } }
  const body = JSON.stringify({ calculationId: basket.calculationId, status: 'applied', basket })
  const prices = [{ productId: 'gold', unitPrice: 3_000_000_000 }]
  const { answered } = await asked(t, driver, [{ body }], { basket: sent, prices })
  t.match(answered, { status: 'applied', charged: basket })
}

/** @param crashing  is killed while its event gets no answer */
async function crashCase(t: Test, driver: Driver, crashing: Driver): Promise<void> {
  const sale = aSale()
  const silent = await scriptedService([])
  const folder = mkdtempSync(join(tmpdir(), 'pos-cases-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  crashing.ask({ url: silent.url, secret, folder, attemptMs, pauseMs: 2_000, sale }).catch(() => {})
  await until(
    () => readdirSync(folder),
    (names) => names.includes(`${sale.calculationId}.json`),
  )
  await crashing.kill()
  const service = await scriptedService([recordedLate(sale.calculationId)])
  t.teardown(() => service.close())
  t.match(await driver.ask({ url: service.url, secret, folder, attemptMs, sale }), { end: 'taken', waiting: 0 })
  t.equal(service.seen.length, 1)
  sentRight(t, service.seen, { path: '/v1/pos/sale', key: sale.calculationId, body: sale })
}

async function leftCase(t: Test, driver: Driver): Promise<void> {
  const sale = aSale()
  const silent = await scriptedService([])
  const service = await scriptedService([recordedLate(sale.calculationId)])
  const folder = mkdtempSync(join(tmpdir(), 'pos-cases-'))
  t.teardown(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })
  const how = { secret, folder, attemptMs, sale }
  t.match(await driver.ask({ ...how, url: silent.url, leave: true }), { end: 'left' })
  t.same(readdirSync(folder), [`${sale.calculationId}.json`])
  t.match(await driver.ask({ ...how, url: service.url }), { end: 'taken', attempts: 1, waiting: 0 })
  t.same(readdirSync(folder), [])
  t.equal(service.seen.length, 1)
  sentRight(t, service.seen, { path: '/v1/pos/sale', key: sale.calculationId, body: sale })
}

/** The next run sends the event of its folder at once: it has to be asked to record it before that has ended. */
function recordedLate(calculationId: string): ScriptedAnswer {
  return scriptedAnswer({ json: { result: 'recorded' }, delayMs: attemptMs / 3 }, calculationId)
}

async function asked(t: Test, driver: Driver, scripted: readonly ScriptedAnswer[], what: Json) {
  const service = await scriptedService(scripted)
  const folder = mkdtempSync(join(tmpdir(), 'pos-cases-'))
  t.teardown(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })
  // As read from its file.
  const answered = await driver.ask({ url: service.url, secret: `${secret}\n`, folder, attemptMs, ...what })
  return { answered, seen: service.seen, folder }
}

/** Answers requests in turn, then with the last answer; without answers the address refuses connections. */
async function scriptedService(answers: readonly ScriptedAnswer[]): Promise<FakeService> {
  const service = await createFakeService(secret, (_, response) => {
    void giveAnswer(response, answers[Math.min(service.seen.length, answers.length) - 1]!)
  })
  if (answers.length === 0) await service.close()
  return service
}

/** Every request is signed, has its calculation's key, the same bytes, and a request id of its own. */
function sentRight(t: Test, seen: readonly Seen[], what: { path: string; key: string; body: object }): void {
  for (const request of seen) {
    const { method, path, signed, headers } = request
    t.same({ method, path, signed }, { method: 'POST', path: what.path, signed: true })
    t.match(headers, { 'idempotency-key': what.key, 'content-type': 'application/json' })
    t.same(JSON.parse(request.body), what.body)
    t.match(headers['x-request-id'], /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  }
  t.ok(new Set(seen.map(({ body }) => body)).size <= 1, 'the same bytes each time')
  t.equal(
    new Set(seen.map(({ headers }) => headers['x-request-id'])).size,
    seen.length,
    'a request id for each attempt',
  )
}

function scriptedAnswer(answer: AnswerInCase, calculationId = cases.basket.calculationId): ScriptedAnswer {
  const { json, text, change, more, ...how } = answer
  const applied = { calculationId, status: 'applied', basket: basketInCase(cases, change ?? []), ...more }
  const body = text ?? JSON.stringify(change === undefined ? { calculationId, ...json } : applied)
  return { ...how, body }
}
