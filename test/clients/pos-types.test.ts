import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { buildSale, PosClient } from '../../clients/pos-js/pos-client.js'
import { basketSchema } from '../../engine/wire/basket-schema.js'
import type { JsonSchema } from '../../engine/wire/json-schema.js'
import { returnSchema, saleSchema } from '../../engine/wire/sale-schema.js'
import { startService, unhurried } from '../e2e/service.js'

/** Generous, for a busy machine. */
const times = { attemptMs: 10_000, capMs: 30_000 }

const totals = { gross: 900, lineDiscount: 90, orderDiscount: 40, net: 770 }
const discount = {
  type: 'percentage',
  percentage: 10,
  amount: 90,
  lineDiscountCode: 'STAFF',
  text: 'Staff 10 %',
  campaign: 'house',
  approvedBy: 'anna',
} as const

/** Every field of the contract, and fields of the POS's own at every depth. */
function everyField() {
  return {
    calculationId: randomUUID(),
    supersedesCalculationId: randomUUID(),
    loyaltyId: 'TEST-20-PERCENT',
    currency: 'NOK',
    requestedAt: '2026-11-21T12:00:00+01:00',
    context: {
      venueId: 'oslo-cafe',
      baxId: '7100001',
      cashRegisterId: 'register-2',
      terminalId: 'tid-1',
      clerkNumber: 7,
      channel: 'mpos' as const,
      shift: 'evening',
    },
    tableNumber: 12,
    lines: [
      {
        lineId: '1',
        parentLineId: null,
        productId: 'cinnamon-bun',
        productGroupId: 'buns',
        productMasterId: 'bun',
        ean: '7001',
        quantity: 2,
        unitPrice: 500,
        overrideUnitPrice: 450,
        noDiscount: false,
        noPercentageDiscount: false,
        weighed: false,
        discounts: [discount],
        orderDiscountAllocations: [{ orderDiscountId: 'o', amount: 40, share: '100 %' }],
        addedByLoyalty: false,
        splitFromLineId: null,
        totals: { ...totals, tax: 100 },
        kitchenNotes: ['warm'],
      },
    ],
    orderDiscounts: [{ ...discount, orderDiscountId: 'o', amount: 40 }],
    totals,
  }
}

async function aClient(t: Test, service: { readonly url: string; readonly secret: string }) {
  const queueFolder = await mkdtemp(join(tmpdir(), 'loyalty-pos-types-'))
  const pos = await PosClient.open({ service, queueFolder, times })
  t.teardown(async () => {
    await pos.close()
    await rm(queueFolder, { recursive: true })
  })
  return pos
}

/** Fields of a schema that an object does not have, by path. */
function missingIn(value: unknown, schema: JsonSchema, path = ''): string[] {
  const inner = schema.anyOf?.[0] ?? schema
  if (inner.items !== undefined) return missingIn((value as unknown[])[0], inner.items, `${path}[]`)
  return Object.entries(inner.properties ?? {}).flatMap(([name, field]) => {
    const here = `${path}.${name}`
    const found = (value as Record<string, unknown>)[name]
    return found === undefined ? [here] : found === null ? [] : missingIn(found, field, here)
  })
}

