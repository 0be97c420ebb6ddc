import t from 'tap'
import { readBasket } from '../../../engine/wire/read-basket.js'
import { readJson } from '../../../engine/wire/read-json.js'
import { readSale } from '../../../engine/wire/read-sale.js'
import { basketRule, requestNames, saleRule } from '../../../engine/wire/request-rules.js'
import { fc } from '../../support/seeded.js'
import { type BasketBody, basketBody, bytesOf, calculationId } from './basket-body.js'
import { fullBody } from './full-body.js'

function detailsOf(body: unknown) {
  const reading = readBasket(bytesOf(body), calculationId, 200)
  if (reading.kind === 'read') throw new Error('it was taken')
  return reading.refusal.details
}

function fieldsOf(body: unknown): string[] {
  return detailsOf(body).faults!.map(({ field }) => field)
}

t.test('lists every value that does not fit, in text order, a missing field at the end of its object', async (t) => {
  const body = fullBody()
  Object.assign(body, { currency: 'nok', orderDiscounts: 7 })
  delete body.context['venueId']
  delete body.context['baxId']
  body.context['clerkNumber'] = -1
  Object.assign(body.lines[0]!, { quantity: 0.0001, unitPrice: '100' })
  body.lines[1]!.totals['net'] = null
  delete (body.totals as Partial<typeof body.totals>)['gross']
  t.same(fieldsOf(body), [
    'currency',
    'context.clerkNumber',
    'context.venueId',
    'context.baxId',
    'lines[0].quantity',
    'lines[0].unitPrice',
    'lines[1].totals.net',
    'totals.gross',
    'orderDiscounts',
  ])
  t.same(detailsOf(body).faults![5], {
    field: 'lines[0].unitPrice',
    expected: 'an integer from 0 to 9007199254740991',
    received: '"100"',
  })
})

t.test('the details are the first fault of the list', async (t) => {
  const body = { ...basketBody(), currency: 1, requestedAt: 2 }
  const { faults, ...first } = detailsOf(body)
  t.same(first, faults![0])
  t.equal(faults!.length, 2)
})

t.test('names that repeat come before values that do not fit', async (t) => {
  const misfit = JSON.stringify({ ...basketBody(), currency: 1 })
  const text = `${misfit.slice(0, -1)},"x":{"a":1,"a":2},"totals":0}`
  t.same(fieldsOf(text), ['totals', 'x.a', 'currency', 'totals'])
})

t.test('a text that is not JSON is one fault', async (t) => {
  for (const body of ['', '{', '[]x', '\ufeff{}', '{"a":1 "b":2}']) t.equal(detailsOf(body).faults!.length, 1, body)
  t.equal(readJson(Buffer.from([0x22, 0xff, 0x22]), requestNames).kind, 'fault')
})

t.test('of a basket that fits the schema, all that its ids and parents get wrong', async (t) => {
  const body = fullBody()
  Object.assign(body.lines[1]!, { lineId: 'line 1', parentLineId: 'line 9' })
  Object.assign((body.lines[1] as { discounts?: object[] }).discounts![0]!, { percentage: null })
  const other = calculationId.replace('0', 'f')
  const reading = readBasket(bytesOf(body), other, 200)
  if (reading.kind === 'read') throw new Error('it was taken')
  t.same(
    reading.refusal.details.faults!.map(({ field }) => field),
    ['calculationId', 'lines[1].lineId', 'lines[1].parentLineId', 'lines[1].discounts[0].percentage'],
  )
})

t.test('of a sale event, all that its status forbids', async (t) => {
  const event = {
    calculationId,
    status: 'cancelled',
    failureReason: 'timeout',
    transactionId: '7',
    currency: 'NOK',
    paidTotal: 1,
    loyaltyDiscountTotal: 1,
    occurredAt: '2026-11-21T12:00:00Z',
    context: { venueId: 'v', baxId: 'b', cashRegisterId: 'c', channel: 'pos' },
  }
  const read = readSale(bytesOf(event), calculationId)
  if (read.kind === 'read') throw new Error('it was taken')
  t.same(
    read.refusal.details.faults!.map(({ field }) => field),
    ['failureReason', 'transactionId', 'paidTotal', 'loyaltyDiscountTotal'],
  )
})

