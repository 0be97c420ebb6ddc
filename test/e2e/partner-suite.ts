import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { aBasket, aSale, berlin } from './basket.js'
import { type Answer, eventually, type RunningService } from './service.js'

type Start = () => RunningService

const basketPath = '/v1/pos/basket'
const salePath = '/v1/pos/sale'

/** The promises of the partner contract, for any stores. `service` runs with the programme in this folder. */
export function partnerSuite(t: Test, service: Start): void {
  t.test('outcomes', (t) => outcomes(t, service))
  t.test('repeats', (t) => repeats(t, service))
  t.test('refusals in their order', (t) => refusals(t, service))
  t.test('limits', (t) => limits(t, service))
  t.test('sales', (t) => sales(t, service))
}

async function outcomes(t: Test, service: Start): Promise<void> {
  const send = (basket: { text(): string }) => service().send(basketPath, basket.text())

  t.test('a member gets the benefit, and the foreign fields of the POS come back as they were', async (t) => {
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450, quantity: 2, note: 'hot' })
    const text = basket
      .text()
      .replace('"note":"hot"', '"note":"hot","weight":1.10,"big":12345678901234567890,"__proto__":{"a":1e2}')
    const { status, json, text: answer, headers } = await service().send(basketPath, text)
    t.equal(status, 200)
    t.equal(json.status, 'applied')
    t.match(json.basket.lines[0], { totals: { gross: 900, lineDiscount: 90, orderDiscount: 0, net: 810 } })
    t.match(json.basket.lines[0].discounts, [
      { type: 'percentage', percentage: 10, amount: 90, lineDiscountCode: 'THIRD_PARTY_LOYALTY', text: 'Coffee 10 %' },
    ])
    t.equal(json.basket.totals.net, 810)
    t.ok(answer.includes('"note":"hot","weight":1.10,"big":12345678901234567890,"__proto__":{"a":1e2}'))
    t.match(headers['server-timing'], /^app;dur=\d+(\.\d+)?$/)
    t.notOk(headers['idempotent-replayed'])
  })

  t.test('an order discount is allocated to the lines and adds up', async (t) => {
    const basket = aBasket('anna')
      .line({ productId: 'tea', unitPrice: 3333 })
      .line({ productId: 'mug', unitPrice: 1667 })
    const { json } = await send(basket)
    t.equal(json.status, 'applied')
    t.match(json.basket.orderDiscounts, [{ amount: 250, lineDiscountCode: 'THIRD_PARTY_LOYALTY', text: 'Gold 5 %' }])
    t.same(json.basket.totals, { gross: 5000, lineDiscount: 0, orderDiscount: 250, net: 4750 })
  })

  t.test('a member without a matching benefit gets unchanged, with the reason and no lines', async (t) => {
    const { status, json } = await send(aBasket('ben').line({ productId: 'tea', unitPrice: 300 }))
    t.equal(status, 200)
    t.match(json, { status: 'unchanged', reason: 'conditions_not_met' })
    t.equal(json.basket, undefined)
  })

  t.test('an absent, unknown or blocked member is member_not_found', async (t) => {
    for (const loyaltyId of [null, 'unknown', 'carl', 'a\u0000b', '\ud800', '😀'.repeat(64)]) {
      const basket = aBasket(loyaltyId).line({ productId: 'coffee', unitPrice: 450 })
      const { status, json } = await send(basket)
      t.equal(status, 200, JSON.stringify(loyaltyId))
      t.same(json, { calculationId: basket.body()['calculationId'], status: 'member_not_found' })
    }
  })

  t.test('the staging test members answer as the wire decisions say', async (t) => {
    const basket = (member: string) =>
      aBasket(member)
        .line({ productId: 'x', unitPrice: 999 })
        .line({ productId: 'y', unitPrice: 500, noDiscount: true })
    const percent = await send(basket('TEST-20-PERCENT'))
    t.match(percent.json.basket.lines[0].discounts, [
      { type: 'percentage', percentage: 20, amount: 200, text: 'Test 20 %' },
    ])
    t.equal(percent.json.basket.totals.net, 1299)
    t.match((await send(basket('TEST-UNCHANGED'))).json, { status: 'unchanged', reason: 'no_benefits' })
    t.equal((await send(basket('TEST-NOT-FOUND'))).json.status, 'member_not_found')
  })
}