t.test(
  'the types accept every field of the contract and fields of the POS, and the service returns them',
  async (t) => {
    t.same(missingIn(everyField(), basketSchema), [], 'the basket of this test has every field')
    const service = await startService({ env: unhurried })
    t.teardown(() => service.stop())
    const pos = await aClient(t, service)
    const sent = everyField()
    const calculated = await pos.calculate(sent)
    if (calculated.status !== 'applied') throw new Error(JSON.stringify(calculated))
    const { charged } = calculated
    const tableNumber: number = charged.tableNumber
    const kitchenNotes: readonly string[] | undefined = charged.lines[0]?.kitchenNotes
    t.equal(tableNumber, 12)
    t.same(kitchenNotes, ['warm'])
    t.match(charged, { context: sent.context, orderDiscounts: sent.orderDiscounts })
    t.match(charged.lines[0]?.discounts?.[0], discount)
    t.equal(charged.totals.net, 608, '20 % of 810 more')

    const ending = { status: 'applied', failureReason: null, transactionId: 'tx-1', receiptNumber: 42 } as const
    const sale = buildSale(charged, { ...ending, discountCode: 'THIRD_PARTY_LOYALTY', occurredAt: new Date() })
    const whole = { ...sale, failureReason: null, waiter: { badge: 3 } }
    t.same(missingIn(whole, saleSchema), [], 'the sale of this test has every field')
    const { end } = await pos.record(whole)
    t.match(await end, { kind: 'taken', sent: { result: 'recorded' } })

    const lines = [{ lineId: charged.lines[0]!.lineId, quantity: 1, shelf: 3 }]
    const { calculationId, context } = sent
    const occurredAt = new Date().toISOString()
    const returned = { returnId: randomUUID(), calculationId, lines, occurredAt, context, dryRun: false }
    t.same(missingIn({ ...returned, transactionId: null }, returnSchema), [], 'the return of this test has every field')
    const given = await pos.recordReturn(returned)
    if (given.kind !== 'taken' || given.answer.result !== 'recorded') throw new Error(JSON.stringify(given))
    t.ok(given.answer.refund > 0)
    t.same(given.answer.lines, [{ lineId: lines[0]!.lineId, refund: given.answer.refund }])
    t.match(await pos.recordReturn({ ...returned, returnId: randomUUID(), calculationId: randomUUID() }), {
      answer: { result: 'unknown_calculation' },
    })
  },
)

t.test('null in an optional field is read as absent', async (t) => {
  const service = await startService({ env: unhurried })
  t.teardown(() => service.stop())
  const pos = await aClient(t, service)
  const plain = { gross: 500, lineDiscount: 0, orderDiscount: 0, net: 500 }
  const { context } = everyField()
  const { status } = await pos.calculate({
    ...everyField(),
    supersedesCalculationId: null,
    loyaltyId: null,
    context: { ...context, terminalId: null, clerkNumber: null },
    lines: [
      { lineId: '1', productId: 'x', quantity: 1, unitPrice: 500, noDiscount: false, discounts: null, totals: plain },
    ],
    orderDiscounts: null,
    totals: plain,
  })
  t.equal(status, 'member_not_found')
})

/** Never called: it fails to compile where a faulty line would compile. */
export function wrongUses(pos: PosClient): void {
  const basket = everyField()
  void pos.calculate({ ...basket, own: { anything: [1, null] } })
  // @ts-expect-error: an amount is a number
  void pos.calculate({ ...basket, totals: { ...totals, net: '770' } })
  // @ts-expect-error: a line needs its noDiscount
  void pos.calculate({ ...basket, lines: basket.lines.map(({ noDiscount: _, ...line }) => line) })
  // A name that some services agree on.
  void pos.calculate({ ...basket, context: { ...basket.context, channel: 'web' } })
  // @ts-expect-error: a clerk number is a number
  void pos.calculate({ ...basket, context: { ...basket.context, clerkNumber: '7' } })
  // @ts-expect-error: a required field is not null
  void pos.calculate({ ...basket, currency: null })
  // @ts-expect-error: no such kind of discount
  void pos.calculate({ ...basket, orderDiscounts: [{ orderDiscountId: 'o', type: 'gift', amount: 1 }] })
  void pos.calculate(basket).then(({ charged }) => {
    // @ts-expect-error: a field that was not sent does not come back
    return charged.waiterName
  })
  const sale = { calculationId: '', currency: 'NOK', occurredAt: '', context: basket.context }
  void pos.record({ ...sale, status: 'cancelled', ownReason: 'guest left' })
  // @ts-expect-error: no such status
  void pos.record({ ...sale, status: 'paid' })
  // @ts-expect-error: a receipt number is a number
  void pos.record({ ...sale, status: 'applied', receiptNumber: '42' })
}
