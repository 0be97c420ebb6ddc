import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { Discrepancy, SaleResult, SaleStatus } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { SaleService, type WatchSalesResponse } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import type { GrpcClient } from './grpc-client.js'
import { nameOfToken, type Served, within2s } from './served.js'

const { getSale, listSales, listDiscrepancies, settleDiscrepancies, watchSales } = SaleService.method

const oslo = { venueId: 'venue-2', baxId: 'bax-3', cashRegisterId: 'register-9', channel: 'mpos' }

/** The event of an unknown calculation. */
function anUnjoinedSale(members: Record<string, unknown> = {}): BasketBody {
  return aSale({ calculationId: randomUUID(), loyaltyId: null, currency: 'NOK', context: oslo }, members)
}

/** SaleService, on a service with sales of other suites. */
export function saleSuite(t: Test, served: () => Served): void {
  const record = async (event: BasketBody) => {
    const answer = await served().service.send('/v1/pos/sale', JSON.stringify(event))
    t.equal(answer.status, 200, answer.text)
  }

  t.test('a sale is shown as it was sent, with its discrepancies', async (t) => {
    const reader = served().reader(t)
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
    await served().service.send('/v1/pos/basket', basket.text())
    const event = aSale(basket.body(), { paidTotal: 400, receiptNumber: 7, note: 'ü' })
    await record(event)
    const { calculationId } = event as { calculationId: string }
    const { sale, eventJson } = await reader.ask(getSale, { calculationId })
    t.equal(eventJson, JSON.stringify(event))
    t.match(sale, {
      calculationId,
      status: SaleStatus.APPLIED,
      result: SaleResult.RECORDED,
      receiptNumber: 7n,
      paidTotal: 400n,
      loyaltyId: 'anna',
      venueId: 'venue-1',
      discrepancies: [Discrepancy.PAID_TOTAL_MISMATCH],
    })
    t.equal(sale?.loyaltyDiscountTotal, undefined)
    t.match(await reader.unary(getSale, { calculationId: randomUUID() }), { code: 5, reason: 'SALE_NOT_FOUND' })
    t.match(await reader.unary(getSale, { calculationId: 'x' }), { violations: [/^calculation_id/] })
  })

  t.test('sales and discrepancies are listed newest first, page by page, by every filter', async (t) => {
    const reader = served().reader(t)
    const events = [{}, { status: 'unchanged' }, {}].map((members) => anUnjoinedSale(members))
    for (const event of events) await record(event)
    const newest = events.map((event) => String(event['calculationId'])).toReversed()
    const lists = [(page: object) => reader.ask(listSales, page), (page: object) => reader.ask(listDiscrepancies, page)]
    for (const list of lists) {
      const seen: string[] = []
      let pageToken = ''
      do {
        const page = await list({ pageSize: 1, pageToken, venueId: 'venue-2' })
        seen.push(...page.sales.map(({ calculationId }) => calculationId))
        pageToken = page.nextPageToken
      } while (pageToken !== '' && seen.length < newest.length)
      t.same(seen, newest)
    }
    const unchanged = await reader.ask(listSales, { venueId: 'venue-2', status: SaleStatus.UNCHANGED })
    t.same(unchanged.sales[0]?.calculationId, newest[1])
    t.ok(unchanged.sales.every(({ status }) => status === SaleStatus.UNCHANGED))
    const paid = await reader.ask(listDiscrepancies, { discrepancy: Discrepancy.PAID_TOTAL_MISMATCH })
    t.ok(paid.sales.length > 0)
    t.ok(paid.sales.every(({ discrepancies }) => discrepancies.includes(Discrepancy.PAID_TOTAL_MISMATCH)))
    const elsewhere = anUnjoinedSale({ context: { ...oslo, cashRegisterId: 'register-10' } })
    await record(elsewhere)
    for (const list of lists) {
      const { sales } = await list({ venueId: 'venue-2', cashRegisterId: 'register-10' })
      t.same(
        sales.map(({ calculationId }) => calculationId),
        [elsewhere['calculationId']],
      )
    }
    t.match(await reader.unary(listSales, { cashRegisterId: '\n' }), { violations: [/^cash_register_id/] })
    const { recordedAt } = unchanged.sales[0]!
    t.same((await reader.ask(listSales, { from: { seconds: recordedAt!.seconds + 3_600n } })).sales, [])
    t.same((await reader.ask(listSales, { until: { seconds: recordedAt!.seconds - 3_600n } })).sales, [])
    t.match(await reader.unary(listSales, { status: 99 as SaleStatus }), { reason: 'INVALID_REQUEST' })
    t.match(await reader.unary(listDiscrepancies, { discrepancy: 99 as Discrepancy }), { reason: 'INVALID_REQUEST' })
    t.match(await reader.unary(listSales, { pageToken: 'x' }), { reason: 'PAGE_TOKEN_INVALID' })
  })

  settlingSuite(t, served, record)

  t.test('a watcher that is cut off repeatedly misses no sale and sees none twice', async (t) => {
    const reader = served().reader(t)
    const begin = await read(reader, { cursor: '' }, 1)
    t.equal(begin[0]!.sale, undefined, 'the first message has the start of the watch')
    const events = Array.from({ length: 60 }, () => anUnjoinedSale())
    const writing = Promise.all(events.map(record))
    const seen: string[] = []
    let { cursor } = begin[0]!
    // Each call ends after a few messages, mid-feed, and the next resumes after the last one read.
    for (let take = 2; seen.length < events.length; take = (take % 7) + 2) {
      const left = events.length - seen.length
      const messages = await read(reader, { cursor }, Math.min(take, left + 1))
      for (const { sale } of messages) if (sale !== undefined) seen.push(sale.calculationId)
      cursor = messages.at(-1)!.cursor
    }
    await writing
    t.same(seen.toSorted(), events.map((event) => String(event['calculationId'])).toSorted())
    const again = await read(reader, { cursor: begin[0]!.cursor }, events.length + 1)
    t.same(
      again.flatMap(({ sale }) => (sale === undefined ? [] : [sale.calculationId])),
      seen,
      'the order never changes',
    )
    const first = await read(reader, { cursor: '', fromBeginning: true }, 2)
    t.ok(first[1]!.sale !== undefined && !seen.includes(first[1]!.sale.calculationId), 'the oldest comes first')
  })

  t.test('a watcher of one venue sees only its sales, and a cursor of another watch is refused', async (t) => {
    const reader = served().reader(t)
    const [begin] = await read(reader, { venueId: 'venue-1' }, 1)
    await record(anUnjoinedSale())
    const wanted = anUnjoinedSale({ context: { ...oslo, venueId: 'venue-1' } })
    await record(wanted)
    const messages = await read(reader, { venueId: 'venue-1', cursor: begin!.cursor }, 2)
    t.same(
      messages.map(({ sale }) => sale?.calculationId),
      [undefined, wanted['calculationId']],
    )
    await t.rejects(read(reader, { cursor: begin!.cursor }, 1), /cursor/)
    await t.rejects(read(reader, { cursor: 'x' }, 1), /cursor/)
  })
}

