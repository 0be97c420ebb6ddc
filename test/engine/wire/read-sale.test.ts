import { createHash } from 'node:crypto'
import t from 'tap'
import { readSale } from '../../../engine/wire/read-sale.js'
import { failureReasons } from '../../../engine/wire/sale-schema.js'
import { bytesOf, calculationId } from './basket-body.js'

const context = { venueId: 'venue 1', baxId: 'bax 1', cashRegisterId: 'register 1', channel: 'mpos' }
const applied = {
  calculationId,
  status: 'applied',
  transactionId: 'transaction 1',
  receiptNumber: 7,
  loyaltyId: 'member 1',
  currency: 'EUR',
  paidTotal: 1000,
  loyaltyDiscountTotal: 100,
  occurredAt: '2026-11-21T12:00:00.123456789Z',
  context: { ...context, terminalId: 'tid', clerkNumber: 0 },
}
const cancelled = { calculationId, status: 'cancelled', currency: 'EUR', occurredAt: applied.occurredAt, context }
const failed = { ...applied, status: 'failed', failureReason: 'timeout', loyaltyDiscountTotal: 0 }

function refusalOf(body: unknown) {
  const read = readSale(bytesOf(body), calculationId)
  return read.kind === 'refused' ? read.refusal : null
}

function eventOf(body: unknown) {
  const read = readSale(bytesOf(body), calculationId)
  if (read.kind === 'refused') throw new Error(JSON.stringify(read.refusal))
  return read.event
}

t.test('reads an event with all its fields', async (t) => {
  t.match(eventOf(applied), {
    ...context,
    status: 'applied',
    failureReason: null,
    transactionId: 'transaction 1',
    receiptNumber: 7,
    loyaltyId: 'member 1',
    paidTotal: 1000,
    loyaltyDiscountTotal: 100,
    occurredAt: applied.occurredAt,
    terminalId: 'tid',
    clerkNumber: 0,
  })
  const { digest } = eventOf(applied)
  t.equal(Buffer.from(digest).toString('hex'), createHash('sha256').update(bytesOf(applied)).digest('hex'))
})

t.test('reads absent and null fields as null, and preserves foreign members', async (t) => {
  const nothing = {
    transactionId: null,
    receiptNumber: null,
    loyaltyId: null,
    paidTotal: null,
    failureReason: null,
    loyaltyDiscountTotal: null,
    terminalId: null,
    clerkNumber: null,
  }
  t.match(eventOf(cancelled), nothing)
  t.match(eventOf({ ...cancelled, ...nothing, posNote: { deep: [1e3] } }), nothing)
})

const taken: Readonly<Record<string, object>> = {
  cancelled,
  failed,
  unchanged: { ...applied, status: 'unchanged', loyaltyDiscountTotal: 0 },
  'member_not_found without a total': { ...applied, status: 'member_not_found', loyaltyDiscountTotal: undefined },
  'applied with a total of 0': { ...applied, loyaltyDiscountTotal: 0 },
  'an unlisted currency': { ...applied, currency: 'XTS' },
  'a money value with a point': { ...applied, paidTotal: '#' },
  'a cancelled event with a receipt': { ...cancelled, receiptNumber: 1, loyaltyDiscountTotal: 0 },
}

t.test('takes every status in its form', async (t) => {
  for (const [name, body] of Object.entries(taken))
    t.equal(refusalOf(JSON.stringify(body).replace('"#"', '1000.0')), null, name)
  for (const failureReason of failureReasons) t.equal(refusalOf({ ...failed, failureReason }), null, failureReason)
})

const refused: readonly [name: string, body: object, field: string][] = [
  ['failed without a reason', { ...failed, failureReason: undefined }, 'failureReason'],
  ['failed with null as reason', { ...failed, failureReason: null }, 'failureReason'],
  ['failed for an unknown reason', { ...failed, failureReason: 'bored' }, 'failureReason'],
  ['applied with a reason', { ...applied, failureReason: 'timeout' }, 'failureReason'],
  ['cancelled with a reason', { ...cancelled, failureReason: 'timeout' }, 'failureReason'],
  ['applied without a transaction', { ...applied, transactionId: undefined }, 'transactionId'],
  ['failed with null as transaction', { ...failed, transactionId: null }, 'transactionId'],
  ['cancelled with a transaction', { ...cancelled, transactionId: 'x' }, 'transactionId'],
  ['cancelled with a paid total', { ...cancelled, paidTotal: 0 }, 'paidTotal'],
  ['cancelled with a discount', { ...cancelled, loyaltyDiscountTotal: 1 }, 'loyaltyDiscountTotal'],
  ['failed with a discount', { ...failed, loyaltyDiscountTotal: 1 }, 'loyaltyDiscountTotal'],
  ['an unknown status', { ...applied, status: 'done' }, 'status'],
  ['no status', { ...applied, status: undefined }, 'status'],
  ['another key', { ...applied, calculationId: calculationId.replace('0', '1') }, 'calculationId'],
  ['a long transactionId', { ...applied, transactionId: 'x'.repeat(65) }, 'transactionId'],
  ['a transactionId with U+0000', { ...applied, transactionId: 'x\u0000' }, 'transactionId'],
  ['an empty loyaltyId', { ...applied, loyaltyId: '' }, 'loyaltyId'],
  ['a currency in lower case', { ...applied, currency: 'eur' }, 'currency'],
  ['no offset', { ...applied, occurredAt: '2026-11-21T12:00:00' }, 'occurredAt'],
  ['30 February', { ...applied, occurredAt: '2026-02-30T12:00:00Z' }, 'occurredAt'],
  ['no context', { ...applied, context: undefined }, 'context'],
  ['no baxId', { ...applied, context: { ...context, baxId: undefined } }, 'context.baxId'],
  ['a baxId as number', { ...applied, context: { ...context, baxId: 1 } }, 'context.baxId'],
  ['a negative clerk', { ...applied, context: { ...context, clerkNumber: -1 } }, 'context.clerkNumber'],
  ...[-1, 1.5, '7', 2 ** 53].map((receiptNumber): [string, object, string] => [
    `receipt ${receiptNumber}`,
    { ...applied, receiptNumber },
    'receiptNumber',
  ]),
]

t.test('names the field that does not fit', async (t) => {
  for (const [name, body, field] of refused)
    t.match(refusalOf(body), { code: 'invalid_request', details: { field } }, name)
  t.match(refusalOf('{"status":"applied","status":"failed"}'), {
    details: { field: 'status', expected: 'each member name once' },
  })
  t.match(refusalOf(''), { details: { field: 'body' } })
})

t.test('stores an invalid loyaltyId as no member', async (t) => {
  t.equal(eventOf({ ...applied, loyaltyId: 'a\u0000' }).loyaltyId, null)
  t.equal(eventOf({ ...applied, loyaltyId: 'a\udfff' }).loyaltyId, null)
})