async function repeats(t: Test, service: Start): Promise<void> {
  t.test('the same body again is answered byte for byte, marked as replayed', async (t) => {
    const text = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).text()
    const first = await service().send(basketPath, text)
    const again = await service().send(basketPath, text, { headers: { 'x-request-id': randomUUID() } })
    t.equal(again.status, 200)
    t.equal(again.text, first.text)
    t.equal(again.headers['idempotent-replayed'], 'true')
  })

  t.test('the same JSON value in other bytes is a replay, another value a conflict', async (t) => {
    const body = aBasket('anna').line({ productId: 'coffee', unitPrice: 450, n: 1 }).body()
    const first = await service().send(basketPath, JSON.stringify(body))
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2).replace(
      '"n": 1',
      '"n": 1.0e0',
    )
    t.equal((await service().send(basketPath, reordered)).text, first.text)
    const other = await service().send(basketPath, JSON.stringify({ ...body, extra: null }))
    t.equal(other.status, 409)
    t.match(other.json.error, { code: 'idempotency_conflict', message: /another basket needs a new calculationId$/ })
  })

  t.test('sixteen different bodies with one key at once: one 200, fifteen 409', async (t) => {
    const body = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body()
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        eventually(() => service().send(basketPath, JSON.stringify({ ...body, at }))),
      ),
    )
    t.same(answers.map(({ status }) => status).sort(), [200, ...Array<number>(15).fill(409)])
  })

  t.test('many copies of one basket at once get one answer', async (t) => {
    const text = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).text()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => eventually(() => service().send(basketPath, text))),
    )
    t.same([...new Set(answers.map((answer) => `${answer.status} ${answer.text}`))].length, 1)
    t.equal(answers[0]?.status, 200)
  })

  t.test('a repeated sale is a replay or a conflict, and basket and sale keys never collide', async (t) => {
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
    await service().send(basketPath, basket.text())
    const sale = aSale(basket.body(), { paidTotal: 405 })
    const first = await service().send(salePath, JSON.stringify(sale))
    t.match(first.json, { result: 'recorded' })
    const again = await service().send(salePath, JSON.stringify(sale, null, 1))
    t.equal(again.text, first.text)
    t.equal(again.headers['idempotent-replayed'], 'true')
    const changed = await service().send(salePath, JSON.stringify({ ...sale, paidTotal: 1 }))
    t.equal(changed.status, 409)
    t.match(changed.json.error, {
      code: 'idempotency_conflict',
      message: /a sale event that is stored cannot be changed$/,
    })
  })
}

const refusedBaskets: readonly (readonly [
  name: string,
  body: () => string,
  status: number,
  code: string,
  field: string,
])[] = [
  ['a missing noDiscount', () => broken('"noDiscount":false,', ''), 400, 'invalid_request', 'lines[0].noDiscount'],
  [
    'a total that does not add up',
    () => broken('"net":450', '"net":451'),
    422,
    'arithmetic_mismatch',
    'lines[0].totals.net',
  ],
  ['201 lines', () => manyLines(201), 422, 'too_many_lines', 'lines'],
  ['an unknown venue', () => broken('venue-1', 'venue-9'), 422, 'venue_not_configured', 'context.venueId'],
  [
    'a venue of production',
    () => broken('venue-1', 'venue-3').replace('bax-1', 'bax-4'),
    422,
    'venue_not_configured',
    'context.venueId',
  ],
  ['a baxId of another venue', () => broken('bax-1', 'bax-3'), 422, 'venue_not_configured', 'context.baxId'],
  ['a currency that is not the venue\u2019s', () => broken('EUR', 'DEM'), 422, 'unknown_currency', 'currency'],
  [
    'wrong venue and wrong sums',
    () => broken('venue-1', 'venue-9').replace('"net":450', '"net":451'),
    422,
    'venue_not_configured',
    'context.venueId',
  ],
  [
    'wrong currency and wrong sums',
    () => broken('EUR', 'USD').replace('"net":450', '"net":451'),
    422,
    'unknown_currency',
    'currency',
  ],
  [
    'a result above the maximum',
    () => broken('"unitPrice":450', '"unitPrice":9007199254740991').replace('"quantity":1', '"quantity":2'),
    400,
    'invalid_request',
    'lines[0].totals.gross',
  ],
]

async function refusals(t: Test, service: Start): Promise<void> {
  for (const [name, body, status, code, field] of refusedBaskets) {
    t.test(`${name} is ${status} ${code}`, async (t) => {
      const answer = await service().send(basketPath, body())
      t.equal(answer.status, status, answer.text)
      t.match(answer.json.error, { code, details: { field, expected: String, received: String }, requestId: String })
      t.match(answer.headers['x-request-id'], answer.json.error.requestId)
    })
  }

  t.test('a refused basket is not stored: corrected, it is computed', async (t) => {
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
    const wrong = await service().send(basketPath, basket.text().replaceAll('"net":450', '"net":451'))
    t.equal(wrong.status, 422)
    const right = await service().send(basketPath, basket.text())
    t.equal(right.status, 200)
    t.notOk(right.headers['idempotent-replayed'])
  })

  t.test('a stored answer is returned before the later checks', async (t) => {
    const text = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).text()
    t.equal((await service().send(basketPath, text)).status, 200)
    t.equal((await service().send(basketPath, text.replace('bax-1', 'bax-3'))).status, 409)
  })

  t.test('a wrong signature, a stale one and a missing key are refused before the body is read', async (t) => {
    t.equal(
      (await service().send(basketPath, 'no json', { secret: 'wrong', key: randomUUID() })).json.error.code,
      'invalid_signature',
    )
    const t0 = Math.floor(Date.now() / 1000)
    t.equal(
      (await service().send(basketPath, 'no json', { t: t0 - 310, key: randomUUID() })).json.error.code,
      'stale_timestamp',
    )
    t.equal((await service().send(basketPath, 'no json', { key: null })).json.error.code, 'invalid_request')
  })
}