interface Watched {
  readonly cursor?: string
  readonly venueId?: string
  readonly fromBeginning?: boolean
}

/** The first message of a watch and the sales behind it, `count` together; then the watch ends. */
function read(client: GrpcClient, request: Watched, count: number): Promise<WatchSalesResponse[]> {
  return new Promise((resolve, reject) => {
    const stream = client.stream(watchSales, request)
    const messages: WatchSalesResponse[] = []
    stream.on('data', (message: WatchSalesResponse) => {
      // Heartbeats come at any time.
      if (message.sale === undefined && messages.length > 0) return
      messages.push(message)
      if (messages.length !== count) return
      resolve(messages)
      stream.cancel()
    })
    // A cancelled call ends with an error, which is expected.
    stream.on('error', reject)
  })
}

function settlingSuite(t: Test, served: () => Served, record: (event: BasketBody) => Promise<void>): void {
  t.test(
    'discrepancies have their difference in money, and leave the list once they are settled with a note',
    async (t) => {
      const support = served().as(t, 'support')
      const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
      const { json } = await served().service.send('/v1/pos/basket', basket.text())
      const { calculationId } = basket.body()
      const net = json.status === 'applied' ? json.basket.totals.net : 450
      await record(aSale(basket.body(), { status: json.status, paidTotal: net + 25, loyaltyDiscountTotal: 0 }))
      const listed = async (more: object = {}) => {
        const { sales } = await support.ask(listDiscrepancies, { venueId: 'venue-1', ...more })
        return sales.find((sale) => sale.calculationId === calculationId)
      }
      const given = BigInt(450 - net)
      t.match(await listed(), { paidDifference: 25n, discountDifference: -given, settled: undefined })
      const discrepancies = [Discrepancy.PAID_TOTAL_MISMATCH, Discrepancy.DISCOUNT_TOTAL_MISMATCH]
      const request = { requestId: randomUUID(), calculationId, reason: 'a tip, agreed with the venue', discrepancies }
      const seen = { ...request, requestId: randomUUID(), discrepancies: discrepancies.slice(0, 1) }
      t.equal((await support.ask(settleDiscrepancies, seen)).sale?.settled, undefined, 'one was not seen')
      t.ok(await listed())
      const reply = await support.ask(settleDiscrepancies, request)
      const actor = nameOfToken('support', served().tokens.support)
      t.match(reply.sale, { calculationId, settled: { actor, note: request.reason } })
      t.same(await support.ask(settleDiscrepancies, request), reply, 'a repeat')
      t.equal(await listed(), undefined)
      t.match(await listed({ includeSettled: true }), { settled: { note: request.reason } })
      const audit = { subjectKind: 'sale', subjectId: calculationId }
      t.match((await support.ask(AuditService.method.listAuditRecords, audit)).records, [
        { call: 'SaleService/SettleDiscrepancies', reason: request.reason },
        { requestId: seen.requestId },
      ])
      const again = { ...request, requestId: randomUUID() }
      t.match(await support.unary(settleDiscrepancies, again), { code: 9, reason: 'NOTHING_TO_SETTLE' })
      t.match(await support.unary(settleDiscrepancies, { ...again, calculationId: randomUUID() }), {
        ...{ code: 5, reason: 'SALE_NOT_FOUND' },
      })
      t.match(await support.unary(settleDiscrepancies, { ...request, reason: 'b' }), { reason: 'REQUEST_ID_CONFLICT' })
      t.match(await support.unary(settleDiscrepancies, { requestId: '', calculationId: '', reason: '' }), {
        violations: [/^request_id: /, /^calculation_id: /, /^reason: /, /^discrepancies: /],
      })
    },
  )

  t.test('a settled sale is open again once its calculation comes and adds a discrepancy', async (t) => {
    const support = served().as(t, 'support')
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
    await record(aSale(basket.body(), { paidTotal: 1 }))
    const { calculationId } = basket.body()
    const discrepancies = [Discrepancy.UNKNOWN_CALCULATION]
    const request = { requestId: randomUUID(), calculationId, reason: 'offline', discrepancies }
    t.ok((await support.ask(settleDiscrepancies, request)).sale?.settled)
    await served().service.send('/v1/pos/basket', basket.text())
    await within2s(
      t,
      async () => (await support.ask(getSale, { calculationId })).sale?.settled === undefined,
      'it is open',
    )
  })
}