t.test('20 faults at most, whatever the body', async (t) => {
  const wrongLines: BasketBody = { ...basketBody(), lines: Array.from({ length: 5_000 }, () => 7 as never) }
  t.equal(fieldsOf(wrongLines).length, 20)
  t.equal(fieldsOf(wrongLines)[19], 'lines[19]')
  t.equal(fieldsOf(`{${'"a":1,'.repeat(30_000)}"a":1}`).length, 20)
  const repeated = basketBody(500)
  for (const line of repeated.lines) line['lineId'] = 'line 1'
  t.equal(fieldsOf(repeated).length, 20)
})

/** Bodies that are wrong in any number of places: values replaced, left out and written twice. */
const wrongValues = [null, 1.5, -1, 'x', '', true, {}, [], [7], { totals: 1 }, 2 ** 60]

function spoilt(value: unknown, next: () => number, oneIn: number): unknown {
  if (next() % oneIn === 0) return wrongValues[next() % wrongValues.length]
  if (Array.isArray(value)) return value.map((each) => spoilt(each, next, oneIn))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(() => next() % oneIn !== 1)
  return Object.fromEntries(members.map(([name, each]) => [name, spoilt(each, next, oneIn)]))
}

const event = {
  calculationId,
  status: 'applied',
  transactionId: '7',
  currency: 'NOK',
  occurredAt: '2026-11-21T12:00:00Z',
  context: { venueId: 'v', baxId: 'b', cashRegisterId: 'c', channel: 'pos' },
}

t.test('the first of the list is what the reader stops at', async (t) => {
  const rows = { basket: { whole: fullBody(), rule: basketRule }, sale: { whole: event, rule: saleRule } }
  let listed = 0
  const property = fc.property(
    fc.constantFrom('basket' as const, 'sale' as const),
    fc.infiniteStream(fc.nat(10_000)),
    fc.integer({ min: 3, max: 60 }),
    fc.boolean(),
    (kind, choices, oneIn, isTwice) => {
      const { whole, rule } = rows[kind]
      const text = JSON.stringify(spoilt(whole, () => choices.next().value, oneIn))
      const body = isTwice ? text.replaceAll('"currency":', '"currency":1,"currency":') : text
      const read = readJson(Buffer.from(body), requestNames, rule)
      if (read.kind === 'read') return true
      listed = Math.max(listed, read.faults.length)
      const written = read.faults.map((fault) => JSON.stringify(fault))
      return (
        JSON.stringify(read.fault) === JSON.stringify(read.faults[0]) &&
        read.faults.length <= 20 &&
        new Set(written).size === written.length
      )
    },
  )
  fc.assert(property, { numRuns: 3_000 })
  t.ok(listed > 10, `${listed} faults in one body`)
})

t.test('as many faults are listed as the reader meets when each is mended in turn', async () => {
  const names = ['quantity', 'unitPrice', 'noDiscount', 'productId', 'lineId']
  const property = fc.property(
    fc.uniqueArray(fc.tuple(fc.nat(2), fc.constantFrom(...names)), {
      selector: ([at, name]) => `${at} ${name}`,
      minLength: 1,
      maxLength: 12,
    }),
    (spots) => {
      const body = basketBody(3)
      const right = spots.map(([at, name]) => body.lines[at]![name])
      for (const [at, name] of spots) body.lines[at]![name] = { wrong: true }
      const met: string[] = []
      for (let text = JSON.stringify(body); ; text = JSON.stringify(body)) {
        const read = readJson(Buffer.from(text), requestNames, basketRule)
        if (read.kind === 'read') break
        met.push(read.fault.field)
        const spot = spots.findIndex(([at, name]) => `lines[${at}].${name}` === read.fault.field)
        body.lines[spots[spot]![0]]![spots[spot]![1]] = right[spot]
      }
      for (const [at, name] of spots) body.lines[at]![name] = { wrong: true }
      return JSON.stringify(fieldsOf(body)) === JSON.stringify(met)
    },
  )
  fc.assert(property, { numRuns: 300 })
})
