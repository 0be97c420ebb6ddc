import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { DiscountType } from '../../../gateway/gen/loyalty/v1/basket_pb.js'
import {
  CalculationStatus,
  Channel,
  FailureReason,
  SaleResult,
  SaleStatus,
  UnchangedReason,
} from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { PosService } from '../../../gateway/gen/loyalty/v1/pos_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { aTypedBasket } from './calculation-suite.js'
import type { Served } from './served.js'

const { calculateBasket, recordSale } = PosService.method

const aTypedSale = (calculationId: string) => ({
  calculationId,
  status: SaleStatus.APPLIED,
  transactionId: `transaction-${calculationId}`,
  receiptNumber: 0n,
  loyaltyId: 'anna',
  currency: 'EUR',
  paidTotal: 405n,
  loyaltyDiscountTotal: 45n,
  occurredAt: '2026-11-20T10:01:00+01:00',
  context: aTypedBasket(1n).context,
})

/** PosService: the partner contract, typed; on the suites' own programme. */
export function posSuite(t: Test, served: () => Served): void {
  t.test('a basket returns changed, with the fields of the POS, and its sale is recorded', async (t) => {
    const admin = served().admin(t)
    const calculationId = randomUUID()
    const plain = aTypedBasket(450n)
    const own = { table: 7, guests: ['a', null, true], nested: { '': 'x', __proto: 0.5 } }
    const basket = {
      ...plain,
      calculationId,
      foreignFields: own,
      context: { ...plain.context, clerkNumber: 12n, foreignFields: { shift: 'night' } },
      lines: [{ ...plain.lines[0]!, foreignFields: { station: 'bar' } }],
      totals: { ...plain.totals, foreignFields: { vat: 1.25 } },
    }
    const answer = await admin.ask(calculateBasket, { basket })
    t.match(answer, { calculationId, status: CalculationStatus.APPLIED, reason: UnchangedReason.UNSPECIFIED })
    t.equal(answer.replayed, false)
    const { basket: priced } = answer
    t.match(priced, { calculationId, loyaltyId: 'anna', currency: 'EUR', requestedAt: plain.requestedAt })
    t.same(priced?.foreignFields, own)
    t.match(priced?.context, { channel: Channel.POS, clerkNumber: 12n, foreignFields: { shift: 'night' } })
    t.match(priced?.totals, {
      gross: 450n,
      lineDiscount: 45n,
      orderDiscount: 0n,
      net: 405n,
      foreignFields: { vat: 1.25 },
    })
    t.match(priced?.lines, [
      {
        lineId: '1',
        quantityThousandths: 1_000n,
        unitPrice: 450n,
        noDiscount: false,
        foreignFields: { station: 'bar' },
        totals: { net: 405n },
        discounts: [
          {
            type: DiscountType.PERCENTAGE,
            percentageTenThousandths: 100_000,
            amount: 45n,
            lineDiscountCode: 'THIRD_PARTY_LOYALTY',
            text: 'Coffee 10 %',
          },
        ],
      },
    ])
    t.equal(priced?.lines[0]?.addedByLoyalty, undefined)
    t.match(await admin.ask(calculateBasket, { basket }), { replayed: true, basket: { totals: { net: 405n } } })

    const event = aTypedSale(calculationId)
    t.match(await admin.ask(recordSale, { event }), { calculationId, result: SaleResult.RECORDED, replayed: false })
    t.match(await admin.ask(recordSale, { event }), { result: SaleResult.RECORDED, replayed: true })
    t.match(await admin.unary(recordSale, { event: { ...event, paidTotal: 1n } }), {
      code: 6,
      reason: 'IDEMPOTENCY_CONFLICT',
    })
  })

  t.test('a typed call and a REST call are the same call', async (t) => {
    const admin = served().admin(t)
    const rest = aBasket('anna').line({ productId: 'coffee', unitPrice: 450, quantity: 1.25, totals: weighed })
    const body = rest.body()
    t.equal((await served().service.send('/v1/pos/basket', rest.text())).json.status, 'applied')
    const [line] = body['lines']
    const totals = { gross: 563n, lineDiscount: 0n, orderDiscount: 0n, net: 563n }
    const basket = {
      calculationId: String(body['calculationId']),
      loyaltyId: 'anna',
      currency: 'EUR',
      requestedAt: String(body['requestedAt']),
      context: aTypedBasket(1n).context,
      lines: [
        {
          lineId: String(line.lineId),
          productId: 'coffee',
          quantityThousandths: 1_250n,
          unitPrice: 450n,
          noDiscount: false,
          totals,
        },
      ],
      totals,
    }
    t.match(await admin.ask(calculateBasket, { basket }), { replayed: true, basket: { totals: { net: 507n } } })
    t.match(await admin.unary(calculateBasket, { basket: { ...basket, loyaltyId: 'ben' } }), {
      code: 6,
      reason: 'IDEMPOTENCY_CONFLICT',
    })
  })

  t.test('order discounts and percentages of the POS keep their values', async (t) => {
    const admin = served().admin(t)
    const plain = aTypedBasket(1_000n)
    const totals = { gross: 1_000n, lineDiscount: 125n, orderDiscount: 75n, net: 800n }
    const discount = { type: DiscountType.AMOUNT, amount: 75n, text: 'Voucher', foreignFields: { code: 'V-1' } }
    const line = {
      ...plain.lines[0]!,
      noDiscount: true,
      discounts: [{ type: DiscountType.PERCENTAGE, percentageTenThousandths: 125_000, amount: 125n }],
      orderDiscountAllocations: [{ orderDiscountId: 'o-1', amount: 75n }],
      totals,
    }
    const other = { ...plain.lines[0]!, lineId: '2' }
    const basket = {
      ...plain,
      calculationId: randomUUID(),
      lines: [line, other],
      orderDiscounts: [{ orderDiscountId: 'o-1', discount }],
      totals: { gross: 2_000n, lineDiscount: 125n, orderDiscount: 75n, net: 1_800n },
    }
    const { basket: priced } = await admin.ask(calculateBasket, { basket })
    t.match(priced?.lines[0], line)
    t.match(priced?.orderDiscounts, [{ orderDiscountId: 'o-1', discount }])
    t.match(priced?.totals, { lineDiscount: 225n, net: 1_700n })
  })
}

