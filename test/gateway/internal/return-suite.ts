import { randomUUID } from 'node:crypto'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { Discrepancy } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import { aDocument, publish, untilInForce } from './calculation-suite.js'
import { nameOfToken, type Served } from './served.js'

const { getLadder, quoteReturn, recordReturn, listReturns } = ReturnService.method
const { getBalances, listMovements } = ValueService.method

const stamps = { ruleId: 'return-stamps', currencyId: 'return-stamp', give: 1, per: { units: 1 } }
const points = { ruleId: 'return-points', currencyId: 'return-point', give: 1, per: { amount: 100 } }

export function withRules(rules: readonly object[], onReturn?: string, policy?: 'as_paid'): string {
  return aDocument((document) => {
    if (policy !== undefined) document['returns'] = { policy }
    document['currencies'] = [
      { currencyId: 'return-stamp', name: 'Stamps', onReturn },
      { currencyId: 'return-point', name: 'Points', onReturn },
    ]
    document['exchanges'] = []
    document['earning'] = rules
  })
}

/** Members, sales and returns on one service. */
export function aReturnTable(t: Test, served: () => Served) {
  const send = async (path: string, body: BasketBody) => {
    const answer = await served().send(path, JSON.stringify(body))
    t.equal(answer.status, 200, answer.text)
    return JSON.parse(answer.text)
  }

  /** Enrols a member, and waits until baskets are priced with these rules. */
  async function enrolWith(t: Test, document: string, tier = '') {
    const admin = served().admin(t)
    const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
    const members = [{ memberId, loyaltyIds: [card], ...(tier === '' ? {} : { tier }) }]
    await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
    await untilInForce(served().reader(t), await publish(admin, document))
    return { card, member: { by: { case: 'memberId', value: memberId } } as const }
  }

  /** Sells a basket as answered; resolves to its calculation. */
  async function sell(basket: BasketBody, event: Record<string, unknown> = {}): Promise<string> {
    const answer = await send('/v1/pos/basket', basket)
    const paidTotal = (answer.basket ?? basket).totals.net
    await send('/v1/pos/sale', aSale(basket, { status: answer.status, paidTotal, ...event }))
    return String(basket['calculationId'])
  }

  const coffees = (card: string | null) => {
    return aBasket(card)
      .line({ productId: 'coffee', quantity: 3, unitPrice: 450 })
      .line({ productId: 'tea', unitPrice: 600 })
      .body()
  }
  const lines = (quantities: Readonly<Record<string, number>>) =>
    Object.entries(quantities).map(([lineId, quantity]) => ({ lineId, quantityThousandths: BigInt(quantity) }))
  const row = (currencyId: string, amount: bigint, debt = 0n, forgiven = 0n) => ({ currencyId, amount, debt, forgiven })
  const asked = (calculationId: string, quantities: Readonly<Record<string, number>>, reference = 'note-1') => ({
    requestId: randomUUID(),
    calculationId,
    lines: lines(quantities),
    reference,
    occurredAt: timestampFromMs(Date.parse('2026-11-23T12:00:00Z')),
  })

  return { enrolWith, sell, send, coffees, lines, row, asked }
}

