import { randomUUID } from 'node:crypto'
import t from 'tap'
import { buildBasket } from '../../clients/demo/build-basket.js'
import type { PosBasket } from '../../clients/pos-js/basket.js'
import { buildSale } from '../../clients/pos-js/build-sale.js'
import { calculateBasket } from '../../clients/pos-js/calculate.js'
import { problemsOf } from '../../clients/pos-js/check-basket.js'
import { discounted, venue } from './fake-service.js'

const secret = 'a secret of the environment'
// Generous, for a busy machine.
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
