import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { buildBasket } from '../../clients/demo/build-basket.js'
import type { PosBasket } from '../../clients/pos-js/basket.js'
import { buildSale } from '../../clients/pos-js/build-sale.js'
import { calculateBasket } from '../../clients/pos-js/calculate.js'
import { problemsOf } from '../../clients/pos-js/check-basket.js'
import { venue } from '../bench/a-venue.js'
import { type Answer, answerJson, createFakeService, discounted } from './fake-service.js'

const secret = 'a secret of the environment'
// Generous, for a busy machine; the one answer that never comes takes this long.
const times = { attemptMs: 3_000, capMs: 12_000 }

function aBasket(): PosBasket {
  return buildBasket(venue, {
    calculationId: randomUUID(),
    supersedesCalculationId: null,
    loyaltyId: 'LOY-1',
    requestedAt: new Date('2026-11-21T10:00:00Z'),
    channel: 'pos',
    picks: [
      { productId: 'bun', quantity: 3 },
      { productId: 'cheese', quantity: 0.355 },
      { productId: 'deposit', quantity: 1 },
    ],
  })
}

async function calculated(t: Test, answer: Answer, basket = aBasket()) {
  const service = await createFakeService(secret, answer)
  t.teardown(() => service.close())
  const outcome = await calculateBasket({ url: service.url, secret }, { basket, prices: venue, times })
  return { basket, outcome, seen: service.seen }
}

t.test('a basket adds up to the minor unit, weighed goods rounded half up', (t) => {
  const basket = aBasket()
  t.same(
    basket.lines.map((line) => line.totals.gross),
    [13_500, 6710, 200],
  )
  t.same(basket.totals, { gross: 20_410, lineDiscount: 0, orderDiscount: 0, net: 20_410 })
  t.same(problemsOf(basket, basket, venue), [])
  t.end()
})

t.test('a request is signed over its bytes and carries its calculationId as key', async (t) => {
  const { basket, seen } = await calculated(t, (seen, response) => {
    const { calculationId } = JSON.parse(seen.body)
    answerJson(response, 200, { calculationId, status: 'unchanged', reason: 'no_benefits' })
  })
  t.match(seen, [{ path: '/v1/pos/basket', signed: true, body: JSON.stringify(basket) }])
  t.equal(seen[0]?.headers['idempotency-key'], basket.calculationId)
})

t.test('an applied basket that adds up is charged', async (t) => {
  const { basket, outcome } = await calculated(t, (seen, response) => {
    const sent = JSON.parse(seen.body) as PosBasket
    answerJson(response, 200, { calculationId: sent.calculationId, status: 'applied', basket: discounted(sent) })
  })
  t.equal(outcome.status, 'applied')
  t.same(outcome.charged, discounted(basket))
})

t.test('with any fault in the answer, the basket is charged as it was', async (t) => {
  const answers: readonly (readonly [detail: RegExp, reason: string, answer: Answer])[] = [
    [
      /422 too_many_lines: Too many/,
      'http_error',
      (_, response) => answerJson(response, 422, { error: { code: 'too_many_lines', message: 'Too many' } }),
    ],
    [/503/, 'http_error', (_, response) => response.writeHead(503).end('down')],
    [/no JSON/, 'invalid_response', (_, response) => response.writeHead(200).end('{"status":')],
    [
      /another calculation/,
      'invalid_response',
      (_, response) => answerJson(response, 200, { status: 'unchanged', reason: 'x' }),
    ],
    [
      /does not know/,
      'invalid_response',
      (seen, response) =>
        answerJson(response, 200, { calculationId: JSON.parse(seen.body).calculationId, status: 'maybe' }),
    ],
    [
      /net is not/,
      'invalid_response',
      (seen, response) => {
        const sent = JSON.parse(seen.body) as PosBasket
        const [line, ...others] = discounted(sent).lines
        const wrong = { ...line!, totals: { ...line!.totals, net: line!.totals.net - 1 } }
        const basket = { ...discounted(sent), lines: [wrong, ...others] }
        answerJson(response, 200, { calculationId: sent.calculationId, status: 'applied', basket })
      },
    ],
    [/in time/, 'timeout', () => {}],
    [/./, 'connection_error', (_, response) => response.socket?.destroy()],
  ]
  for (const [detail, failureReason, answer] of answers) {
    const { basket, outcome, seen } = await calculated(t, answer)
    t.match(outcome, { status: 'failed', failureReason, detail }, failureReason)
    t.equal(outcome.charged, basket)
    t.equal(seen.length, 1, 'what was sent is not sent again')
  }
})

t.test('without a listener the POS gives up at once and reports it', async (t) => {
  const service = await createFakeService(secret, () => {})
  await service.close()
  const outcome = await calculateBasket({ url: service.url, secret }, { basket: aBasket(), prices: venue, times })
  t.match(outcome, { status: 'failed', failureReason: 'connection_error', exchange: { unsent: true } })
})