/** ReturnService, from the programme to the movements. */
export function returnSuite(t: Test, served: () => Served): void {
  const { enrolWith, sell, coffees, lines, row, asked } = aReturnTable(t, served)

  t.test('a part of a weighed line is returned, also where its scale showed whole kilograms', async (t) => {
    const { card } = await enrolWith(t, withRules([points]))
    const reader = served().reader(t)
    const cheese = aBasket(card)
      .line({ productId: 'cheese', quantity: 2, weighed: true, unitPrice: 1_000 })
      .line({ productId: 'ham', quantity: 0.4, unitPrice: 1_000 })
      .line({ productId: 'jar', quantity: 2, unitPrice: 1_000 })
    const calculationId = await sell(cheese.body())
    t.match(await reader.ask(getLadder, { calculationId }), {
      lines: [{ weighed: true }, { weighed: true }, { weighed: false }],
    })
    const refundOf = async (quantities: Readonly<Record<string, number>>) =>
      (await reader.ask(quoteReturn, { calculationId, lines: lines(quantities) })).refund
    t.equal(await refundOf({ 'line-1': 500 }), 500n)
    t.equal(await refundOf({ 'line-1': 1_250, 'line-2': 150 }), 1_400n)
    t.match(await reader.unary(quoteReturn, { calculationId, lines: lines({ 'line-3': 500 }) }), {
      violations: [/^lines\[0\]\.quantity_thousandths: expected a multiple of 1000 up to 2000/],
    })
  })

  t.test('a sale has a ladder; a return refunds and takes back, once', async (t) => {
    const { card, member } = await enrolWith(
      t,
      withRules([stamps, { ...points, minimumSpend: { amount: 1_000 } }], undefined, 'as_paid'),
    )
    const [reader, admin] = [served().reader(t), served().admin(t)]
    const calculationId = await sell(coffees(card))
    t.match(await reader.ask(getLadder, { calculationId }), {
      lines: [
        { lineId: 'line-1', quantityThousandths: 3_000n, returnedThousandths: 0n, net: 1_215n, refunded: 0n },
        { lineId: 'line-2', quantityThousandths: 1_000n, returnedThousandths: 0n, net: 600n, refunded: 0n },
      ],
    })
    const moved = {
      refund: 405n,
      asPaidRefund: 405n,
      keptBasketRefund: 405n,
      takenBack: [row('return-point', 4n), row('return-stamp', 1n)],
      givenBack: [],
    }
    t.match(await reader.ask(quoteReturn, { calculationId, lines: lines({ 'line-1': 1_000 }) }), moved)
    const request = { ...asked(calculationId, { 'line-1': 1_000 }), reason: 'cold coffee' }
    const made = await admin.ask(recordReturn, request)
    t.match(made, moved)
    t.same(await admin.ask(recordReturn, request), made, 'the same request')
    t.same(await admin.ask(recordReturn, { ...request, requestId: randomUUID() }), made, 'the same reference')
    t.match(await admin.unary(recordReturn, asked(calculationId, { 'line-1': 2_000 })), {
      code: 6,
      reason: 'REQUEST_ID_CONFLICT',
    })
    t.match(await admin.unary(recordReturn, { ...request, reference: 'note-2' }), { reason: 'REQUEST_ID_CONFLICT' })
    t.match((await reader.ask(getBalances, { member })).accounts, [
      { currencyId: 'return-point', available: 14n },
      { currencyId: 'return-stamp', available: 3n },
    ])
    // Below the minimum spend all points go.
    t.match(await admin.ask(recordReturn, asked(calculationId, { 'line-2': 1_000 }, 'note-2')), {
      refund: 600n,
      takenBack: [row('return-point', 14n), row('return-stamp', 1n)],
    })
    const { movements } = await reader.ask(listMovements, { member, currencyId: 'return-stamp' })
    const actor = nameOfToken('admin', served().tokens.admin)
    t.match(
      movements.map(({ kind, amount }) => [kind, amount]),
      [
        ['returned', -1n],
        ['returned', -1n],
        ['earned', 4n],
      ],
    )
    t.match(movements[1], { cause: `return:${made.returnId}`, actor })
    t.match(await reader.ask(getLadder, { calculationId }), {
      lines: [
        { returnedThousandths: 1_000n, refunded: 405n },
        { returnedThousandths: 1_000n, refunded: 600n },
      ],
      refunded: 1_005n,
    })
    const { returns } = await reader.ask(listReturns, { calculationId })
    t.match(returns, [
      { reference: 'note-2', refund: 600n },
      { reference: 'note-1', calculationId, lines: lines({ 'line-1': 1_000 }), occurredAt: request.occurredAt, actor },
    ])
    const first = await reader.ask(listReturns, { calculationId, pageSize: 1 })
    t.equal(first.returns.length, 1)
    const rest = await reader.ask(listReturns, { calculationId, pageSize: 1, pageToken: first.nextPageToken })
    t.match(rest, { returns: [{ reference: 'note-1' }], nextPageToken: '' })
    const subject = { subjectKind: 'sale', subjectId: calculationId }
    const { records } = await admin.ask(AuditService.method.listAuditRecords, subject)
    t.match(
      records.map(({ call, afterJson, reason }) => [call, JSON.parse(afterJson).reference, reason]),
      [
        ['ReturnService/RecordReturn', 'note-2', ''],
        ['ReturnService/RecordReturn', 'note-1', 'cold coffee'],
      ],
    )
  })

  t.test('a return takes back by the rule of the sale, not by the one of today', async (t) => {
    const { card } = await enrolWith(t, withRules([stamps, points]))
    const calculationId = await sell(coffees(card))
    const later = [
      { ...stamps, select: { productIds: ['tea'] } },
      { ...points, minimumSpend: { amount: 100_000 } },
    ]
    const admin = served().admin(t)
    await untilInForce(served().reader(t), await publish(admin, withRules(later, 'pending_only')))
    t.match(await admin.ask(quoteReturn, { calculationId, lines: lines({ 'line-1': 2_000 }) }), {
      takenBack: [row('return-point', 8n), row('return-stamp', 2n)],
    })
  })

  t.test('what is kept is priced anew for comparison', async (t) => {
    const { card } = await enrolWith(t, withRules([]), 'gold')
    const basket = aBasket(card)
      .line({ unitPrice: 6_000 })
      .line({ unitPrice: 1_000, quantity: 2, discounts: [{ type: 'amount', amount: 333 }] })
      .body()
    const calculationId = await sell(basket)
    const reader = served().reader(t)
    // 5 % of 7,667 are off: 383, of which 300 and 83.
    const { lines: ladder } = await reader.ask(getLadder, { calculationId })
    t.same(
      ladder.map(({ net }) => net),
      [5_700n, 1_584n],
    )
    t.match(await reader.ask(quoteReturn, { calculationId, lines: lines({ 'line-1': 1_000 }) }), {
      refund: 7_284n - 1_667n,
      keptBasketRefund: 7_284n - 1_667n,
      asPaidRefund: 5_700n,
    })
    const { keptBasketRefund } = await reader.ask(quoteReturn, {
      calculationId,
      lines: lines({ 'line-1': 1_000, 'line-2': 1_000 }),
    })
    t.equal(keptBasketRefund, 7_284n - (1_000n - 166n))
    const all = { calculationId, lines: lines({ 'line-1': 1_000, 'line-2': 2_000 }) }
    t.match(await reader.ask(quoteReturn, all), { refund: 7_284n, keptBasketRefund: 7_284n })
  })

  policySuite(t, served)
  otherSalesSuite(t, served)
}