function broken(what: string, instead: string): string {
  return aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).text().replace(what, instead)
}

function manyLines(count: number): string {
  let basket = aBasket('anna')
  for (let at = 0; at < count; at += 1) basket = basket.line({ unitPrice: 1 })
  return basket.text()
}

async function limits(t: Test, service: Start): Promise<void> {
  const cake = () => aBasket('ben').line({ productId: 'cake', unitPrice: 900 })
  const calculate = async (basket: { text(): string }) =>
    (await eventually(() => service().send(basketPath, basket.text()))).json
  const sell = async (basket: { body(): Record<string, unknown> }, members: Record<string, unknown>) =>
    (await eventually(() => service().send(salePath, JSON.stringify(aSale(basket.body(), members))))).json.result

  t.test(
    'a limit of one is held by an open basket, moves with a superseding one, is freed by a cancelled one, and is used by a sale',
    async (t) => {
      const first = cake()
      t.equal((await calculate(first)).status, 'applied')
      t.match(await calculate(cake()), { status: 'unchanged', reason: 'limit_exhausted' })
      const changed = cake().with({ supersedesCalculationId: first.body()['calculationId'] })
      t.equal((await calculate(changed)).status, 'applied')
      t.match(await calculate(cake()), { status: 'unchanged', reason: 'limit_exhausted' })
      t.equal(await sell(changed, { status: 'cancelled', transactionId: undefined }), 'recorded')
      const second = cake()
      t.equal((await calculate(second)).status, 'applied')
      t.equal(await sell(second, { paidTotal: 700, loyaltyDiscountTotal: 200 }), 'recorded')
      t.match(await calculate(cake()), { status: 'unchanged', reason: 'limit_exhausted' })
      t.equal(await sell(first, { paidTotal: 700 }), 'recorded', 'a sale for a superseded calculation is recorded')
    },
  )

  t.test('a basket sent again with its discounts stays as it is, and still holds its units', async (t) => {
    const first = cake().with({ loyaltyId: 'anna' })
    const priced = (await calculate(first)).basket
    const again = { ...priced, calculationId: randomUUID(), supersedesCalculationId: first.body()['calculationId'] }
    t.match(await calculate({ text: () => JSON.stringify(again) }), { status: 'unchanged' })
    t.match(await calculate(cake().with({ loyaltyId: 'anna' })), { status: 'unchanged', reason: 'limit_exhausted' })
    t.equal(await sell({ body: () => again }, { status: 'unchanged', paidTotal: 700 }), 'recorded')
    t.match(await calculate(cake().with({ loyaltyId: 'anna' })), { status: 'unchanged', reason: 'limit_exhausted' })
  })

  t.test('two POSs on one budget give no more than it together, and what is left to the next', async (t) => {
    const given: { readonly basket: ReturnType<typeof aBasket>; readonly amount: number }[] = []
    const taken = () => given.reduce((sum, { amount }) => sum + amount, 0)
    const ask = async (unitPrice: number) => {
      const basket = aBasket('anna').line({ productId: 'juice', unitPrice, quantity: 2 })
      const answer = await calculate(basket)
      const amount = answer.status === 'applied' ? answer.basket.lines[0].totals.lineDiscount : 0
      if (amount > 0) given.push({ basket, amount })
      return answer
    }
    // Units that take off 70, 110 and 130.
    const pos = async (prices: readonly number[]) => {
      for (const price of [...prices, ...prices, ...prices]) await ask(price)
    }
    await Promise.all([pos([370, 410]), pos([430, 370])])
    t.ok(taken() <= 1000, `${taken()} of 1000`)
    t.ok(given.every(({ amount }) => amount % 70 === 0 || amount % 110 === 0 || amount % 130 === 0))
    // A slow store counts as out of reach, and a limited benefit then as exhausted: ask again for the rest.
    for (let tries = 0; taken() <= 1000 - 70 && tries < 200; tries += 1) await ask(370)
    t.ok(taken() > 1000 - 70 && taken() <= 1000, `${taken()} of 1000`)
    t.match(await ask(370), { status: 'unchanged', reason: 'limit_exhausted' })
    const [{ basket, amount }, ...others] = given as [(typeof given)[0], ...typeof given]
    for (const each of others) t.equal(await sell(each.basket, { loyaltyDiscountTotal: each.amount }), 'recorded')
    t.equal(await sell(basket, { status: 'cancelled', transactionId: undefined }), 'recorded')
    const next = await untilApplied(() => ask(300 + amount))
    t.equal(next.basket.lines[0].totals.lineDiscount, amount, 'what came back is given again')
    t.ok(taken() - amount <= 1000)
  })

  t.test(
    'forty baskets at once on the last ten units get ten at most, and all ten are granted in the end',
    async (t) => {
      const one = () => aBasket('ben').line({ productId: 'bun', unitPrice: 120, quantity: 1 })
      const baskets = Array.from({ length: 40 }, one)
      const answers = await Promise.all(baskets.map(calculate))
      const given = baskets.filter((_, at) => answers[at].status === 'applied')
      t.ok(given.length <= 10, `${given.length} of 40`)
      t.equal(answers.filter(({ reason }) => reason === 'limit_exhausted').length, 40 - given.length)
      // A slow store counts as out of reach, and a limited benefit then as exhausted: ask again for the rest.
      for (let tries = 0; given.length < 10 && tries < 200; tries += 1) {
        const basket = one()
        if ((await calculate(basket)).status === 'applied') given.push(basket)
      }
      t.equal(given.length, 10)
      t.match(await calculate(one()), { status: 'unchanged', reason: 'limit_exhausted' })
      await Promise.all(given.map((basket) => sell(basket, { status: 'failed', failureReason: 'timeout' })))
      const many = await untilApplied(() =>
        calculate(aBasket('ben').line({ productId: 'bun', unitPrice: 120, quantity: 25 })),
      )
      t.equal(
        many.basket.lines[0].totals.lineDiscount,
        700,
        'the ten units that came back are given to the next, and no more',
      )
    },
  )
}

