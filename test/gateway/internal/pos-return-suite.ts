import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { berlin } from '../../e2e/basket.js'
import { eventually } from '../../e2e/service.js'
import { aDocument, publish, untilInForce } from './calculation-suite.js'
import { aReturnTable, withRules } from './return-suite.js'
import type { Served } from './served.js'

const { getLadder, quoteReturn, listReturns } = ReturnService.method
const path = '/v1/pos/return'

const points = { ruleId: 'pos-return-points', currencyId: 'return-point', give: 1, per: { amount: 100 } }
const stamps = { ruleId: 'pos-return-stamps', currencyId: 'return-stamp', give: 1, per: { units: 1 } }

type Body = Readonly<Record<string, unknown>>

function aReturn(sold: Body, quantities: Readonly<Record<string, number>>, more: Body = {}) {
  return {
    returnId: randomUUID(),
    ...sold,
    lines: Object.entries(quantities).map(([lineId, quantity]) => ({ lineId, quantity })),
    occurredAt: '2026-11-23T12:00:00+01:00',
    context: berlin,
    ...more,
  }
}

interface SentReturn extends Body {
  readonly returnId: string
}

function sendReturn({ service }: Served, body: SentReturn, indent = 0) {
  return eventually(() => service.send(path, JSON.stringify(body, null, indent)))
}

/** The partner contract's addition, from the POS to the ledger. */
export function posReturnSuite(t: Test, served: () => Served): void {
  const { enrolWith, sell, coffees } = aReturnTable(t, served)
  const send = (body: SentReturn) => sendReturn(served(), body)

  t.test('a return refunds, takes back, and is answered the same again', async (t) => {
    const { card, member } = await enrolWith(t, withRules([stamps, points], undefined, 'as_paid'))
    const [reader, admin] = [served().reader(t), served().admin(t)]
    const calculationId = await sell(coffees(card))
    const body = aReturn({ calculationId }, { 'line-2': 1, 'line-1': 1 })
    const quoted = { returnId: body.returnId, result: 'quoted', refund: 1_005, takenBack: 12, givenBack: 0 }
    const lines = [
      { lineId: 'line-1', refund: 405 },
      { lineId: 'line-2', refund: 600 },
    ]
    t.same((await send({ ...body, dryRun: true })).json, { ...quoted, lines })
    const same = [1, 2].map((line) => ({ lineId: `line-${line}`, quantityThousandths: 1_000n }))
    t.match(await reader.ask(quoteReturn, { calculationId, lines: same }), { refund: 1_005n }, 'and so over gRPC')
    t.match(await reader.ask(getLadder, { calculationId }), { refunded: 0n }, 'a dry run records nothing')

    const first = await send(body)
    t.same(first.json, { ...quoted, result: 'recorded', lines })
    t.notOk(first.headers['idempotent-replayed'])
    const again = await sendReturn(served(), body, 1)
    t.equal(again.text, first.text)
    t.equal(again.headers['idempotent-replayed'], 'true')
    for (const other of [
      { ...body, dryRun: true },
      { ...body, lines: [{ lineId: 'line-1', quantity: 1 }] },
    ]) {
      const { status, json } = await send(other)
      t.equal(status, 409)
      t.match(json.error, { code: 'idempotency_conflict', message: /a return that is recorded cannot be changed$/ })
    }
    const elsewhere = await sell(coffees(card))
    t.equal((await send({ ...body, calculationId: elsewhere })).status, 409, 'the same returnId for another sale')

    const { returns } = await reader.ask(listReturns, { calculationId })
    t.match(returns, [{ reference: body.returnId, refund: 1_005n, actor: 'venue-1/register-1' }])
    const subject = { subjectKind: 'sale', subjectId: calculationId }
    t.match((await admin.ask(AuditService.method.listAuditRecords, subject)).records, [
      { call: 'POST /v1/pos/return', requestId: body.returnId },
    ])
    t.match((await reader.ask(ValueService.method.getBalances, { member })).accounts, [
      { currencyId: 'return-point', available: 8n + 18n },
      { currencyId: 'return-stamp', available: 2n + 4n },
    ])
  })

  t.test('the sale is named by its transaction at the venue; a venue has no other sales', async (t) => {
    const { card } = await enrolWith(t, withRules([stamps]))
    const [transactionId, twice] = [randomUUID(), randomUUID()]
    const calculationId = await sell(coffees(card), { transactionId })
    t.match((await send(aReturn({ transactionId }, { 'line-2': 1 }))).json, { result: 'recorded', refund: 600 })
    const elsewhere = { ...berlin, venueId: 'venue-2', baxId: 'bax-3' }
    for (const sold of [{ transactionId }, { calculationId }]) {
      const body = aReturn(sold, { 'line-9': 5 }, { context: elsewhere })
      const { status, text } = await send(body)
      t.equal(status, 200)
      t.equal(
        text,
        JSON.stringify({ returnId: body.returnId, result: 'unknown_calculation' }),
        'as of a sale that is not there',
      )
      t.same((await send({ ...body, calculationId: randomUUID(), transactionId: null })).text, text)
    }
    for (const cashRegisterId of ['1', '2'])
      await sell(coffees(card), { transactionId: twice, context: { ...berlin, cashRegisterId } })
    const { status, json } = await send(aReturn({ transactionId: twice }, { 'line-1': 1 }))
    t.equal(status, 400)
    t.match(json.error.details, { field: 'transactionId', received: JSON.stringify(twice) })
  })

  t.test('a return before its sale is not stored, and is recorded after it', async (t) => {
    const { card } = await enrolWith(t, withRules([stamps]))
    const basket = coffees(card)
    const body = aReturn({ calculationId: basket['calculationId'] }, { 'line-1': 1 })
    t.match((await send(body)).json, { result: 'unknown_calculation' })
    await sell(basket)
    t.match((await send(body)).json, { result: 'recorded', refund: 405 })
  })

  t.test('what cannot be returned is refused with its field', async (t) => {
    const { card } = await enrolWith(t, withRules([stamps]))
    const calculationId = await sell(coffees(card))
    const reader = served().reader(t)
    t.equal((await send(aReturn({ calculationId }, { 'line-1': 2 }))).status, 200)
    for (const [quantities, field, expected, received] of [
      [{ 'line-2': 1, 'line-1': 2 }, 'lines[1].quantity', 'at most 1, which is left', '2'],
      [{ 'line-1': 4 }, 'lines[0].quantity', 'a whole number up to 3', '4'],
      [{ 'line-1': 0.5 }, 'lines[0].quantity', 'a whole number up to 3', '0.5'],
      [{ 'line-9': 1 }, 'lines[0].lineId', 'the lineId of a line of the charged basket', '"line-9"'],
    ] as const) {
      const { status, json } = await send(aReturn({ calculationId }, quantities))
      t.equal(status, 400)
      t.match(json.error, { code: 'invalid_request', details: { field, expected, received } })
    }
    const unsigned = aReturn({ calculationId }, { 'line-1': 1 })
    const forged = await served().service.send(path, JSON.stringify(unsigned), { secret: 'wrong' })
    t.equal(forged.status, 401)
    t.match(forged.json.error, { code: 'invalid_signature' })
    t.equal((await reader.ask(listReturns, { calculationId })).returns.length, 1)
  })

  t.test('after that the programme of the other suites is in force again', async (t) => {
    await untilInForce(served().reader(t), await publish(served().admin(t), aDocument()))
  })
}