/** Refunds by the policy of the sale's programme. */
function policySuite(t: Test, served: () => Served): void {
  const { enrolWith, send, coffees, lines, row } = aReturnTable(t, served)

  t.test('a basket charged as sent with our discounts is priced anew by the answer that they come from', async (t) => {
    const { card } = await enrolWith(t, withRules([stamps]))
    const first = coffees(card)
    const answered = (await send('/v1/pos/basket', first)).basket
    const second = { ...answered, calculationId: randomUUID(), supersedesCalculationId: first['calculationId'] }
    await send('/v1/pos/basket', second)
    await send('/v1/pos/sale', aSale(second, { status: 'failed', failureReason: 'timeout', paidTotal: 1_815 }))
    const calculationId = String(second['calculationId'])
    t.match(
      await served()
        .reader(t)
        .ask(quoteReturn, { calculationId, lines: lines({ 'line-1': 2_000 }) }),
      {
        ...{ refund: 810n, keptBasketRefund: 810n, takenBack: [row('return-stamp', 2n)] },
      },
    )
  })
}

/** Sales that charged something else, and what is refused. */
function otherSalesSuite(t: Test, served: () => Served): void {
  const { enrolWith, sell, send, coffees, lines, row, asked } = aReturnTable(t, served)

  t.test('where less was paid, the ladder holds what was paid', async (t) => {
    const reader = served().reader(t)
    for (const [policy, refund, taken] of [
      ['as_paid', 331n, 4n],
      // 1,000 of 1,815 were paid: 1,215 of these are kept for 670.
      [undefined, 330n, 4n],
    ] as const) {
      const { card } = await enrolWith(t, withRules([points], undefined, policy))
      const calculationId = await sell(coffees(card), { paidTotal: 1_000 })
      const { lines: ladder } = await reader.ask(getLadder, { calculationId })
      t.same(
        ladder.map(({ net }) => net),
        [669n, 331n],
      )
      t.match(await reader.ask(quoteReturn, { calculationId, lines: lines({ 'line-2': 1_000 }) }), {
        ...{ refund, asPaidRefund: 331n, keptBasketRefund: 330n, takenBack: [row('return-point', taken)] },
      })
    }
  })

  t.test('a basket charged as sent, and one without a member, have ladders too', async (t) => {
    const { card } = await enrolWith(t, withRules([stamps]))
    const admin = served().admin(t)
    const failed = { status: 'failed', failureReason: 'timeout', paidTotal: 1_950 }
    const sent = await sell(coffees(card), failed)
    t.match((await admin.ask(getLadder, { calculationId: sent })).lines, [{ net: 1_350n }, { net: 600n }])
    t.match(await admin.ask(recordReturn, asked(sent, { 'line-1': 3_000 })), {
      refund: 1_350n,
      takenBack: [row('return-stamp', 3n)],
    })
    const nobody = await sell(coffees(`card-${randomUUID()}`))
    t.match(await admin.ask(recordReturn, asked(nobody, { 'line-1': 3_000 })), {
      refund: 1_350n,
      keptBasketRefund: 1_350n,
      takenBack: [],
    })
  })

  t.test('what cannot be returned is refused with its place', async (t) => {
    const { card, member } = await enrolWith(t, withRules([stamps]))
    const [reader, admin] = [served().reader(t), served().admin(t)]
    t.match(await reader.unary(getLadder, { calculationId: randomUUID() }), {
      code: 5,
      reason: 'CALCULATION_NOT_FOUND',
    })
    t.match(await reader.unary(getLadder, { calculationId: 'x' }), { code: 3, reason: 'INVALID_REQUEST' })
    const open = coffees(card)
    await send('/v1/pos/basket', open)
    t.match(await reader.unary(getLadder, { calculationId: String(open['calculationId']) }), {
      code: 5,
      reason: 'SALE_NOT_FOUND',
    })
    const twice = { transactionId: randomUUID() }
    const calculationId = await sell(coffees(card), twice)
    const repeated = await sell(coffees(card), twice)
    t.match((await reader.ask(SaleService.method.getSale, { calculationId: repeated })).sale, {
      discrepancies: [Discrepancy.TRANSACTION_REPEATED],
    })
    t.match(await reader.unary(getLadder, { calculationId: repeated }), { code: 5, reason: 'SALE_NOT_FOUND' })
    const claim = { requestId: randomUUID(), member, calculationId: repeated }
    t.match(await admin.unary(MemberService.method.claimSale, claim), { code: 5, reason: 'SALE_NOT_FOUND' })
    const request = asked(calculationId, { 'line-1': 1_000 })
    t.match(await reader.unary(recordReturn, request), { code: 7, reason: 'PERMISSION_DENIED' })
    const quantity = 'lines[0].quantity_thousandths'
    for (const [quantities, field] of [
      [[], 'lines'],
      [[['line-1', 0]], quantity],
      [[['line-1', -1_000]], quantity],
      [[['line-1', 1_500]], quantity],
      [[['line-1', 4_000]], quantity],
      [[['line-9', 1_000]], 'lines[0].line_id'],
      [
        [
          ['line-1', 1_000],
          ['line-1', 1_000],
        ],
        'lines[1].line_id',
      ],
    ] as const) {
      const returned = quantities.map(([lineId, each]) => ({ lineId, quantityThousandths: BigInt(each) }))
      const outcome = await admin.unary(quoteReturn, { calculationId, lines: returned })
      t.match(outcome, { code: 3, reason: 'INVALID_REQUEST' }, JSON.stringify(quantities))
      t.ok(outcome.kind === 'refused' && outcome.violations[0]?.startsWith(`${field}: `), JSON.stringify(outcome))
    }
    for (const missing of [{ reference: '' }, { occurredAt: undefined }, { requestId: 'x' }] as const) {
      t.match(await admin.unary(recordReturn, { ...request, ...missing } as never), { reason: 'INVALID_REQUEST' })
    }
    await admin.ask(recordReturn, { ...request, lines: lines({ 'line-2': 1_000, 'line-1': 2_000 }) })
    const again = asked(calculationId, { 'line-2': 1_000, 'line-1': 1_000 }, 'note-2')
    t.match(await admin.unary(recordReturn, again), {
      reason: 'INVALID_REQUEST',
      violations: [`${quantity}: expected at most 0, which is left; received "1000"`],
    })
  })

  t.test('after that the programme of the other suites is in force again', async (t) => {
    await untilInForce(served().reader(t), await publish(served().admin(t), aDocument()))
  })
}