t.test('a call without a connection is repeated once, a sent one never', async (t) => {
  const failing = async (...errors: readonly (string | null)[]) => {
    let calls = 0
    const basket = aBasket()
    const answer = JSON.stringify({ calculationId: basket.calculationId, status: 'unchanged', reason: 'no_benefits' })
    t.intercept(globalThis, 'fetch', {
      value: async () => {
        const code = errors[calls++] ?? null
        if (code === null) return new Response(answer)
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
      },
    })
    const { status } = await calculateBasket({ url: 'http://service', secret }, { basket, prices: venue, times })
    return [calls, status]
  }
  t.same(await failing('ECONNREFUSED'), [2, 'unchanged'])
  t.same(await failing('UND_ERR_CONNECT_TIMEOUT', 'ECONNREFUSED', null), [2, 'failed'])
  t.same(await failing('ECONNRESET'), [1, 'failed'])
})

t.test('every total, amount and price of a returned basket is checked', (t) => {
  const sent = aBasket()
  const good = discounted(sent)
  t.same(problemsOf(good, sent, venue), [])
  let checked = 0
  const spoil = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, below] of Object.entries(value)) spoil(below, [...path, name])
      return
    }
    const name = path.at(-1)
    if (typeof value !== 'number' || name === 'percentage' || name === 'clerkNumber') return
    for (const wrong of [value + 7, value + 0.5, -1, String(value), null]) {
      const copy = structuredClone(good)
      let place = copy as unknown as Record<string, unknown>
      for (const step of path.slice(0, -1)) place = place[step] as Record<string, unknown>
      place[name!] = wrong
      checked++
      t.not(problemsOf(copy, sent, venue).length, 0, `${path.join('.')} = ${wrong}`)
    }
  }
  spoil(good, [])
  t.ok(checked > 100)
  t.end()
})

t.test('order discounts are their allocations, and every allocation has one', (t) => {
  const sent = aBasket()
  const [first, ...others] = sent.lines
  const line = {
    ...first!,
    orderDiscountAllocations: [{ orderDiscountId: 'o-1', amount: 500 }],
    totals: { ...first!.totals, orderDiscount: 500, net: first!.totals.net - 500 },
  }
  const totals = { ...sent.totals, orderDiscount: 500, net: sent.totals.net - 500 }
  const withAmount = (orderDiscountId: string, amount: number) =>
    problemsOf(
      { ...sent, lines: [line, ...others], totals, orderDiscounts: [{ orderDiscountId, type: 'amount', amount }] },
      sent,
      venue,
    )
  t.same(withAmount('o-1', 500), [])
  t.match(withAmount('o-1', 499), [/sum of its allocations/])
  t.match(withAmount('o-2', 0), [/not there/])
  t.end()
})

t.test('a line the service adds must cost its price in the price list', (t) => {
  const sent = aBasket()
  const added = (productId: string, unitPrice: number) => {
    const totals = { gross: unitPrice, lineDiscount: unitPrice, orderDiscount: 0, net: 0 }
    const line = {
      lineId: 'loyalty-1',
      productId,
      quantity: 1,
      unitPrice,
      noDiscount: false,
      addedByLoyalty: true,
      totals,
      discounts: [{ type: 'amount', amount: unitPrice }],
    }
    const sum = { ...sent.totals, gross: sent.totals.gross + unitPrice, lineDiscount: unitPrice }
    return problemsOf({ ...sent, lines: [...sent.lines, line], totals: sum }, sent, venue)
  }
  t.same(added('bun', 4500), [])
  t.match(added('bun', 4400), [/another price/])
  t.match(added('gold-bar', 4500), [/does not sell/])
  t.end()
})

t.test('a sale event has the fields of its status', (t) => {
  const basket = discounted(aBasket())
  t.match(saleOf(basket, 'applied'), { paidTotal: basket.totals.net, loyaltyDiscountTotal: basket.totals.lineDiscount })
  t.match(saleOf(basket, 'failed', 'timeout'), { failureReason: 'timeout', loyaltyDiscountTotal: 0 })
  const cancelled = saleOf(basket, 'cancelled')
  for (const field of ['transactionId', 'paidTotal', 'failureReason', 'loyaltyDiscountTotal'])
    t.notOk(field in cancelled, field)
  t.end()
})

function saleOf(
  basket: PosBasket,
  status: 'applied' | 'unchanged' | 'failed' | 'cancelled',
  failureReason: 'timeout' | null = null,
) {
  const occurredAt = new Date()
  const discountCode = 'THIRD_PARTY_LOYALTY'
  return buildSale(basket, { status, failureReason, transactionId: 'tx-1', receiptNumber: 1, discountCode, occurredAt })
}