/** Repeats while a limit seems exhausted: freed units are granted in the end. */
export async function untilApplied(ask: () => Promise<Answer['json']>): Promise<Answer['json']> {
  const untilMs = performance.now() + 60_000
  for (;;) {
    const answer = await ask()
    if (answer.status === 'applied' || performance.now() > untilMs) return answer
    await sleep(50)
  }
}

async function sales(t: Test, service: Start): Promise<void> {
  const record = async (sale: Record<string, unknown>) => service().send(salePath, JSON.stringify(sale))
  const sold = async (members: Record<string, unknown>) => {
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
    await service().send(basketPath, basket.text())
    return await record(aSale(basket.body(), members))
  }

  t.test('every status is recorded', async (t) => {
    for (const members of [
      { status: 'applied', paidTotal: 405, loyaltyDiscountTotal: 45 },
      { status: 'unchanged' },
      { status: 'member_not_found', loyaltyId: null },
      { status: 'failed', failureReason: 'offline' },
      { status: 'cancelled', transactionId: null },
    ]) {
      const { status, json } = await sold(members)
      t.equal(status, 200, JSON.stringify(members))
      t.equal(json.result, 'recorded')
    }
  })

  t.test('a sale whose sums, venue or currency differ is recorded all the same', async (t) => {
    t.equal((await sold({ paidTotal: 1, loyaltyDiscountTotal: 9 })).json.result, 'recorded')
    t.equal((await sold({ currency: 'NOK' })).json.result, 'recorded')
    t.equal((await sold({ context: { ...berlin, venueId: 'venue-3', baxId: 'bax-4' } })).json.result, 'recorded')
  })

  t.test('a sale of an unknown calculation is stored and final; its basket may still come', async (t) => {
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
    t.equal((await record(aSale(basket.body()))).json.result, 'unknown_calculation')
    const again = await record(aSale(basket.body(), { occurredAt: '2026-01-01T00:00:00Z' }))
    t.equal(again.status, 409, 'another event under the same key')
    t.equal((await service().send(basketPath, basket.text())).status, 200)
  })

  t.test('a sale that breaks a rule is refused with its field', async (t) => {
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 }).body()
    const cases: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ status: 'failed' }, 'failureReason'],
      [{ failureReason: 'timeout' }, 'failureReason'],
      [{ status: 'cancelled' }, 'transactionId'],
      [{ transactionId: undefined }, 'transactionId'],
      [{ status: 'unchanged', loyaltyDiscountTotal: 1 }, 'loyaltyDiscountTotal'],
      [{ receiptNumber: 1.5 }, 'receiptNumber'],
      [{ occurredAt: '2026-02-30T00:00:00Z' }, 'occurredAt'],
    ]
    for (const [members, field] of cases) {
      const { status, json } = await record(aSale(basket, members))
      t.equal(status, 400, field)
      t.equal(json.error.details.field, field)
    }
  })
}