/** Refusals of PosService. */
export function posRefusalSuite(t: Test, served: () => Served): void {
  t.test('every refusal has its reason and the path of its field', async (t) => {
    const admin = served().admin(t)
    const basket = { ...aTypedBasket(450n), calculationId: randomUUID() }
    const [line] = basket.lines
    const event = aTypedSale(randomUUID())
    const baskets = [
      [{ ...basket, calculationId: 'x' }, 'INVALID_REQUEST', /^basket\.calculation_id/],
      [{ ...basket, context: undefined }, 'INVALID_REQUEST', /^basket\.context/],
      [{ ...basket, context: { ...basket.context, channel: 99 as Channel } }, 'INVALID_REQUEST', /context\.channel/],
      [{ ...basket, lines: [] }, 'INVALID_REQUEST', /^basket\.lines/],
      [{ ...basket, lines: [{ ...line, unitPrice: -1n }] }, 'INVALID_REQUEST', /lines\[0\]\.unit_price/],
      [{ ...basket, lines: [{ ...line, unitPrice: 2n ** 62n }] }, 'INVALID_REQUEST', /lines\[0\]\.unit_price/],
      [{ ...basket, lines: [{ ...line, quantityThousandths: 0n }] }, 'INVALID_REQUEST', /\.quantity_thousandths/],
      [
        { ...basket, lines: [{ ...line, foreignFields: { totals: {} } }] },
        'INVALID_REQUEST',
        /lines\[0\]\.foreign_fields/,
      ],
      [{ ...basket, lines: manyLines(201) }, 'TOO_MANY_LINES', /^basket\.lines/],
      [
        { ...basket, foreignFields: { long: 'x'.repeat(262_144) } },
        'INVALID_REQUEST',
        /^basket: expected at most 262144/,
      ],
    ] as const
    for (const [sent, reason, violation] of baskets) {
      const outcome = await admin.unary(calculateBasket, { basket: sent as object })
      t.match(outcome, { kind: 'refused', reason, violations: [violation] }, `${reason} ${violation}`)
    }
    const events = [
      [{ ...event, status: SaleStatus.UNSPECIFIED }, /^event\.status/],
      [{ ...event, status: SaleStatus.FAILED, loyaltyDiscountTotal: 0n }, /^event\.failure_reason/],
      [{ ...event, failureReason: FailureReason.TIMEOUT }, /^event\.failure_reason/],
      [{ ...event, occurredAt: 'yesterday' }, /^event\.occurred_at/],
    ] as const
    for (const [sent, violation] of events) {
      const outcome = await admin.unary(recordSale, { event: sent as object })
      t.match(outcome, { kind: 'refused', reason: 'INVALID_REQUEST', violations: [violation] }, String(violation))
    }
    t.match(await admin.unary(calculateBasket, {}), { violations: [/^basket: expected a basket/] })
    t.match(await served().reader(t).unary(calculateBasket, { basket }), { code: 7, reason: 'PERMISSION_DENIED' })
    t.match(await admin.ask(recordSale, { event }), { result: SaleResult.UNKNOWN_CALCULATION })
  })
}

/** 1.25 x 4.50, rounded half up. */
const weighed = { gross: 563, lineDiscount: 0, orderDiscount: 0, net: 563 }

function manyLines(count: number) {
  const [line] = aTypedBasket(450n).lines
  return Array.from({ length: count }, (_, at) => ({ ...line, lineId: String(at) }))
}
